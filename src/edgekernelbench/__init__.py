"""Measure and improve compute kernels that language models write for edge devices."""
