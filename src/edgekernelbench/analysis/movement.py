"""How accesses move through memory: strides along a loop, and how much of a buffer a nest touches."""

import operator
from collections.abc import Callable, Mapping
from itertools import pairwise, product
from math import prod

from edgekernelbench.analysis.sites import Access, Site
from edgekernelbench.ir.expr import Axis, Binary, Call, Cast, Expr, Literal, Unary
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.linear import Linear, linear
from edgekernelbench.nest.tree import Buffer

MOST_PLACES = 64
"""Iterations that are looked at one by one."""

Counts = Mapping[str, int]
"""Iterations of each loop variable; a variable that is missing stands still."""


def stride(site: Site, access: Access, var: str) -> int | None:
    """Find how far one step of a loop moves an access.

    Args:
        site: Where the access stands.
        access: The access.
        var: The loop's variable.

    Returns:
        The distance in elements, 0 when it stays; None when it is not fixed, as in a gather.
    """
    if not site.follows(access, var):
        return 0
    total, step = Linear((), 0), 1
    for index, size in reversed(list(zip(access.indices, access.buffer.shape, strict=True))):
        total = total.plus(linear(index).times(step))
        step *= size
    moved: int | None = 0
    for term, times in total.terms:
        if isinstance(term, Axis) and term.name == var:
            moved = times
        elif site.moves(term, var):
            return _even(site, access, var)
    return moved


def _even(site: Site, access: Access, var: str) -> int | None:
    """Look whether quotients and remainders come out as an even movement, from the first iterations."""
    extent = next((loop.extent for loop in site.loops if loop.var == var), 1)
    found = places(site, access, {var: min(extent, MOST_PLACES)})
    if found is None or len(found) < 2:
        return None
    steps = {after - before for before, after in pairwise(found)}
    return steps.pop() if len(steps) == 1 else None


def touched(site: Site, access: Access, counts: Counts) -> int:
    """Count the elements of a buffer that an access touches while some loops run.

    Args:
        site: Where the access stands.
        access: The access.
        counts: The loops that run.

    Returns:
        The size of the box round all places, along no axis more than the buffer has.
    """
    sizes = zip(access.indices, access.buffer.shape, strict=True)
    return prod(min(size, _span(index, counts, site)) for index, size in sizes)


def _span(index: Expr, counts: Counts, site: Site) -> int:
    """Count the positions that an index can take while some loops run."""
    total = 1
    for term, times in linear(index).terms:
        total += abs(times) * (_values(term, counts, site) - 1)
    return total


def _values(term: Expr, counts: Counts, site: Site) -> int:
    match term:
        case Axis(name=name):
            if name in site.hangs:
                return prod(counts.get(one, 1) for one in site.hangs[name])
            return counts.get(name, 1)
        case Binary(op="//", left=left, right=Literal(value=int(by))) if by > 0:
            return (_span(left, counts, site) - 1) // by + 2 if _moves(left, counts, site) else 1
        case Binary(op="%", left=left, right=Literal(value=int(by))) if by > 0:
            return min(by, _span(left, counts, site))
        case _:
            return prod(n for var, n in counts.items() if site.moves(term, var))


def _moves(node: Expr, counts: Counts, site: Site) -> bool:
    names = {part.name for part in walk(node) if isinstance(part, Axis)}
    loops = {one for name in names for one in site.hangs.get(name, {name})}
    return any(counts.get(name, 1) > 1 for name in loops)


def places(site: Site, access: Access, counts: Counts) -> tuple[int, ...] | None:
    """Give the elements that the first iterations of loops access, all other loops standing at their start.

    Args:
        site: Where the access stands.
        access: The access.
        counts: How many iterations of each loop.

    Returns:
        Positions in the buffer; None when they hang on data.
    """
    found = []
    for turns in product(*(range(count) for count in counts.values())):
        known = dict(zip(counts, turns, strict=True))
        total = 0
        for index, size in zip(access.indices, access.buffer.shape, strict=True):
            value = _evaluated(index, known, site)
            if value is None:
                return None
            total = total * size + value
        found.append(total)
    return tuple(found)


def _evaluated(node: Expr, known: Mapping[str, int], site: Site) -> int | None:
    match node:
        case Literal(value=value):
            return int(value)
        case Axis(name=name):
            return _evaluated(site.lets[name], known, site) if name in site.lets else known.get(name, 0)
        case Cast(operand=operand):
            return _evaluated(operand, known, site)
        case Unary(op="-", operand=operand):
            inner = _evaluated(operand, known, site)
            return None if inner is None else -inner
        case Binary(op=op, left=left, right=right) if op in _ARITHMETIC:
            a, b = _evaluated(left, known, site), _evaluated(right, known, site)
            return None if a is None or b is None or (op in ("//", "%") and not b) else _ARITHMETIC[op](a, b)
        case Call(function="min" | "max" as name, args=args):
            values = [_evaluated(one, known, site) for one in args]
            whole = [value for value in values if value is not None]
            return None if len(whole) < len(values) else min(whole) if name == "min" else max(whole)
        case _:
            return None


_ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "//": operator.floordiv,
    "%": operator.mod,
}


def element_bytes(buffer: Buffer) -> float:
    """Give the bytes of an element; half a byte for 4-bit numbers."""
    return buffer.dtype.bits / 8 if buffer.dtype.bits >= 4 else 1.0


def gathers(site: Site, access: Access, var: str) -> bool:
    """Say whether the lanes of an access along a loop lie apart."""
    found = stride(site, access, var)
    return found is None or abs(found) > 1
