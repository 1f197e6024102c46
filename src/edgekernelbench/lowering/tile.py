"""The register tile of a reduction: which axis is the vector, which is unrolled, how wide.

Nothing is searched by running: every pair of axes and widths is priced by a small model of one core (two
multiply-adds and two loads a cycle, a latency of four), and the cheapest is taken.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from math import ceil, prod

from edgekernelbench.ir.expr import Read
from edgekernelbench.lowering.access import Movement, affine, axes_of, movement, uses
from edgekernelbench.lowering.choices import TileKey
from edgekernelbench.lowering.phases import along_phase, divisor
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

GATHER = 50
"""What a load costs whose lanes lie anywhere, in loads."""

BANDWIDTH = 8
"""Bytes a cycle from beyond the caches."""

SCATTERED = 4
"""How much slower weights come that are not in panels, each row a page of its own."""

MOST_VECTORS = 8
"""Vectors that an axis may take as a whole where its size is no multiple of one."""

LONGEST_PHASE = 8
"""A reduction axis beside a strided one is unrolled up to here, so that its phase is a constant."""

UNROLLS = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16)
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
        phase: What `vector` is divided by: it is split by that, and the outer loop is the vector.
        cycles: The price by the model.
    """

    vector: str
    width: int
    unroll: str | None
    count: int
    packs: Mapping[str, int]
    phases: Mapping[str, int]
    phase: int
    cycles: float


@dataclass(frozen=True, slots=True)
class Freedom:
    """Whose storage the lowering may choose.

    Attributes:
        ahead: Tensors whose layout is free: weights and what is precomputed.
        phased: Elementwise stages, such as a padding, that may be stored phase by phase.
        last: For stages that were stored with another axis innermost, which.
        streams: Bytes of weights that no cache keeps.
        gathers: Whether the lanes of a read may lie anywhere.
    """

    ahead: frozenset[str]
    phased: frozenset[str]
    last: Mapping[str, int]
    streams: Mapping[str, int]
    gathers: bool = False


def key_of(tile: Tile) -> TileKey:
    """Name a tile without its price."""
    return TileKey(tile.vector, tile.width, tile.unroll, tile.count)


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
    return min(list_tiles(view, extents, freedom, profile), key=lambda t: t.cycles, default=None)


def list_tiles(view: View, extents: Mapping[str, int], freedom: Freedom, profile: Profile) -> Iterator[Tile]:
    """List all tiles of a reduction with their prices; see `choose_tile`."""
    for axis, size in extents.items():
        if size > 1:
            for phase in {1, divisor(view.value, axis)}:
                if size % phase == 0 and (phase == 1 or axis == view.stage.axes[-1]):
                    yield from _tiles(view, (axis, phase), extents, freedom, profile)


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
    along: tuple[str, int],
    extents: Mapping[str, int],
    freedom: Freedom,
    profile: Profile,
) -> Iterator[Tile]:
    axis, phase = along
    found = view.reads
    moves = [
        (r, movement(one, axis, packable=r.tensor in freedom.ahead, last=freedom.last.get(r.tensor)))
        for r in found
        for one in [along_phase(r, axis, phase)]
    ]
    jumps = [r for r, m in moves if not _usable(r, m, view, freedom)]
    if (jumps and not freedom.gathers) or all(m.kind == "still" for _, m in moves):
        return
    rests = [m.step for _, m in moves if m.kind == "rests"]
    packs = {
        r.tensor: _dim(r, axis)
        for r, m in moves
        if m.kind in ("unit", "packs") and r.tensor in freedom.ahead and affine(r.indices[_dim(r, axis)])
    }
    phases = {r.tensor: m.step for r, m in moves if m.kind == "strides" and r not in jumps}
    loads = [(axes_of(r), _load(m, packed=r.tensor in packs, whole=r not in jumps)) for r, m in moves]
    streams = [(axes_of(r), freedom.streams[r.tensor]) for r in found if r.tensor in freedom.streams]
    others = [a for a, n in extents.items() if n > 1 and a != axis]
    shared = {a for a in others if any(a not in places for places, _ in loads)}
    lanes = lanes_of(view, profile)
    budget = profile.vector_registers - SPARE_REGISTERS
    size = extents[axis] // phase
    for width in _phase_widths(size, lanes) if phase > 1 else widths(size, lanes):
        vectors = ceil(width / lanes)
        if rests and (any(rest % width for rest in rests) or size % width):
            continue  # a vector would reach over the end of a rest
        if jumps and width != lanes:
            continue  # gathers and shuffles are instructions of one vector
        for unroll in [None, *others] if phase == 1 else [None]:
            for count in UNROLLS if unroll else (1,):
                if unroll and not 1 < count <= extents[unroll]:
                    continue
                if count * vectors <= (budget if unroll is None or unroll in shared else PORTS * LATENCY):
                    tile = Tile(axis, width, unroll, count, packs, phases, phase, 0.0)
                    yield _priced(tile, view, extents, (loads, streams), lanes)


def _phase_widths(size: int, lanes: int) -> tuple[int, ...]:
    """List the vector widths of a phase: those that divide it, or all of it."""
    whole = (size,) if size >= lanes // 2 and ceil(size / lanes) <= MOST_VECTORS else ()
    return (*(w for w in widths(size, lanes) if size % w == 0 and w != size), *whole)


def _usable(read: Read, move: Movement, view: View, freedom: Freedom) -> bool:
    if move.kind != "strides":
        return move.kind != "jumps"
    along = affine(read.indices[-1]) or {}
    short = all(view.sizes[a] <= LONGEST_PHASE for a in along if a in view.reduced)
    return read.tensor in freedom.phased and short


def _load(move: Movement, *, packed: bool, whole: bool) -> float:
    """Price a vector that is read, in loads of neighbours that lie in one line."""
    if whole:
        return 1.0 if packed else UNALIGNED
    return 2.0 * move.step if move.kind == "strides" else GATHER


def _dim(read: Read, axis: str) -> int:
    return next(d for d, index in enumerate(read.indices) if uses(index, axis))


def _priced(
    tile: Tile,
    view: View,
    extents: Mapping[str, int],
    found: tuple[list[tuple[frozenset[str], float]], list[tuple[frozenset[str], int]]],
    lanes: int,
) -> Tile:
    loads_of, streams = found
    vectors = ceil(tile.width / lanes)
    loads = 0.0
    panels = extents[tile.vector] % tile.width == 0
    for axes, price in loads_of:
        times = float(tile.count if tile.unroll in axes else 1)
        if tile.vector in axes:
            times *= vectors * (price if panels or price > 1.0 else UNALIGNED)
        loads += times
    steps = prod(view.sizes[a] for a in view.reduced)
    cycles = max(tile.count * vectors / PORTS, loads / PORTS, LATENCY) + LOAD * loads + STEP
    counts = {
        a: ceil(n / (tile.width if a == tile.vector else tile.count if a == tile.unroll else 1))
        for a, n in extents.items()
    }
    total = cycles * steps * prod(counts.values())
    for axes, size in streams:
        part = size * prod(extents[a] / view.sizes[a] for a in extents if a in axes)
        passes = prod(n for a, n in counts.items() if a not in axes)
        # The first pass has the same price for all tiles.
        total += part / BANDWIDTH * (passes * (1 if panels else SCATTERED) - 1)
    if view.stage.axes[-1] != tile.vector or tile.phase > 1:  # the result is stored across the vectors
        total += prod(extents.values())
    return replace(tile, cycles=total)
