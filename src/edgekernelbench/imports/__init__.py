"""Models of others as workloads: read, taken apart, raised to the compute layer, checked, profiled."""
