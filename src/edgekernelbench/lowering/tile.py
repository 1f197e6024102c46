"""The register tile of a reduction: which axis is the vector, which is unrolled, how wide.

Nothing is searched by running: every pair of axes and widths is priced by a small model of one core (two
multiply-adds and two loads a cycle, a latency of four), and the cheapest is taken.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, prod

from edgekernelbench.ir.expr import Read
from edgekernelbench.lowering.access import Movement, affine, movement, reads, uses
from edgekernelbench.lowering.survey import View
from edgekernelbench.profiles.profile import Profile

LATENCY = 4
"""Cycles until a multiply-add can be used; with fewer accumulators the core waits."""

PORTS = 2
"""Vector operations, and loads, of one cycle."""

LOAD = 0.05
"""What a load costs even where it hides behind arithmetic: it decides between equals."""

STEP = 0.5
"""Cycles of one step of the reduction loop itself."""

SPARE_REGISTERS = 6
"""Registers left for operands."""

UNALIGNED = 1.2
"""What a vector load that crosses lines costs, against one that does not."""

LONGEST_PHASE = 8
"""A reduction axis beside a strided one is unrolled up to here, so that its phase is a constant."""

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
        phases: Stages that are read with a stride along `vector`, with that stride: each phase is stored
            by itself, and the reduction axes of that index are unrolled.
        cycles: The price by the model.
    """

    vector: str
    width: int
    unroll: str | None
    count: int
    packs: Mapping[str, int]
    phases: Mapping[str, int]
    cycles: float


@dataclass(frozen=True, slots=True)
class Freedom:
    """Whose storage the lowering may choose.

    Attributes:
        ahead: Tensors whose layout is free: weights and what is precomputed.
        phased: Elementwise stages, such as a padding, that may be stored phase by phase.
        last: For stages that were stored with another axis innermost, which.
    """

    ahead: frozenset[str]
    phased: frozenset[str]
    last: Mapping[str, int]


def choose_tile(view: View, extents: Mapping[str, int], freedom: Freedom, profile: Profile) -> Tile | None:
    """Choose the tile of a reduction.

    Args:
        view: The reducing stage.
        extents: Size of each of its data axes; 1 where a loop outside fixes it.
        freedom: Whose storage may be chosen.
        profile: Vector width and registers.

    Returns:
        The cheapest tile; None when no data axis can be a vector.
    """
    found = [
        tile
        for axis, size in extents.items()
        if size > 1
        for tile in _tiles(view, axis, extents, freedom, profile)
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
    view: View, axis: str, extents: Mapping[str, int], freedom: Freedom, profile: Profile
) -> Iterator[Tile]:
    found = list(reads(view.value))
    moves = [
        (r, movement(r, axis, packable=r.tensor in freedom.ahead, last=freedom.last.get(r.tensor)))
        for r in found
    ]
    if not all(_usable(r, m, view, freedom) for r, m in moves) or all(m.kind == "still" for _, m in moves):
        return
    rests = [m.step for _, m in moves if m.kind == "rests"]
    packs = {
        r.tensor: _dim(r, axis)
        for r, m in moves
        if m.kind in ("unit", "packs") and r.tensor in freedom.ahead and affine(r.indices[_dim(r, axis)])
    }
    phases = {r.tensor: m.step for r, m in moves if m.kind == "strides"}
    others = [a for a, n in extents.items() if n > 1 and a != axis]
    lanes = lanes_of(view, profile)
    budget = profile.vector_registers - SPARE_REGISTERS
    for width in widths(extents[axis], lanes):
        vectors = ceil(width / lanes)
        if rests and (any(rest % width for rest in rests) or extents[axis] % width):
            continue  # a vector would reach over the end of a rest
        for unroll in [None, *others]:
            for count in UNROLLS if unroll else (1,):
                if unroll and not 1 < count <= extents[unroll]:
                    continue
                if count * vectors <= budget:
                    tile = Tile(axis, width, unroll, count, packs, phases, 0.0)
                    yield _priced(tile, view, extents, found, lanes)


def _usable(read: Read, move: Movement, view: View, freedom: Freedom) -> bool:
    if move.kind != "strides":
        return move.kind != "jumps"
    along = affine(read.indices[-1]) or {}
    short = all(view.sizes[a] <= LONGEST_PHASE for a in along if a in view.reduced)
    return read.tensor in freedom.phased and short


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
    cycles = max(tile.count * vectors / PORTS, loads / PORTS, LATENCY) + LOAD * loads + STEP
    tiles = prod(
        ceil(n / (tile.width if a == tile.vector else tile.count if a == tile.unroll else 1))
        for a, n in extents.items()
    )
    total = cycles * steps * tiles
    if view.stage.axes[-1] != tile.vector:  # the result is stored across the vectors
        total += prod(extents.values())
    return replace(tile, cycles=total)
