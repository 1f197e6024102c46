"""How parameters are drawn, and how wide sums are, where nobody said so."""

from edgekernelbench.ir.compute import Param, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.workloads.draws import Draw, Index, Mask, Normal, Uniform, Weights

INTEGER_STD = 42.0
"""Deviation of 8-bit values, as in the catalogue."""


def guess_draw(param: Param) -> Draw:
    """Choose a draw by type: floats normal, weights scaled to keep sums at one, integers in their range.

    Args:
        param: A parameter of a kernel.
    """
    if param.bounds is not None:
        return Index(draw="index")
    if param.dtype is DType.BOOL:
        return Mask(draw="mask")
    if param.const and len(param.shape) > 1 and (param.dtype.is_float or param.dtype.bits <= 8):
        return Weights(draw="weights")
    if param.dtype.is_float:
        return Normal(draw="normal")
    if param.dtype.bits <= 8:
        low, high = param.dtype.bounds
        middle = 0.0 if low < 0 else (high + 1) / 2
        return Normal(draw="normal", mean=middle, std=min(INTEGER_STD, (high - low) / 6))
    return Uniform(draw="uniform", low=max(-1000.0, float(param.dtype.bounds[0])), high=1000.0)


def guess_accumulation(kernel: Kernel, dtype: DType) -> DType:
    """Choose the narrowest type of sums: that of the text where it is a narrow float, else 32 bits or f64.

    Args:
        kernel: The kernel.
        dtype: The type of its first output.
    """
    stages = [placed.stage for placed in placed_stages(kernel.compute)]
    sums = {s.dtype for s in stages if isinstance(s.value, Reduction) and s.value.kind in ("sum", "prod")}
    narrow = [t for t in sums if t.is_float and t.bits < 32]
    if narrow:
        return narrow[0]
    if DType.F64 in {param.dtype for param in kernel.params} | {dtype}:
        return DType.F64
    return DType.F32 if dtype.is_float else DType.I32
