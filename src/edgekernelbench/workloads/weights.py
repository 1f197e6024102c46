"""How weights are drawn, and the factors that scale sums with them back to 8 bits."""

from math import log2, prod, sqrt

import numpy as np

from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.draws import Requant, RequantShift, Weights
from edgekernelbench.workloads.stream import Floats, Stream

WEIGHT_STD = {DType.I8: 42.0, DType.I4: 4.6}
"""Deviations of integer weights: symmetric 8-bit ones rarely clip, 4-bit ones are uniform."""


def sample_weights(param: Param, draw: Weights, stream: Stream) -> Floats:
    """Draw the weights of a layer, so that its outputs have a deviation near one."""
    if param.dtype in (DType.I4, DType.U4):
        low, high = param.dtype.bounds
        return low + stream.below(high - low + 1, param.shape).astype(np.float64)
    if param.dtype is DType.I8:
        return np.clip(np.rint(WEIGHT_STD[DType.I8] * stream.normal(param.shape)), -127, 127)
    return draw.gain / sqrt(_fan(param, draw.fan)) * stream.normal(param.shape)


def sample_requant(
    param: Param, draw: Requant | RequantShift, weights: Param | None, stream: Stream
) -> Floats:
    """Draw factors, or shifts, that bring sums with integer weights back to the deviation of a row.

    Raises:
        ValueError: When it is not said which weights.
    """
    if weights is None:
        raise ValueError(f"{param.name}: a requant draw without weights")
    multiplier = draw.std / (draw.x_std * WEIGHT_STD[weights.dtype] * sqrt(_fan(weights, draw.fan)))
    if isinstance(draw, RequantShift):
        shift = max(0, round(-log2(multiplier / 0.75)))
        return shift + stream.chance(0.25, param.shape).astype(np.float64)
    if param.dtype.is_int:
        return 2.0**30 + stream.below(2**30, param.shape).astype(np.float64)
    return multiplier * (0.75 + 0.5 * stream.unit(param.shape))


def _fan(weights: Param, axes: tuple[int, ...] | None) -> int:
    summed = range(1, len(weights.shape)) if axes is None else axes
    return max(1, prod(weights.shape[axis] for axis in summed))
