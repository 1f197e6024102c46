"""Inputs that know nothing of a workload: whether a mistake could show on any inputs at all."""

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.workloads.inputs import to_type

Array = NDArray[np.generic]

SCALES = (1.0, 1e-4, 1e-12, 300.0, 0.0)
"""Of what floats are; integers are anything, then small, then 0."""

SEED = 331


def generic_inputs(kernel: Kernel) -> Iterator[tuple[Array, ...]]:
    """Draw inputs from the types and ranges of parameters alone.

    Args:
        kernel: A canonical kernel.

    Yields:
        Some sets, one array a parameter.
    """
    generator = np.random.default_rng(SEED)
    for scale in SCALES:
        yield tuple(_draw(param, scale, generator) for param in kernel.params)


def _draw(param: Param, scale: float, generator: np.random.Generator) -> Array:
    if param.bounds is not None:
        low, high = param.bounds[0], param.bounds[1] - 1
        return to_type(generator.integers(low, high, param.shape, endpoint=True).astype(np.float64), param)
    if not param.dtype.is_int:
        return to_type(scale * generator.normal(size=param.shape), param)
    low, high = (0, 1) if param.dtype is DType.BOOL else param.dtype.bounds
    reach = {1.0: 1.0, 300.0: 1.0}.get(scale, 0.05 if scale else 0.0)
    whole = generator.integers(low, high, param.shape, endpoint=True).astype(np.float64)
    return to_type(np.rint(reach * whole), param)
