"""Kernels leave the house: as files for C programs, as functions of Python, as modules of TVM."""
