"""OpenCL devices through PyOpenCL; the device code comes from TVM."""
