"""Launches of a GPU as TIR with thread bindings, and TVM's code generation for OpenCL and CUDA."""
