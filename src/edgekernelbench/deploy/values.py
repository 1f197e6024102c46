"""Values to try an exported kernel with, and how far its outputs may be from the interpreter's."""

import numpy as np

from edgekernelbench.compiler.arrays import Array, stored_type
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.limits import ROUNDOFF

ROOM = 512
"""Roundings of the greatest value by which floats may differ: rounding, and nothing worse."""


def draw(param: Param, generator: np.random.Generator) -> Array:
    """Draw values for a parameter: its declared range, small integers, or floats around 0."""
    values: Array
    if param.bounds is not None:
        values = generator.integers(*param.bounds, size=param.shape)
    elif param.dtype.is_float:
        values = generator.standard_normal(param.shape)
    elif param.dtype is DType.BOOL:
        values = generator.integers(0, 2, size=param.shape)
    elif param.dtype in (DType.I4, DType.U4):
        values = generator.integers(-8 if param.dtype is DType.I4 else 0, 8, size=param.shape)
    else:
        values = generator.integers(0, 100, size=param.shape)
    return np.asarray(values).astype(whole_type(param.dtype))


def whole_type(dtype: DType) -> np.dtype[np.generic]:
    """Give the NumPy type of a value that has an element of its own: `i4` is held as `int8`."""
    return np.dtype(np.int8) if dtype is DType.I4 else stored_type(dtype)


def differences(name: str, found: Array, right: Array, dtype: DType) -> tuple[str, ...]:
    """Say where an output differs from what is right.

    Args:
        name: The output.
        found: What came out.
        right: What the interpreter gave, in the same form.
        dtype: Its element type.

    Returns:
        At most one sentence.
    """
    if dtype not in ROUNDOFF:
        wrong = found != right
    else:
        a, b = found.astype(np.float64), right.astype(np.float64)
        finite = np.abs(b[np.isfinite(b)])
        room = ROOM * ROUNDOFF[dtype] * max(1e-30, float(finite.max(initial=0.0)))
        wrong = ~(np.isclose(a, b, rtol=0, atol=room, equal_nan=True))
    if not wrong.any():
        return ()
    first = int(np.argmax(wrong.reshape(-1)))
    pair = f"expected {right.reshape(-1)[first]}, found {found.reshape(-1)[first]}"
    return (f"{name}: {int(wrong.sum()):,} of {found.size:,} elements differ; element {first}: {pair}",)
