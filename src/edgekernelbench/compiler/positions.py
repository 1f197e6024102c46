"""Whether the body of a tiled loop knows its tile by position alone, so that the tile may start elsewhere.

A tile of `F` positions starts at `o * F`. A variable inside is *relative* when it counts from there: its
slope says by how many positions its element moves when the tile moves by one. `o * F` may have been
simplified away, as from `(o * F + i) % F`, which leaves `i` by itself; then the tile must not move. So
wherever a relative variable stands, the matching share of `o` has to stand too. Only buffers that live within
the tile are indexed from its start, all accesses alike.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from edgekernelbench.ir.expr import Axis, Binary, Expr, Read, Unary
from edgekernelbench.ir.walk import children
from edgekernelbench.nest.linear import I32, linear
from edgekernelbench.nest.tree import Guard, Let, Loop, Stmt, Store, Update, walk_stmts

Place = tuple[str, int] | None
"""An axis of a buffer of the tile; None for everything else."""


@dataclass(frozen=True, slots=True)
class Sum:
    """A sum of positions: how often each variable stands in it.

    Attributes:
        place: The axis of a buffer of the tile that it indexes; None elsewhere.
        factors: The factor of each variable.
    """

    place: Place
    factors: dict[str, int]


@dataclass(slots=True)
class Positions:
    """Checks the body of one loop.

    Attributes:
        var: The loop over tiles.
        size: `F`.
        groups: Inner variables that count the positions of a tile together, with their factors.
        own: Buffers that live within the tile.
    """

    var: str
    size: int
    groups: tuple[dict[str, int], ...]
    own: frozenset[str]
    _slopes: dict[str, int] = field(default_factory=dict)

    def hold(self, body: tuple[Stmt, ...]) -> bool:
        """Say whether everything in a body is a function of where its tile starts."""
        sums = [one for stmt in walk_stmts(body) for one in self._sums_of(stmt)]
        if any(one.factors.get(self.var, 0) % self.size for one in sums):
            return False
        self._slopes = {next(iter(group)): 1 for group in self.groups if len(group) == 1}
        loops = {stmt.var for stmt in walk_stmts(body) if isinstance(stmt, Loop)}
        for one in sums:
            self._infer(one, loops)
        along: dict[tuple[str, int], int] = {}
        for one in sums:
            moved = self._moved(one)
            if moved is None:
                return False
            if one.place is not None and along.setdefault(one.place, moved) != moved:
                return False
            if one.place is None and moved and self._is_relative(one):
                return False
        return True

    def _is_relative(self, one: Sum) -> bool:
        several = {name for group in self.groups for name in group}
        return any(name in self._slopes or name in several for name in one.factors)

    def _infer(self, one: Sum, loops: set[str]) -> None:
        """Take a variable that stands beside `o` without another reason as relative."""
        times = one.factors.get(self.var, 0) // self.size
        moved = self._moved(one)
        if not times or one.place is not None or not moved:
            return
        several = {name for group in self.groups for name in group}
        unknown = [name for name in one.factors if name in loops - several and name not in self._slopes]
        if len(unknown) == 1 and -moved % one.factors[unknown[0]] == 0:
            self._slopes[unknown[0]] = -moved // one.factors[unknown[0]]

    def _moved(self, one: Sum) -> int | None:
        """Count the positions of the tile's start that are in a sum without being written.

        None when part of a position stands without the rest.
        """
        hidden = -(one.factors.get(self.var, 0) // self.size)
        for name, factor in one.factors.items():
            hidden += factor * self._slopes.get(name, 0)
        for group in self.groups:
            if len(group) > 1 and any(name in one.factors for name in group):
                times = {one.factors.get(name, 0) / weight for name, weight in group.items()}
                if len(times) > 1 or not times.copy().pop().is_integer():
                    return None
                hidden += int(times.pop())
        return hidden

    def _sums_of(self, stmt: Stmt) -> Iterator[Sum]:
        match stmt:
            case Store(buffer=buffer, indices=indices, value=value):
                yield from self._indices(buffer, indices)
                yield from self._sums(value)
            case Update(buffer=buffer, indices=indices, value=value, position=position, best=best):
                yield from self._indices(buffer, indices)
                if best:
                    yield from self._indices(best, indices)
                yield from self._sums(value)
                if position is not None:
                    yield from self._sums(position)
            case Guard(condition=condition):
                yield from self._sums(condition)
            case Let(value=value):
                yield from self._sums(value)
            case _:
                return

    def _indices(self, buffer: str, indices: tuple[Expr, ...]) -> Iterator[Sum]:
        for axis, index in enumerate(indices):
            yield from self._sum(index, (buffer, axis) if buffer in self.own else None)

    def _sums(self, node: Expr) -> Iterator[Sum]:
        match node:
            case Read(tensor=tensor, indices=indices):
                yield from self._indices(tensor, indices)
            case Axis() | Binary(op="+" | "-" | "*") | Unary(op="-") if node.dtype is I32:
                yield from self._sum(node, None)
            case _:
                for part in children(node):
                    yield from self._sums(part)

    def _sum(self, node: Expr, place: Place) -> Iterator[Sum]:
        total = linear(node)
        for term, _ in total.terms:
            if not isinstance(term, Axis):
                parts = children(term) if term == node else (term,)
                for part in parts:
                    yield from self._sums(part)
        yield Sum(place, {t.name: k for t, k in total.terms if isinstance(t, Axis)})
