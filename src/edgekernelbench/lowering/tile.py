"""The register tile of a reduction: which axis is the vector, which is unrolled, how wide.

Nothing is searched by running: every pair of axes and widths is priced by a small model of one core (two
multiply-adds and two loads a cycle, a latency of four), and the cheapest is taken.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, prod

from edgekernelbench.ir.expr import Read
from edgekernelbench.lowering.access import movement, reads, uses
from edgekernelbench.lowering.survey import View
from edgekernelbench.profiles.profile import Profile

LATENCY = 4
"""Cycles until a multiply-add can be used; with fewer accumulators the core waits."""

PORTS = 2
"""Vector operations, and loads, of one cycle."""

SPARE_REGISTERS = 6
"""Registers left for operands."""

UNALIGNED = 1.2
"""What a vector load that crosses lines costs, against one that does not."""

UNROLLS = (1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14, 16)
"""Widths tried for the unrolled axis."""


@dataclass(frozen=True, slots=True)
class Tile:
    """A decision.

    Attributes:
        vector: The axis that is a vector.
        width: Elements along it.
        unroll: The axis that is unrolled; None when there is none worth it.
        count: Iterations along it.
        packs: Tensors whose stored order makes them contiguous along `vector`, by dimension.
        cycles: The price by the model.
    """

    vector: str
    width: int
    unroll: str | None
    count: int
    packs: Mapping[str, int]
    cycles: float


def choose_tile(
    view: View, extents: Mapping[str, int], ahead: frozenset[str], profile: Profile
) -> Tile | None:
    """Choose the tile of a reduction.

    Args:
        view: The reducing stage.
        extents: Size of each of its data axes; 1 where a loop outside fixes it.
        ahead: Tensors whose layout is free.
        profile: Vector width and registers.

    Returns:
        The cheapest tile; None when no data axis can be a vector.
    """
    lanes = lanes_of(view, profile)
    found = [
        tile
        for axis, size in extents.items()
        if size > 1
        for tile in _tiles(view, axis, extents, ahead, lanes, profile)
    ]
    return min(found, key=lambda t: t.cycles, default=None)


def lanes_of(view: View, profile: Profile) -> int:
    """Count the elements of one vector register; narrow integers compute in 32 bits."""
    return max(2, profile.vector_bytes * 8 // max(32, view.stage.dtype.bits))


def widths(size: int, lanes: int) -> tuple[int, ...]:
    """List the vector widths to try on an axis: whole registers, or a smaller power of two."""
    if size >= lanes:
        return tuple(lanes * n for n in (1, 2, 3, 4) if lanes * n <= size)
    return tuple(w for w in (2, 4, 8, 16, 32) if w == size)


def _tiles(
    view: View,
    axis: str,
    extents: Mapping[str, int],
    ahead: frozenset[str],
    lanes: int,
    profile: Profile,
) -> Iterator[Tile]:
    found = list(reads(view.value))
    moves = [(r, movement(r, axis, packable=r.tensor in ahead)) for r in found]
    if any(m.kind == "jumps" for _, m in moves) or not any(m.kind != "still" for _, m in moves):
        return
    packs = {
        r.tensor: _dim(r, axis) for r, m in moves if m.smooth and m.kind != "still" and r.tensor in ahead
    }
    others = [a for a, n in extents.items() if n > 1 and a != axis]
    budget = profile.vector_registers - SPARE_REGISTERS
    for width in widths(extents[axis], lanes):
        vectors = ceil(width / lanes)
        for unroll in [None, *others]:
            for count in UNROLLS if unroll else (1,):
                if unroll and not 1 < count <= extents[unroll]:
                    continue
                if count * vectors <= budget:
                    tile = Tile(axis, width, unroll, count, packs, 0.0)
                    yield _priced(tile, view, extents, found, lanes)


def _dim(read: Read, axis: str) -> int:
    return next(d for d, index in enumerate(read.indices) if uses(index, axis))


def _priced(tile: Tile, view: View, extents: Mapping[str, int], found: list[Read], lanes: int) -> Tile:
    vectors = ceil(tile.width / lanes)
    loads = 0.0
    for read in found:
        moves = tile.unroll is not None and any(uses(i, tile.unroll) for i in read.indices)
        times = float(tile.count if moves else 1)
        if any(uses(i, tile.vector) for i in read.indices):
            times *= vectors if read.tensor in tile.packs else vectors * UNALIGNED
        loads += times
    steps = prod(view.sizes[a] for a in view.reduced)
    cycles = max(tile.count * vectors / PORTS, loads / PORTS, LATENCY)
    tiles = prod(
        ceil(n / (tile.width if a == tile.vector else tile.count if a == tile.unroll else 1))
        for a, n in extents.items()
    )
    total = cycles * steps * tiles
    if view.stage.axes[-1] != tile.vector:  # the result is stored across the vectors
        total += prod(extents.values())
    return Tile(tile.vector, tile.width, tile.unroll, tile.count, tile.packs, total)
