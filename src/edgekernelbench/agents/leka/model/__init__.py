"""The mind that asks a language model: one file a phase, a pure function of its input and of the answer."""
