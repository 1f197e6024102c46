"""NVIDIA GPUs: device code from TVM, machine code from NVIDIA's compiler, launches through TVM's runtime."""
