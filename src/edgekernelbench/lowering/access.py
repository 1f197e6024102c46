"""How an index moves when an axis moves: affine forms, strides, what packs."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import gcd

from edgekernelbench.ir.expr import Axis, Binary, Call, Cast, Expr, Literal, Power, Read, Reduction, Select
from edgekernelbench.ir.walk import children, expressions, transform, walk

TRANSCENDENTAL = frozenset(
    {"sqrt", "rsqrt", "exp", "exp2", "log", "log2", "pow", "sin", "cos", "tan"}
    | {"asin", "acos", "atan", "atan2", "tanh", "sigmoid", "erf"}
)
"""Functions that cost many operations."""

TRANSCENDENTAL_COST = 20
"""What one of them counts, in simple operations; polynomials take 10 to 30."""

LONGEST_STRIDE = 4
"""Strides that a layout can undo, by storing each phase by itself."""


def reads(value: Expr | Reduction) -> Iterator[Read]:
    """List all reads of a stage's value, with repetitions."""
    for part in expressions(value):
        for node in walk(part):
            if isinstance(node, Read):
                yield node


def cost(value: Expr | Reduction) -> int:
    """Count the simple operations of one evaluation, reads and index arithmetic left out."""
    return sum(_cost(part) for part in expressions(value))


def _cost(node: Expr) -> int:
    match node:
        case Read() | Literal() | Axis():
            return 0
        case Call(function=name) if name in TRANSCENDENTAL:
            own = TRANSCENDENTAL_COST
        case Cast(operand=Literal()):
            own = 0
        case Power(exponent=exponent):
            own = exponent - 1
        case _:
            own = 1
    return own + sum(_cost(part) for part in children(node))


def is_heavy(value: Expr | Reduction) -> bool:
    """Say whether a value calls a transcendental function."""
    nodes = (node for part in expressions(value) for node in walk(part))
    return any(
        isinstance(node, Call) and node.function in TRANSCENDENTAL - {"sqrt", "rsqrt"} for node in nodes
    )


def has_condition(value: Expr | Reduction) -> bool:
    """Say whether a value chooses between two sides, as a padding does."""
    return any(isinstance(node, Select) for part in expressions(value) for node in walk(part))


def affine(index: Expr) -> Mapping[str, int] | None:
    """Write an index as whole multiples of axes.

    Args:
        index: An integer expression.

    Returns:
        The factor of each axis that occurs; None when it is not of that form.
    """
    match index:
        case Literal():
            return {}
        case Axis(name=name):
            return {name: 1}
        case Cast(operand=operand, implicit=True):
            return affine(operand)
        case Binary(op="+" | "-" as op, left=left, right=right):
            a, b = affine(left), affine(right)
            if a is None or b is None:
                return None
            sign = 1 if op == "+" else -1
            return {n: a.get(n, 0) + sign * b.get(n, 0) for n in {**a, **b}}
        case (
            Binary(op="*", left=Literal(value=int(factor)), right=other)
            | Binary(op="*", left=other, right=Literal(value=int(factor)))
        ):
            inner = affine(other)
            return None if inner is None else {n: factor * k for n, k in inner.items()}
        case _:
            return None


def uses(index: Expr, axis: str) -> bool:
    """Say whether an index hangs on an axis at all, also through data."""
    return any(isinstance(node, Axis) and node.name == axis for node in walk(index))


def axes_of(read: Read) -> frozenset[str]:
    """List the axes that the place of a read hangs on."""
    return frozenset(n.name for i in read.indices for n in walk(i) if isinstance(n, Axis))


@dataclass(frozen=True, slots=True)
class Movement:
    """How a read moves when one axis moves by one.

    Attributes:
        kind: `still`, `unit` (to the next element in memory), `packs` (a weight whose stored order
            can be chosen so that it becomes `unit`), `strides` (over a few elements), `rests` (still for
            a number of positions, then elsewhere) or `jumps`.
        step: For `strides`, over how many; for `rests`, how long.
    """

    kind: str
    step: int = 1

    @property
    def smooth(self) -> bool:
        """Whether a vector along the axis loads from one place."""
        return self.kind != "jumps"


def movement(read: Read, axis: str, *, packable: bool, last: int | None = None) -> Movement:
    """Say how a read moves along an axis.

    Args:
        read: The read, logical indices.
        axis: The axis.
        packable: Whether the tensor's layout is free.
        last: The axis of the tensor that is stored innermost; its last one when None.
    """
    touched = [d for d, index in enumerate(read.indices) if uses(index, axis)]
    resting = [_rest(read.indices[d], axis) for d in touched]
    if touched and all(resting):
        return Movement("rests", gcd(*resting))
    touched = [d for d, rest in zip(touched, resting, strict=True) if not rest]
    if not touched:
        return Movement("still")
    if len(touched) > 1 or any(resting):
        return Movement("jumps")
    (dim,) = touched
    form = affine(read.indices[dim])
    step = 0 if form is None else form.get(axis, 0)
    if dim == (len(read.indices) - 1 if last is None else last) and 1 <= step <= LONGEST_STRIDE:
        return Movement("unit") if step == 1 else Movement("strides", step)
    if step != 1:
        return Movement("jumps")
    return Movement("packs") if packable and isinstance(read.indices[dim], Axis) else Movement("jumps")


def _rest(index: Expr, axis: str) -> int:
    """Give `m` for an index such as `axis // m`, which stays for `m` positions; 0 for any other."""
    match index:
        case Binary(op="//", left=Axis(name=name), right=Literal(value=int(length))) if name == axis:
            return length
        case _:
            return 0


def inlined(value: Expr | Reduction, bodies: Mapping[str, tuple[tuple[str, ...], Expr]]) -> Expr | Reduction:
    """Replace every read of some stages by what they are.

    Args:
        value: Where they are read.
        bodies: Axes and expression of each such stage, themselves free of such reads.

    Returns:
        The value as its readers see it after inlining.
    """

    def change(node: Expr) -> Expr | None:
        if not isinstance(node, Read) or node.tensor not in bodies:
            return None
        axes, body = bodies[node.tensor]
        return renamed(body, dict(zip(axes, node.indices, strict=True)))

    if isinstance(value, Reduction):
        over = tuple(
            replace(o, conditions=tuple(transform(c, change) for c in o.conditions)) for o in value.over
        )
        return replace(value, element=transform(value.element, change), over=over)
    return transform(value, change)


def renamed(body: Expr, axes: Mapping[str, Expr]) -> Expr:
    """Put expressions in the place of axes."""
    return transform(body, lambda n: axes.get(n.name) if isinstance(n, Axis) else None)


def jumps(read: Read, axis: str) -> bool:
    """Say whether a read moves along an axis other than to a neighbour, in either direction."""
    moving = [affine(i) for i in read.indices if uses(i, axis)]
    if not moving:
        return False
    form = affine(read.indices[-1])
    return len(moving) > 1 or form is None or abs(form.get(axis, 0)) != 1
