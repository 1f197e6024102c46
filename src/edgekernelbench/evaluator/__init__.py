"""Judge one attempt."""
