"""The control: kernels in plain C, each in a process that holds nothing that judges."""
