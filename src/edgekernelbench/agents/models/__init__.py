"""Ways to ask a language model: one small protocol, several implementations."""
