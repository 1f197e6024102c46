"""Accesses whose lanes are not neighbours in memory.

Those in a fixed pattern are vectors and a shuffle, others one gather where the CPU has it. TVM would take all
of them lane by lane.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tvm import tirx

from edgekernelbench.compiler.rewrite import axes_of, replaced
from edgekernelbench.compiler.tvm.values import Node, Value, constant, llvm_pure, number
from edgekernelbench.ir.expr import Literal
from edgekernelbench.nest.linear import Linear
from edgekernelbench.nest.linear import number as whole

MOST_BLOCKS = 4
"""A pattern spread over more vectors than this is taken lane by lane."""
SHORTEST_RUN = 4
"""A store whose runs of neighbours are shorter is made lane by lane."""

_GATHERS = {
    ("float32", 16): ("llvm.x86.avx512.mask.gather.dps.512", 4),
    ("int32", 16): ("llvm.x86.avx512.mask.gather.dpi.512", 4),
    ("float64", 8): ("llvm.x86.avx512.mask.gather.dpd.512", 8),
    ("int64", 8): ("llvm.x86.avx512.mask.gather.dpq.512", 8),
}
"""Gathers by 32-bit positions, with the bytes of an element."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Positions of the lanes of one access.

    Attributes:
        base: The part that is the same for all lanes.
        offsets: What each lane adds.
    """

    base: Linear
    offsets: tuple[int, ...]

    def moved(self, by: int) -> Linear:
        """Give the base moved by some elements."""
        return Linear(self.base.terms, self.base.constant + by)


def find_pattern(
    place: Linear, var: str, count: int, ranges: Mapping[str, tuple[int, int]]
) -> Pattern | None:
    """Find how the lanes of an access lie.

    Args:
        place: The position, in elements.
        var: The vector loop.
        count: Its lanes.
        ranges: Ranges of variables.

    Returns:
        The pattern; None when it depends on more than the lane.
    """
    varying = [(term, k) for term, k in place.terms if var in axes_of(term)]
    base = Linear(tuple(pair for pair in place.terms if pair not in varying), place.constant)
    offsets = []
    for lane in range(count):
        total = 0
        for term, k in varying:
            value = replaced(term, {var: whole(lane)}, ranges)
            if not isinstance(value, Literal):
                return None
            total += int(value.value) * k
        offsets.append(total)
    return Pattern(base, tuple(offsets))


def blocks(offsets: tuple[int, ...]) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """Cover the positions of a load by vectors that reach no further than its lanes do.

    Args:
        offsets: The position of each lane.

    Returns:
        Where the vectors start, and for each lane its place among all their elements; None when there would
        be too many vectors.
    """
    lanes, low, high = len(offsets), min(offsets), max(offsets)
    if high - low + 1 < lanes:
        return None
    count = -(-(high - low + 1) // lanes)
    if count > MOST_BLOCKS:
        return None
    starts = [min(low + n * lanes, high - lanes + 1) for n in range(count)]
    chosen = []
    for offset in offsets:
        block = max(n for n in range(count) if starts[n] <= offset < starts[n] + lanes)
        chosen.append(block * lanes + offset - starts[block])
    return tuple(starts), tuple(chosen)


def runs(offsets: tuple[int, ...]) -> list[tuple[int, tuple[int, ...]]]:
    """Sort the lanes of a store into runs of neighbours: where each starts, and its lanes in order."""
    ordered = sorted(range(len(offsets)), key=lambda lane: offsets[lane])
    found: list[tuple[int, tuple[int, ...]]] = []
    for lane in ordered:
        start, members = found[-1] if found else (0, ())
        if members and offsets[lane] == start + len(members):
            found[-1] = (start, (*members, lane))
        else:
            found.append((offsets[lane], (lane,)))
    return found


def shuffled(parts: list[Node], lanes: tuple[int, ...], kind: str) -> Value:
    """Take lanes of some vectors, counted through."""
    node = tirx.Shuffle(parts, [number(lane) for lane in lanes])
    return Value(node, kind, len(lanes))


def gather(buffer: Node, kind: str, index: Value, features: frozenset[str]) -> Value | None:
    """Read lanes from anywhere by one instruction.

    Args:
        buffer: The TIR buffer.
        kind: Its element type.
        index: A position for each lane.
        features: What the CPU has.

    Returns:
        The lanes; None when there is no such instruction.
    """
    found = _GATHERS.get((kind, index.lanes))
    if found is None or "avx512f" not in features:
        return None
    name, size = found
    start = Value(tirx.address_of(tirx.BufferLoad(buffer, [number(0)])), "handle")
    nothing = constant(0, kind).spread(index.lanes)
    every = constant(1, "bool").spread(index.lanes)
    return llvm_pure(name, nothing, nothing, start, index, every, Value(number(size), "int32"))
