"""One run of a fused model: what TVM gives, whether each raised text gives the same, and how values lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.compiler.tvm.relax.fusing import FunctionCall, FusedModel, Value
from edgekernelbench.compiler.tvm.relax.running import Functions
from edgekernelbench.imports.functions import Found
from edgekernelbench.imports.record import CONSTANT
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Call
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.inputs import NUMPY_TYPES
from edgekernelbench.workloads.limits import ROUNDOFF
from edgekernelbench.workloads.reference import chain_lengths

Array = NDArray[np.generic]

MARGIN = 64.0
"""How many times the rounding of its longest sum a raised text may be from TVM.

Sums are made in other orders, and functions such as `exp` are approximated. A dropped term is a thousand
times that.
"""


ON_THE_BORDER = 0.03
"""How far quantised values may be apart.

A code that lies between two is rounded either way, by the last bit of a sum. One code of 256 in a hundred
elements is less; a wrong scale or zero point is far more.
"""


@dataclass(frozen=True, slots=True)
class Lying:
    """How the values of one parameter lie, in the first call of its function.

    Attributes:
        low: The least value.
        high: The greatest.
        mean: Their mean.
        std: Their standard deviation.
    """

    low: float
    high: float
    mean: float
    std: float


@dataclass(frozen=True, slots=True)
class Walked:
    """What a run showed.

    Attributes:
        outputs: What the model gives.
        found: The functions; those whose text computes something else are none any more.
        lying: How the values of each parameter lie, by function.
    """

    outputs: tuple[Array, ...]
    found: tuple[Found, ...]
    lying: Mapping[str, tuple[Lying, ...]]


def walk_through(model: FusedModel, found: Sequence[Found], inputs: Sequence[Array]) -> Walked:
    """Run a model through TVM's functions, and compare each raised text with them on the values that occur.

    Args:
        model: The model.
        found: Its functions.
        inputs: One array an input.
    """
    functions = Functions(model)
    by_function = {name: number for number, one in enumerate(found) for name in one.functions}
    checked = list(found)
    lying: dict[str, tuple[Lying, ...]] = {}
    values: dict[str, Array] = {f"{CONSTANT}{n}": array for n, array in enumerate(model.constants)}
    values |= {value.name: array for value, array in zip(model.inputs, inputs, strict=True)}
    for call in model.calls:
        args = [values[name] for name in call.args]
        results = functions.run(call, args)
        values |= {value.name: array for value, array in zip(call.results, results, strict=True)}
        number = by_function[call.function]
        one = checked[number]
        if one.name not in lying:
            lying[one.name] = tuple(map(_lying, args))
            checked[number] = _checked(one, call, args, results)
    return Walked(tuple(values[name] for name in model.outputs), tuple(checked), lying)


def _checked(one: Found, call: FunctionCall, args: Sequence[Array], results: Sequence[Array]) -> Found:
    if one.kernel is None:
        return one
    named = {param.name: array for param, array in zip(one.kernel.params, args, strict=True)}
    outputs = evaluate(verify_compute(one.kernel), named, precision="declared")
    problems = [
        _difference(one.kernel, v, a, b) for v, a, b in zip(call.results, outputs, results, strict=True)
    ]
    worst = next((problem for problem in problems if problem), "")
    return (
        replace(one, kernel=None, reason=f"what was raised computes something else: {worst}")
        if worst
        else one
    )


def _difference(kernel: Kernel, value: Value, raised: Array, tvm: Array) -> str:
    """Say how two results differ; empty where they agree."""
    if not value.dtype.is_float:
        steps = np.abs(raised.astype(np.int64) - tvm.astype(np.int64))
        wrong = int(np.count_nonzero(steps > (1 if rounds(kernel) else 0)))
        return f"{wrong} of {raised.size} elements differ" if wrong else ""
    chain = max(1, *chain_lengths(kernel.compute).values())
    allowed = MARGIN * ROUNDOFF[value.dtype] * float(np.sqrt(chain))
    if rounds(kernel):
        allowed = max(allowed, ON_THE_BORDER)
    apart = distance(raised, tvm)
    return "" if apart <= allowed else f"{apart:.3g} of their size apart, where {allowed:.3g} is rounding"


def rounds(kernel: Kernel) -> bool:
    """Whether a kernel rounds to whole numbers: what lies on the border of two may become either."""
    roots = [root for placed in placed_stages(kernel.compute) for root in expressions(placed.stage.value)]
    return any(isinstance(node, Call) and node.function == "round" for root in roots for node in walk(root))


def distance(a: Array, b: Array) -> float:
    """Give the root mean square of a difference beside that of `b`; twice the same infinity is none."""
    x, y = a.astype(np.float64), b.astype(np.float64)
    if x.shape != y.shape:
        return float("inf")
    with np.errstate(invalid="ignore"):
        gap = np.where((x == y) | (np.isnan(x) & np.isnan(y)), 0.0, x - y)
    finite = np.abs(y[np.isfinite(y)])
    size = float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0
    return float(np.sqrt(np.mean(gap**2))) / max(size, 1e-6) if gap.size else 0.0


def _lying(array: Array) -> Lying:
    numbers = array.astype(np.float64)
    finite = numbers[np.isfinite(numbers)]
    if not finite.size:
        return Lying(0.0, 0.0, 0.0, 0.0)
    return Lying(float(finite.min()), float(finite.max()), float(finite.mean()), float(finite.std()))


def draw_inputs(model: FusedModel, found: Sequence[Found], seed: int) -> tuple[Array, ...]:
    """Draw inputs for a model: floats normal, whole numbers in the range that their reader declares.

    Args:
        model: The model.
        found: Its functions.
        seed: Any integer.
    """
    draws = np.random.default_rng(seed)
    ranges = _input_ranges(model, found)
    return tuple(_draw(value, ranges.get(value.name, (0, 2)), draws) for value in model.inputs)


def _input_ranges(model: FusedModel, found: Sequence[Found]) -> dict[str, tuple[int, int]]:
    kernels = {name: one.kernel for one in found for name in one.functions if one.kernel is not None}
    ranges: dict[str, tuple[int, int]] = {}
    for call in model.calls:
        kernel = kernels.get(call.function)
        for param, arg in zip(kernel.params if kernel else (), call.args, strict=False):
            if param.bounds is not None:
                ranges[arg] = param.bounds
    return ranges


def _draw(value: Value, bounds: tuple[int, int], draws: np.random.Generator) -> Array:
    kind = NUMPY_TYPES[value.dtype]
    if value.dtype.is_float:
        return draws.standard_normal(value.shape).astype(kind)
    if value.dtype is DType.BOOL:
        return (draws.random(value.shape) < 0.5).astype(kind)
    return draws.integers(*bounds, value.shape).astype(kind)
