"""What scores mean: pure functions on outcomes."""
