"""Who writes the kernels."""
