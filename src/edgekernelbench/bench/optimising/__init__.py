"""A whole model made faster: where the budget goes, what is kept, and whether it is still the model."""
