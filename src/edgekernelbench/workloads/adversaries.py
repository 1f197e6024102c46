"""Distributions that a workload is judged on beside the standard ones: what its operations are weak to."""

from edgekernelbench.ir.compute import Compute, placed_stages
from edgekernelbench.ir.expr import Binary, Call, Compare, Expr, Power, Read, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.sampling import Distribution
from edgekernelbench.workloads.schema import Workload

GROWING = frozenset({"exp", "pow"})
"""Functions that overflow where a kernel forgets what keeps their argument small."""

DIVIDING = frozenset({"rsqrt", "sqrt", "log", "log2", "log10"})
"""Functions near whose pole a small constant decides."""

CHOOSING = frozenset({"min", "max", "clamp", "argmin", "argmax"})
"""Operations for which equal values are a case of their own."""


PICKING = frozenset({"min", "max", "clamp", "abs"})
"""Functions whose result is one of their operands, but for its sign."""


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
    if Distribution.EXTREME in found and _decides_on_rounding(kernel):
        found.remove(Distribution.EXTREME)
    return tuple(kind for kind in Distribution if kind in found)


def _decides_on_rounding(kernel: Kernel) -> bool:
    """Whether a comparison or a search looks at floats that arithmetic has rounded.

    Values of few kinds make ties there that only rounding breaks, and every order of a sum breaks them in its
    own way: a right kernel may differ anywhere.
    """
    rounded: set[str] = set()
    for placed in placed_stages(verify_compute(kernel).kernel.compute):
        value = placed.stage.value
        element = value.element if isinstance(value, Reduction) else value
        nodes = [n for root in expressions(value) for n in walk(root)]
        compared = [part for n in nodes if isinstance(n, Compare) for part in n.operands]
        if isinstance(value, Reduction) and value.kind in ("argmin", "argmax"):
            compared.append(element)
        if any(_is_rounded(part, rounded) for part in compared):
            return True
        sums = isinstance(value, Reduction) and value.kind in ("sum", "prod")
        if placed.stage.dtype.is_float and (sums or _is_rounded(element, rounded)):
            rounded.add(placed.stage.name)
    return False


def _is_rounded(root: Expr, rounded: set[str]) -> bool:
    """Whether a float is not the very value of an input, or one picked from several."""
    for node in walk(root):
        match node:
            case Read(tensor=name) if name in rounded:
                return True
            case Binary(op="+" | "-" | "*" | "/") | Power():
                if node.dtype is not None and node.dtype.is_float:
                    return True
            case Call(function=name) if name not in PICKING:
                if node.dtype is not None and node.dtype.is_float:
                    return True
            case _:
                continue
    return False


def _of_function(name: str) -> set[Distribution]:
    if name in GROWING:
        return {Distribution.LARGE}
    if name in DIVIDING:
        return {Distribution.FAINT}
    return {Distribution.EXTREME} if name in CHOOSING else set()


def _operations(compute: Compute) -> list[tuple[Expr, str]]:
    """List all nodes, each with the kind of reduction that it stands in."""
    found: list[tuple[Expr, str]] = []
    for placed in placed_stages(compute):
        value = placed.stage.value
        kind = value.kind if isinstance(value, Reduction) else ""
        found += [(node, kind) for root in expressions(value) for node in walk(root)]
    return found
