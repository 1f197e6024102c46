"""Reference outputs, and the facts from which the judge derives how far an output may be away."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from math import prod

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Read, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload

Array = NDArray[np.generic]

DEFAULT_CACHE_BYTES = 256 * 2**20


@dataclass(frozen=True, slots=True)
class OutputFacts:
    """What the tolerance of one output is derived from.

    Attributes:
        name: The stage that is returned.
        dtype: Its type.
        accumulation: The narrowest type that sums may be held in.
        additions: The longest chain of additions that reaches one element; steps of a group count.
        scale: Root mean square of the reference; infinities left out.
        tolerance_lsb: Steps by which an integer may differ; 0 means exact.
    """

    name: str
    dtype: DType
    accumulation: DType
    additions: int
    scale: float
    tolerance_lsb: int


@dataclass(frozen=True, slots=True)
class Reference:
    """What a workload gives on one set of inputs.

    Attributes:
        outputs: In float64, exact for integers.
        declared: The canonical text evaluated serially in the declared types.
        facts: One entry an output.
    """

    outputs: tuple[Array, ...]
    declared: tuple[Array, ...]
    facts: tuple[OutputFacts, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        return sum(array.nbytes for array in (*self.outputs, *self.declared))


class References:
    """References by content, the most recently used kept in memory."""

    def __init__(self, limit_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._limit = limit_bytes
        self._kept: OrderedDict[str, Reference] = OrderedDict()

    def reference(self, workload: Workload, inputs: Sequence[Array]) -> Reference:
        """Evaluate the canonical text, or remember that it was evaluated on these bytes.

        Args:
            workload: The workload.
            inputs: One array a parameter.

        Returns:
            The reference; its arrays must not be written to.
        """
        kernel = workload.kernel()
        key = _content(kernel, inputs)
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        found = compute_reference(workload, inputs)
        self._kept[key] = found
        while len(self._kept) > 1 and sum(kept.nbytes for kept in self._kept.values()) > self._limit:
            self._kept.popitem(last=False)
        return found


def compute_reference(workload: Workload, inputs: Sequence[Array]) -> Reference:
    """Evaluate the canonical text in float64 and in the declared types.

    Args:
        workload: The workload.
        inputs: One array a parameter.

    Returns:
        The reference.
    """
    facts = verify_compute(workload.kernel())
    named = {param.name: array for param, array in zip(facts.kernel.params, inputs, strict=True)}
    outputs = evaluate(facts, named, precision="reference")
    declared = evaluate(facts, named, precision="declared")
    return Reference(outputs, declared, output_facts(workload, outputs))


def output_facts(workload: Workload, outputs: Sequence[Array]) -> tuple[OutputFacts, ...]:
    """Collect what tolerances are derived from.

    Args:
        workload: The workload.
        outputs: Its reference outputs.

    Returns:
        One entry an output.
    """
    compute = workload.kernel().compute
    lengths = chain_lengths(compute)
    stages = {placed.stage.name: placed.stage for placed in placed_stages(compute)}
    return tuple(
        OutputFacts(
            name=name,
            dtype=stages[name].dtype,
            accumulation=workload.accumulate,
            additions=lengths[name],
            scale=_rms(array),
            tolerance_lsb=workload.tolerance_lsb if stages[name].dtype.is_int else 0,
        )
        for name, array in zip(compute.outputs, outputs, strict=True)
    )


def chain_lengths(compute: Compute) -> dict[str, int]:
    """Count, for each stage, the longest chain of additions that reaches one of its elements.

    A sum or product counts its terms; a group counts its longest step once for each step.

    Args:
        compute: A compute layer.

    Returns:
        A count by stage name.
    """
    lengths: dict[str, int] = {}
    for item in compute.items:
        if isinstance(item, Stage):
            lengths[item.name] = _terms(item) + _longest(_reads(item), lengths)
        elif isinstance(item, Ordered):
            lengths.update(_group_lengths(item, lengths))
    return lengths


def _group_lengths(group: Ordered, before: dict[str, int]) -> dict[str, int]:
    placed = tuple(placed_stages(Compute((group,), ())))
    sizes = _ordered_sizes(group)
    steps = max(prod(sizes[axis] for axis in p.ordered) for p in placed)
    within: dict[str, int] = {}
    outside = 0
    for p in placed:
        reads = _reads(p.stage)
        within[p.stage.name] = _terms(p.stage) + _longest(reads, within)
        outside = max(outside, _longest(reads, before))
    total = outside + steps * max(1, *within.values())
    return dict.fromkeys(within, total)


def _ordered_sizes(item: Item) -> dict[str, int]:
    match item:
        case Ordered(axis=axis, size=size, items=items):
            return {axis: size} | {a: n for inner in items for a, n in _ordered_sizes(inner).items()}
        case _:
            return {}


def _terms(stage: Stage) -> int:
    match stage.value:
        case Reduction(kind="sum" | "prod", over=over):
            return prod(o.stop - o.start for o in over)
        case _:
            return 0


def _reads(stage: Stage) -> set[str]:
    nodes = (node for root in expressions(stage.value) for node in walk(root))
    return {node.tensor for node in nodes if isinstance(node, Read)}


def _longest(names: set[str], lengths: dict[str, int]) -> int:
    return max((lengths.get(name, 0) for name in names), default=0)


def _rms(array: Array) -> float:
    values = np.abs(array.astype(np.float64))
    finite = values[np.isfinite(values)]
    return float(np.sqrt(np.mean(finite**2))) if finite.size else 0.0


def _content(kernel: Kernel, inputs: Sequence[Array]) -> str:
    digest = hashlib.sha256(print_kernel(kernel).encode())
    for array in inputs:
        digest.update(f"{array.dtype} {array.shape} ".encode() + np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
