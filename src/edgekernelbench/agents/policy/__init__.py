"""The built-in policy: plans and writes layers without a language model, in the *optimise* track alone."""
