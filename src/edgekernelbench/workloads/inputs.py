"""Seeded inputs of a workload: the same bytes for the same workload, seed and distribution."""

from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.draws import Requant, RequantShift
from edgekernelbench.workloads.sampling import Distribution, sample
from edgekernelbench.workloads.schema import Workload
from edgekernelbench.workloads.stream import Floats, Stream

Array = NDArray[np.generic]

NUMPY_TYPES: dict[DType, Any] = {
    DType.BOOL: np.bool_, DType.I4: np.int8, DType.U4: np.uint8, DType.I8: np.int8, DType.U8: np.uint8,
    DType.I16: np.int16, DType.U16: np.uint16, DType.I32: np.int32, DType.U32: np.uint32, DType.I64: np.int64,
    DType.F16: np.float16, DType.BF16: ml_dtypes.bfloat16, DType.F32: np.float32, DType.F64: np.float64,
}  # fmt: skip
"""How element types are held in arrays; 4-bit types take a byte each here."""


def make_inputs(
    workload: Workload, seed: int, distribution: Distribution | str = Distribution.TYPICAL
) -> tuple[Array, ...]:
    """Draw one set of inputs.

    Each parameter has a stream of its own, seeded by workload, seed and name, so that weights are the
    same in every distribution of one seed.

    Args:
        workload: The workload.
        seed: Any integer.
        distribution: One of `sampling.Distribution`.

    Returns:
        One C-contiguous array a parameter, in order; scalars have shape ().

    Raises:
        CatalogueError: When the row draws no values for a parameter.
    """
    kind = Distribution(distribution)
    params = {param.name: param for param in workload.kernel().params}
    missing = [name for name in params if name not in workload.inputs]
    if missing:
        raise CatalogueError(f"{workload.id}: expected a draw for {', '.join(missing)}, found none")
    return tuple(_draw(workload, param, params, seed, kind) for param in params.values())


def _draw(
    workload: Workload, param: Param, params: dict[str, Param], seed: int, distribution: Distribution
) -> Array:
    draw = workload.inputs[param.name]
    weights = params.get(draw.of) if isinstance(draw, Requant | RequantShift) else None
    stream = Stream(workload.id, seed, param.name)
    return to_type(sample(param, draw, weights, stream, distribution), param)


def to_type(values: Floats, param: Param) -> Array:
    """Round values to the type of a parameter; integers also keep inside its declared range.

    Args:
        values: Any finite values.
        param: The parameter.

    Returns:
        An array of the parameter's type and shape.
    """
    dtype = param.dtype
    if dtype is DType.BOOL:
        rounded = values != 0.0
    elif dtype.is_int:
        low, high = dtype.bounds if param.bounds is None else (param.bounds[0], param.bounds[1] - 1)
        rounded = np.clip(np.rint(values), low, high)
    else:
        rounded = values
    return np.ascontiguousarray(rounded.astype(NUMPY_TYPES[dtype])).reshape(param.shape)
