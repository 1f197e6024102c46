"""What a package of one's own adds to EdgeKernelBench."""
