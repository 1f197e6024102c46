"""The three layers of a kernel as immutable trees; no text, no arrays."""
