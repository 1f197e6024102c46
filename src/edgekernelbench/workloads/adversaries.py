"""Distributions that a workload is judged on beside the standard ones: what its operations are weak to."""

from edgekernelbench.ir.compute import Compute, placed_stages
from edgekernelbench.ir.expr import Binary, Call, Compare, Expr, Reduction
from edgekernelbench.ir.walk import walk
from edgekernelbench.workloads.sampling import Distribution
from edgekernelbench.workloads.schema import Workload

GROWING = frozenset({"exp", "pow"})
"""Functions that overflow where a kernel forgets what keeps their argument small."""

DIVIDING = frozenset({"rsqrt", "sqrt", "log", "log2", "log10"})
"""Functions near whose pole a small constant decides."""

CHOOSING = frozenset({"min", "max", "clamp", "argmin", "argmax"})
"""Operations for which equal values are a case of their own."""


def adversaries(workload: Workload) -> tuple[Distribution, ...]:
    """Choose the distributions that show mistakes of the kinds that a workload's operations invite.

    Args:
        workload: The workload.

    Returns:
        Ties and ends of ranges for comparisons and integers, values far from rest for exponentials,
        values near rest for divisions and roots.
    """
    kernel = workload.kernel()
    found: set[Distribution] = set()
    if any(param.dtype.is_int and not param.const for param in kernel.params):
        found.add(Distribution.EXTREME)
    for node, kind in _operations(kernel.compute):
        match node:
            case Call(function=name):
                found |= _of_function(name)
            case Compare():
                found.add(Distribution.EXTREME)
            case Binary(op="/"):
                found.add(Distribution.FAINT)
            case _ if kind in CHOOSING:
                found.add(Distribution.EXTREME)
            case _:
                continue
    return tuple(kind for kind in Distribution if kind in found)


def _of_function(name: str) -> set[Distribution]:
    if name in GROWING:
        return {Distribution.LARGE}
    if name in DIVIDING:
        return {Distribution.FAINT}
    return {Distribution.EXTREME} if name in CHOOSING else set()


def _operations(compute: Compute) -> list[tuple[Expr, str]]:
    found = []
    for placed in placed_stages(compute):
        value = placed.stage.value
        if isinstance(value, Reduction):
            roots = [value.element, *(condition for over in value.over for condition in over.conditions)]
            found += [(node, value.kind) for root in roots for node in walk(root)]
        else:
            found += [(node, "") for node in walk(value)]
    return found
