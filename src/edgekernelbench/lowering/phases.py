"""Axes that occur by their remainders: `x[(j + 4 - s) // 3]` where `(j + 4 - s) % 3 == 0`, or `kind[j % 2]`.

Positions of one remainder, a *phase*, are alike: along them quotients move by one and remainders rest. So
such an axis is split by its divisor, and the vector runs over the outer loop.
"""

from dataclasses import replace

from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal, Read, Reduction
from edgekernelbench.ir.walk import expressions, transform, walk
from edgekernelbench.lowering.access import LONGEST_STRIDE, affine


def divisor(value: Expr | Reduction, axis: str) -> int:
    """Find the number that an axis is divided by.

    Args:
        value: What a stage computes.
        axis: One of its data axes.

    Returns:
        The divisor; 1 when there is none, or more than one, or when it is large.
    """
    found: set[int] = set()
    for part in expressions(value):
        for node in walk(part):
            match node:
                case Binary(op="//" | "%", left=left, right=Literal(value=int(number))):
                    if (affine(left) or {}).get(axis) == 1:
                        found.add(number)
                case _:
                    continue
    return next(iter(found)) if len(found) == 1 and max(found) <= LONGEST_STRIDE else 1


def along_phase(read: Read, axis: str, step: int) -> Read:
    """Write a read as it moves over the positions of one phase.

    Args:
        read: The read.
        axis: The axis.
        step: Its divisor.

    Returns:
        The same read, the axis counting positions of the phase; what rests along it may be left out.
    """

    def change(node: Expr) -> Expr | None:
        match node:
            case Axis(name=name) if name == axis:
                return Binary("*", Literal(step), node)
            case Binary(op="//" | "%" as op, left=left, right=Literal(value=int(number))) if number == step:
                if (affine(left) or {}).get(axis) == step:
                    return Axis(axis) if op == "//" else Literal(0)
                return None
            case _:
                return None

    if step == 1:
        return read
    return replace(read, indices=tuple(transform(i, change) for i in read.indices))
