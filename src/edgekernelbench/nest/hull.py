"""One box for reads that begin at different places: how far apart they are at most decides its width."""

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Call, Expr
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.indices import clamp, simplify, span_of_sum
from edgekernelbench.nest.inlining import substitute
from edgekernelbench.nest.linear import Linear, Ranges, linear
from edgekernelbench.nest.spread import Reach, Spread, union

Bounds = tuple[int | None, int | None]

_CHOICES = {"min": 2, "max": 2, "clamp": 3}
"""Choices that can be taken apart, with their number of arguments."""


def hull(parts: list[Spread | None], size: int, reach: Reach) -> Spread | None:
    """Cover several spreads along an axis.

    Args:
        parts: What is read; None for everything.
        size: Positions of the axis. No read is outside, so a part that reaches beyond is held inside.
        reach: The ranges of the variables, and what the first positions of boxes are.

    Returns:
        The narrowest cover that begins where one of the parts does, moved by a number; None for everything.
    """
    same = union(parts)
    known = [part for part in parts if part is not None]
    if same is not None or len(known) < len(parts):
        return same
    firsts = [_held(part, size, reach) for part in known]
    covers = [_cover(base, known, firsts, reach) for base in dict.fromkeys(part.fixed for part in known)]
    found = [cover for cover in covers if cover is not None]
    return min(found, key=lambda one: one.high - one.low, default=None)


def _held(part: Spread, size: int, reach: Reach) -> Linear:
    """Give the first position of a part, moved so that all of it is on the axis."""
    first = simplify(_expanded(part.first().expr(), reach), reach.ranges)
    count = part.high - part.low + 1
    return linear(clamp(first, 0, max(0, size - count), reach.ranges))


def _cover(base: Linear, parts: list[Spread], firsts: list[Linear], reach: Reach) -> Spread | None:
    start = linear(simplify(_expanded(base.expr(), reach), reach.ranges))
    lows, highs = [], []
    for part, first in zip(parts, firsts, strict=True):
        low, high = (part.low, part.low) if part.fixed == base else difference(first, start, reach.ranges)
        if low is None or high is None:
            return None
        lows.append(low)
        highs.append(high + part.high - part.low)
    return Spread(base, min(lows), max(highs))


def _expanded(node: Expr, reach: Reach) -> Expr:
    """Write first positions of boxes out."""
    named = {n.name: reach.lets[n.name] for n in walk(node) if isinstance(n, Axis) and n.name in reach.lets}
    if not named:
        return node
    return _expanded(substitute(node, named), reach)


def difference(a: Linear, b: Linear, ranges: Ranges) -> Bounds:
    """Bound `a - b` better than each alone would: `min(i, 9) - i` is small though `i` may be large.

    Choices of the same kind differ by no more than their sides do, however these are paired.

    Args:
        a: A sum.
        b: Another.
        ranges: The ranges of the variables.

    Returns:
        The least and the greatest difference; None where there is no bound.
    """
    plain = span_of_sum(a.plus(b, -1), ranges)
    kind = _kind(a) or _kind(b)
    if kind is None:
        return plain
    ours, theirs = _sides(a, kind, ranges), _sides(b, kind, ranges)
    if ours is None or theirs is None:
        return plain
    found = [plain]
    for one, other in (theirs, theirs[::-1]):
        first, second = difference(ours[0], one, ranges), difference(ours[1], other, ranges)
        lows, highs = (first[0], second[0]), (first[1], second[1])
        found.append(
            (
                None if lows[0] is None or lows[1] is None else min(lows[0], lows[1]),
                None if highs[0] is None or highs[1] is None else max(highs[0], highs[1]),
            )
        )
    least = [low for low, _ in found if low is not None]
    most = [high for _, high in found if high is not None]
    return max(least, default=None), min(most, default=None)


def _choice(total: Linear) -> tuple[Call, Linear] | None:
    """Take a sum apart into one choice and the rest."""
    for term, times in total.terms:
        if times == 1 and isinstance(term, Call) and len(term.args) == _CHOICES.get(term.function):
            return term, total.plus(Linear(((term, 1),), 0), -1)
    return None


def _kind(total: Linear) -> str | None:
    found = _choice(total)
    if found is None:
        return None
    return "max" if found[0].function == "clamp" else found[0].function


def _sides(total: Linear, kind: str, ranges: Ranges) -> tuple[Linear, Linear] | None:
    """Write a sum as a choice of a kind between two; one that is none is held at its own end."""
    found = _choice(total)
    if found is None or _kind(total) != kind:
        low, high = span_of_sum(total, ranges)
        end = high if kind == "min" else low
        return None if end is None else (total, Linear((), end))
    call, rest = found
    if call.function == "clamp":
        value, low_side, high_side = call.args
        inner = Call("min", (value, high_side), dtype=DType.I32)
        return linear(inner).plus(rest), linear(low_side).plus(rest)
    return linear(call.args[0]).plus(rest), linear(call.args[1]).plus(rest)
