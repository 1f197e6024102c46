"""Models as TVM's Relax has them: read, fused, and each fused function raised to a compute layer."""
