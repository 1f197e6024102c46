"""The two constants from which it is derived how far a result may be from the reference."""

from edgekernelbench.ir.dtype import DType

ROUNDOFF = {DType.F64: 2.0**-53, DType.F32: 2.0**-24, DType.F16: 2.0**-11, DType.BF16: 2.0**-8}
"""Largest relative error of rounding to the nearest value of a type."""

RMS_RATIO = 16.0
"""How much larger than that of the declared arithmetic an RMS error may be: of kernels, and of PyTorch.

Source: tried before the judge was built. TF32 is 55 to 2,023 times the declared arithmetic, a dropped term
near 1,000, an honest Winograd 4, blocked sums under 1.
"""
