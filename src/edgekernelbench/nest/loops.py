"""The loops of one stage: how its axes were split and fused, and how their values are put together again."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from math import prod
from types import MappingProxyType

from edgekernelbench.ir.expr import Expr
from edgekernelbench.nest.indices import add, below, floordiv, modulo, scale
from edgekernelbench.nest.linear import Ranges
from edgekernelbench.nest.tree import Kind


@dataclass(frozen=True, slots=True)
class SplitLoop:
    """`outs = split(loop, sizes)`."""

    loop: str
    outs: tuple[str, ...]
    sizes: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FusedLoop:
    """`out = fuse(loops)`."""

    out: str
    loops: tuple[str, ...]


Leaf = Callable[[str], Expr]
"""Gives the value of a loop, or of a loop that was split or fused, as a variable."""


@dataclass(slots=True)
class LoopTable:
    """The loops of a stage.

    Attributes:
        stage: Its name.
        axis_of: The axis of each loop that the stage began with.
        kinds: What each loop enumerates, spent ones too.
        sequence: The final loops, outermost first.
        changes: Splits and fusions, in the order made.
    """

    stage: str
    axis_of: dict[str, str] = field(default_factory=dict)
    kinds: dict[str, Kind] = field(default_factory=dict)
    sequence: list[str] = field(default_factory=list)
    changes: list[SplitLoop | FusedLoop] = field(default_factory=list)

    def begin(self, loop: str, axis: str, kind: Kind) -> None:
        """Add the loop of an axis, innermost."""
        self.axis_of[loop] = axis
        self.kinds[loop] = kind
        self.sequence.append(loop)

    def split(self, change: SplitLoop) -> None:
        """Split a final loop."""
        place = self.sequence.index(change.loop)
        self.sequence[place : place + 1] = change.outs
        self.kinds.update(dict.fromkeys(change.outs, self.kinds[change.loop]))
        self.changes.append(change)

    def fuse(self, change: FusedLoop) -> None:
        """Fuse final loops."""
        self.sequence[self.sequence.index(change.loops[0])] = change.out
        for loop in change.loops[1:]:
            self.sequence.remove(loop)
        self.kinds[change.out] = self.kinds[change.loops[0]]
        self.changes.append(change)

    def drop(self, loops: Iterable[str]) -> None:
        """Forget final loops, and all splits and fusions that only they come from."""
        gone = set(loops)
        self.sequence = [loop for loop in self.sequence if loop not in gone]
        for change in reversed(self.changes):
            made = change.outs if isinstance(change, SplitLoop) else (change.out,)
            if gone.issuperset(made):
                gone.update((change.loop,) if isinstance(change, SplitLoop) else change.loops)
        self.changes = [
            c for c in self.changes if not gone.issuperset(c.outs if isinstance(c, SplitLoop) else (c.out,))
        ]
        self.axis_of = {loop: axis for loop, axis in self.axis_of.items() if loop not in gone}

    def extents(self, counts: Mapping[str, int]) -> dict[str, int]:
        """Give the number of iterations of every loop, spent ones too.

        Args:
            counts: How many positions each axis has.
        """
        found = {loop: counts[axis] for loop, axis in self.axis_of.items()}
        for change in self.changes:
            if isinstance(change, SplitLoop):
                whole = prod(change.sizes)
                found[change.outs[0]] = -(-found[change.loop] // whole)
                found.update(zip(change.outs[1:], change.sizes, strict=True))
            else:
                found[change.out] = prod(found[loop] for loop in change.loops)
        return found

    def values(
        self,
        leaf: Leaf,
        extents: Mapping[str, int],
        ranges: Ranges,
        known: Mapping[str, Expr] = MappingProxyType({}),
    ) -> dict[str, Expr]:
        """Give the value of every loop in terms of the final ones.

        Args:
            leaf: The value of a final loop.
            extents: From `extents`.
            ranges: The ranges of the variables that `leaf` and `known` give.
            known: Values of loops that were split or fused, where they need not be put together.
        """
        found = {loop: leaf(loop) for loop in self.sequence}
        for change in reversed(self.changes):
            if isinstance(change, SplitLoop):
                found[change.loop] = known.get(change.loop) or _recomposed(change, found)
            else:
                rest = 1
                for place, loop in reversed(list(enumerate(change.loops))):
                    value = floordiv(found[change.out], rest, ranges)
                    if place:
                        value = modulo(value, extents[loop], ranges)
                    found[loop] = known.get(loop, value)
                    rest *= extents[loop]
        return found

    def tails(self, values: Mapping[str, Expr], extents: Mapping[str, int], ranges: Ranges) -> list[Expr]:
        """List the conditions that keep loops which do not divide inside their counts, axis by axis."""
        ranks = {loop: place for place, loop in enumerate(self.axis_of)}
        conditions: list[tuple[int, Expr]] = []
        for change in self.changes:
            if isinstance(change, FusedLoop):
                ranks[change.out] = min(ranks[loop] for loop in change.loops)
                continue
            rank = ranks[change.loop]
            ranks.update(dict.fromkeys(change.outs, rank))
            if prod(extents[out] for out in change.outs) > extents[change.loop]:
                conditions.append((rank, below(values[change.loop], extents[change.loop], ranges)))
        return [condition for _, condition in sorted(conditions, key=lambda pair: pair[0])]

    def leaves(self, loop: str) -> frozenset[str]:
        """Name the final loops that a loop was split or fused into."""
        found = {loop}
        for change in self.changes:
            if isinstance(change, SplitLoop):
                if change.loop in found:
                    found.remove(change.loop)
                    found.update(change.outs)
            elif found.intersection(change.loops):
                found.difference_update(change.loops)
                found.add(change.out)
        return frozenset(found)

    def first_reduction(self, sequence: list[str]) -> int:
        """Find the place of the outermost reduction loop; the number of loops when there is none."""
        places = (i for i, loop in enumerate(sequence) if self.kinds[loop] is Kind.REDUCTION)
        return next(places, len(sequence))


def _recomposed(change: SplitLoop, found: Mapping[str, Expr]) -> Expr:
    result = scale(found[change.outs[0]], prod(change.sizes))
    for place, out in enumerate(change.outs[1:], start=1):
        result = add(result, scale(found[out], prod(change.sizes[place:])))
    return result
