"""Blocks of positions: which axes vary inside a block, how indices depend on them, how spaces are cut.

Every axis of a stage has a slot in the environment that holds its *first* position in the block. An axis of
one position is *fixed* by its slot; the others span the dimensions of arrays, in grid order.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from edgekernelbench.interp.arithmetic import Precision
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Cast, Expr, Literal, Unary
from edgekernelbench.ir.walk import walk

POINTS = "@"
"""The dimension of scattered positions; no name of a text."""


@dataclass(frozen=True, slots=True)
class Grid:
    """The block of positions that one evaluation covers.

    Attributes:
        slots: The slot of each axis in scope.
        extents: The axes that vary, in the order of array dimensions, with their numbers of positions.
        precision: How floats are held.
        moving: The axes whose slots may differ from one evaluation to the next; None for all.
        points: Axes that do not span a dimension of their own: their slots hold arrays of positions along the
            dimension `POINTS`, so that a block may cover scattered positions.
    """

    slots: Mapping[str, int]
    extents: Mapping[str, int]
    precision: Precision
    moving: frozenset[str] | None = None
    points: frozenset[str] = frozenset()

    @property
    def rank(self) -> int:
        """Number of array dimensions."""
        return len(self.extents)

    @property
    def shape(self) -> tuple[int, ...]:
        """The full shape of a value that depends on all axes."""
        return tuple(self.extents.values())

    def shape_over(self, axes: frozenset[str]) -> tuple[int, ...]:
        """The shape of a value that depends on some axes: 1 along the others."""
        return tuple(n if axis in axes else 1 for axis, n in self.extents.items())

    def varying(self, node: Expr) -> frozenset[str]:
        """Name the varying axes that an expression depends on."""
        names = {n.name for n in walk(node) if isinstance(n, Axis)}
        spanned = names & self.extents.keys()
        return frozenset(spanned | {POINTS}) if names & self.points else frozenset(spanned)

    def stays(self, node: Expr) -> bool:
        """Say whether the positions in an expression are the same in every evaluation."""
        if self.moving is None:
            return False
        return not any(isinstance(n, Axis) and n.name in self.moving for n in walk(node))


@dataclass(frozen=True, slots=True)
class Affine:
    """An index of the form `constant + sum of coefficient * axis`."""

    constant: int
    terms: Mapping[str, int]

    def plus(self, other: "Affine", factor: int = 1) -> "Affine":
        """Add a multiple of another index."""
        terms = dict(self.terms)
        for axis, coefficient in other.terms.items():
            terms[axis] = terms.get(axis, 0) + factor * coefficient
        return Affine(self.constant + factor * other.constant, {a: c for a, c in terms.items() if c})


_INDEX_TYPES = (DType.I32, DType.I64)


def affine(node: Expr) -> Affine | None:
    """Read an integer expression as an affine form.

    Args:
        node: A typed index expression.

    Returns:
        The form; None when the expression has another shape.
    """
    match node:
        case Literal(value=int() as value):
            return Affine(value, {})
        case Axis(name=name):
            return Affine(0, {name: 1})
        case Cast(to=to, operand=operand) if to in _INDEX_TYPES and operand.dtype in _INDEX_TYPES:
            return affine(operand)
        case Unary(op="-", operand=operand):
            inner = affine(operand)
            return None if inner is None else Affine(0, {}).plus(inner, -1)
        case Binary(op="+" | "-" | "*" as op, left=left, right=right):
            return _affine_pair(op, affine(left), affine(right))
        case _:
            return None


def _affine_pair(op: str, left: Affine | None, right: Affine | None) -> Affine | None:
    if left is None or right is None:
        return None
    if op in ("+", "-"):
        return left.plus(right, 1 if op == "+" else -1)
    if not left.terms:
        return Affine(0, {}).plus(right, left.constant)
    return None if right.terms else Affine(0, {}).plus(left, right.constant)


def cut(extents: Sequence[int], limit: int) -> tuple[int, ...]:
    """Choose the block of a space: inner axes whole, one in part, outer ones position by position.

    Args:
        extents: Numbers of positions, outermost first.
        limit: How many positions a block may have.

    Returns:
        The extents of a block, at least 1 each; blocks in row-major order keep the order of positions.
    """
    chosen: list[int] = []
    for extent in reversed(extents):
        chosen.append(max(1, min(extent, limit)))
        limit = limit // extent if extent <= limit else 1
    return tuple(reversed(chosen))


def blocks(extents: Sequence[int], block: Sequence[int]) -> Iterator[tuple[tuple[int, int], ...]]:
    """Walk the blocks of a space in row-major order.

    Args:
        extents: The space.
        block: What `cut` chose.

    Yields:
        First position and number of positions along each axis.
    """
    per_axis = [
        [(start, min(size, extent - start)) for start in range(0, extent, size)]
        for extent, size in zip(extents, block, strict=True)
    ]
    yield from product(*per_axis)
