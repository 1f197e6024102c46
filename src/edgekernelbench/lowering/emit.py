"""Writes the directives of one nest for a CPU."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from math import prod

from edgekernelbench.ir.expr import Reduction
from edgekernelbench.ir.schedule import Unroll, Vectorize
from edgekernelbench.lowering.access import affine, jumps, movement, uses
from edgekernelbench.lowering.choices import DEFAULT, Choices, decided
from edgekernelbench.lowering.dots import INSTRUCTION, STEPS, DotForm, choose_dot, dot_tiles, store_dot
from edgekernelbench.lowering.fields import turned
from edgekernelbench.lowering.survey import Survey, View
from edgekernelbench.lowering.tile import LATENCY, Freedom, Tile, choose_tile, key_of, lanes_of, list_tiles
from edgekernelbench.lowering.vectors import across, whole, wide_axis
from edgekernelbench.lowering.writer import Writer
from edgekernelbench.profiles.profile import Profile

PARALLEL_WORK = 100_000
"""Operations under which waking the threads costs more than it brings."""

SCALAR = 1.5
"""Cycles of a step of a sum of integers, which waits for nothing; along memory compilers make it a vector."""

BATCH = 8
"""Neighbouring sums that are finished together, so that their last additions do not wait for each other."""

LONG_REDUCTION = 512
"""From this length on, a split reduction keeps several vectors of partial results."""


@dataclass
class Emitter:
    """What the rules of one text share.

    Attributes:
        found: What has to be scheduled.
        profile: The device.
        writer: Where directives go.
        packed: Layouts given so far: a tensor has one.
        last: For each stage that was stored with another axis innermost, which.
        extents: Iterations of each loop that was named.
        inner: Loops that may not be parallel: reductions, vectors, unrolled ones.
        choices: What is decided otherwise than by the rules.
        offered: For each reduction that was tiled, the extents and freedom with which its tile was chosen.
        dotted: For each reduction that is left to an instruction, how it fits it.
        fours: For each of them, the loop of the four steps.
        streams: Bytes of each weight that is larger than the caches.
    """

    found: Survey
    profile: Profile
    writer: Writer
    packed: dict[str, tuple[int, int]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    extents: dict[str, int] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)
    choices: Choices = DEFAULT
    offered: dict[str, tuple[Mapping[str, int], Freedom]] = field(default_factory=dict)
    dotted: dict[str, DotForm] = field(default_factory=dict)
    fours: dict[str, str] = field(default_factory=dict)
    streams: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        """Find the weights that no cache keeps."""
        sizes = {p.name: prod(p.shape) * p.dtype.bits // 8 for p in self.found.params.values() if p.const}
        self.streams = {n: s for n, s in sizes.items() if s > self.profile.cache_bytes[-1]}

    def tile(self, view: View, fixed: frozenset[str]) -> Tile | None:
        """Choose the tile of a reduction whose `fixed` axes a loop outside holds."""
        if not view.reduced:
            return None
        extents = {a: 1 if a in fixed else n for a, n in zip(view.stage.axes, view.stage.shape, strict=True)}
        self.offered[view.name] = (extents, self.freedom)
        self.dotted.pop(view.name, None)
        if self.choices.dots:
            tiles, key = (
                dot_tiles(view, extents, self.freedom, self.profile),
                self.choices.tiles.get(view.name),
            )
            if dot := choose_dot(tiles, self.packed.keys() | self.found.outputs, key):
                self.dotted[view.name] = dot[1]
                return dot[0]
        found = self._wanted(view, extents) or choose_tile(view, extents, self.freedom, self.profile)
        if found is not None or self.along(view) is not None:
            return found
        found = choose_tile(view, extents, replace(self.freedom, gathers=True), self.profile)
        held = prod(view.sizes[a] for a in fixed)
        return found if found is not None and found.cycles * held < self.untiled(view) else None

    def _wanted(self, view: View, extents: Mapping[str, int]) -> Tile | None:
        """Find the tile that was chosen otherwise; None when there is no such choice, or no such tile."""
        key = self.choices.tiles.get(view.name)
        if key is None:
            return None
        tiles = list_tiles(view, extents, self.freedom, self.profile)
        return next((tile for tile in tiles if key_of(tile) == key), None)

    @property
    def freedom(self) -> Freedom:
        """Say whose storage may be chosen."""
        inner = (v for v in self.found.views if not v.reduced and v.group is None)
        phased = frozenset(v.name for v in inner if v.name not in self.found.outputs)
        return Freedom(self.found.ahead, phased - self.packed.keys(), self.last, self.streams)

    def prepare(self, view: View) -> None:
        """Let what only a reduction reads be stored as that wants it, where nothing else makes a vector."""
        sources = {r.tensor for r in view.reads}
        turned = {
            v.name: v
            for v in self.found.views
            if v.name in sources
            and not v.reduced
            and v.group is None
            and v.name not in self.found.outputs
            and len(self.found.readers(v.name)) == 1
        }
        if view.group is not None or not turned or not view.reduced or self.along(view) is not None:
            return
        extents = dict(zip(view.stage.axes, view.stage.shape, strict=True))
        if choose_tile(view, extents, self.freedom, self.profile) is not None:
            return
        freedom = replace(self.freedom, ahead=self.found.ahead | turned.keys())
        tile = choose_tile(view, extents, freedom, self.profile)
        if tile is None:
            return
        mine = [n for n in tile.packs if n in turned]
        copies = sum(prod(turned[n].stage.shape) for n in mine)
        if tile.cycles + copies < price(view, frozenset(), self):
            for name in mine:
                self.innermost(turned[name], turned[name].stage.axes[tile.packs[name]])

    def untiled(self, view: View) -> float:
        """Price a reduction whose data axes are no vectors."""
        steps = prod(view.sizes.values())
        if self.along(view) is None:
            if view.stage.dtype.is_float:
                return float(LATENCY * steps)
            return steps * (SCALAR if any(jumps(r, view.reduced[-1]) for r in view.reads) else SCALAR / 4)
        lanes = lanes_of(view, self.profile)
        return steps / lanes * LATENCY / 2 + LATENCY * lanes.bit_length() * prod(view.stage.shape) / BATCH

    def own(self, view: View, fixed: frozenset[str]) -> list[str]:
        """Name the loops of the data axes that nothing outside fixes."""
        return [self.loop(view, a) for a in view.stage.axes if a not in fixed]

    def loop(self, view: View, axis: str) -> str:
        """Name the loop of an axis, noting its extent and kind."""
        name = f"{view.name}.{axis}"
        self.extents[name] = view.sizes[axis]
        if axis in view.reduced:
            self.inner.add(name)
        return name

    def split(self, view: View, axis: str, width: int) -> tuple[str, str]:
        """Split an axis unless it is as wide as asked, noting the extents of both loops."""
        name = self.loop(view, axis)
        outer, inner = self.writer.split(name, width)
        self.extents[outer] = -(-view.sizes[axis] // width)
        self.extents[inner] = width
        self.inner.add(inner)
        return outer, inner

    def turn(self, name: str, dim: int) -> None:
        """Store a tensor with one of its axes innermost."""
        if name in self.packed:
            return
        rank = len(self.found.params[name].shape)
        self.packed[name] = (dim, 1)
        self.last[name] = dim
        self.writer.permute(name, rank, (*(d for d in range(rank) if d != dim), dim))

    def store(self, tile: Tile, view: View) -> None:
        """Give what a tile reads the order it wants, unless it has one already."""
        if (form := self.dotted.get(view.name)) is not None:
            self.packed |= store_dot(tile, form, self.writer)
            return
        for name, dim in turned(self.found, [view], tile.vector):
            self.turn(name, dim)
        for tensor, step in tile.phases.items():
            read = next(r for r in view.reads if r.tensor == tensor)
            self.packed[tensor] = (len(read.indices) - 1, step)
            self.writer.phase(tensor, len(read.indices), step)
            along = affine(read.indices[-1]) or {}
            self.writer.mark(Unroll, *(f"{view.name}.{a}" for a in along if a in view.reduced))
        for tensor, dim in tile.packs.items():
            rank = next(len(r.indices) for r in view.reads if r.tensor == tensor)
            if tensor not in self.packed:
                self.packed[tensor] = (dim, tile.width)
                # A last tile that overlaps the one before starts inside a panel, so panels must divide.
                panel = tile.width if view.sizes[tile.vector] % tile.width == 0 else None
                self.writer.pack(tensor, rank, dim, panel, self._pair(tensor, dim))

    def _pair(self, tensor: str, dim: int) -> int | None:
        """Of 4-bit weights, find the axis whose pairs share a byte, so that vectors read whole bytes."""
        param = self.found.params.get(tensor)
        if param is None or param.dtype.bits != 4:
            return None
        shape = param.shape
        return next((d for d in reversed(range(len(shape))) if d != dim and shape[d] % 2 == 0), None)

    def tiled(self, view: View, tile: Tile, fixed: frozenset[str]) -> list[str]:
        """Write a reduction that keeps its own tile of accumulators; give its loops in order."""
        self.store(tile, view)
        outer: list[str] = []
        inner: list[str] = []
        for axis in view.stage.axes:
            if axis in fixed:
                continue
            if axis not in (tile.vector, tile.unroll):
                outer.append(self.loop(view, axis))
                continue
            if axis == tile.vector and tile.phase > 1:
                beside, i = self._split_phase(view, tile)
                outer += beside
            else:
                o, i = self.split(view, axis, tile.width if axis == tile.vector else tile.count)
                outer.append(o)
            inner.insert(len(inner) if axis == tile.vector else 0, i)
        steps = self.steps(view, conditions_first(view))
        self.mark_tile(view, inner, tile)
        self.writer.accumulate(view.name)
        if tile.phase > 1 and view.name not in self.found.outputs:
            self.writer.phase(view.name, len(view.stage.axes), tile.phase)
        elif not view.ordered:
            self.innermost(view, tile.vector)
        return [*outer, *steps, *inner, *self.four(view)]

    def steps(self, view: View, axes: list[str]) -> list[str]:
        """Name the loops of a reduction in order, some steps of the last one unrolled where chosen."""
        if (form := self.dotted.get(view.name)) is not None:
            outer, self.fours[view.name] = self.split(view, form.depth, STEPS)
            return [outer if a == form.depth else self.loop(view, a) for a in axes]
        loops = [self.loop(view, a) for a in axes]
        count = decided(self.choices.steps, view.name) or 1
        unrolled = any(
            isinstance(one, Unroll) and set(loops) & set(one.loops) for one in self.writer.schedule
        )
        if count < 2 or not loops or unrolled:
            return loops
        if count >= view.sizes[axes[-1]]:
            self.writer.mark(Unroll, loops[-1])
            return loops
        outer, inner = self.split(view, axes[-1], count)
        self.inner.add(outer)
        self.writer.mark(Unroll, inner)
        return [*loops[:-1], outer, inner]

    def _split_phase(self, view: View, tile: Tile) -> tuple[list[str], str]:
        """Split an axis into phases and, along each, vectors; give the loops outside and the vector's."""
        name = self.loop(view, tile.vector)
        size = view.sizes[tile.vector] // tile.phase
        if tile.width < size:
            beyond, vector, phase = self.writer.split(name, tile.width, tile.phase)
            self.extents[beyond] = size // tile.width
            outer = [phase, beyond]
        else:
            vector, phase = self.writer.split(name, tile.phase)
            outer = [phase]
        self.extents[phase] = tile.phase
        self.extents[vector] = tile.width
        self.inner.add(vector)
        return outer, vector

    def four(self, view: View) -> list[str]:
        """Name the loop of the steps that an instruction does; nothing for other sums."""
        return [self.fours[view.name]] if view.name in self.dotted else []

    def mark_tile(self, view: View, inner: list[str], tile: Tile) -> None:
        """Mark the loops of a tile, the vector's last."""
        if four := self.four(view):
            self.writer.tensorize(INSTRUCTION, inner[-1], *four)
        else:
            self.writer.mark(Vectorize, inner[-1])
        if tile.unroll is not None:
            self.writer.mark(Unroll, inner[0])

    def split_reduction(self, view: View, fixed: frozenset[str], at: str | None) -> list[str]:
        """A reduction along memory: one vector of partial results, then their sum."""
        data = self.own(view, fixed)
        axis = self.along(view)
        if axis is None:
            return [*data, *(self.loop(view, a) for a in conditions_first(view))]
        lanes = lanes_of(view, self.profile)
        wanted = decided(self.choices.lanes, view.name) or (1 if view.sizes[axis] < LONG_REDUCTION else 4)
        width = lanes * wanted
        ro, ri = self.split(view, axis, width)
        part = self.writer.rfactor(ri, f"{view.name}_part")
        moved = [f"{part}.{a}" for a in view.reduced if a != axis]
        lane = f"{part}.{ri}"
        self.writer.mark(Vectorize, lane)
        self.inner.add(ri)
        if view.ordered:
            self.writer.accumulate(part)
            self.writer.fold(f"{part}.{view.ordered[0]}", 1)
        names = [f"{part}.{a}" for a in view.stage.axes if a not in view.ordered]
        batches = data and self.extents[data[-1]] >= BATCH and not view.ordered
        last = data.pop() if batches else None
        if last is None:
            self.writer.order(*names, *moved, f"{part}.{ro}", lane)
            home = data[-1] if data else at
            if not view.ordered and home is not None:
                self.writer.compute_at(part, home)
            return [*data, self._few(view, ri, width, home)]
        outer, inner = self.split(view, last.removeprefix(f"{view.name}."), BATCH)
        beside = f"{part}.{last.removeprefix(f'{view.name}.')}"
        self.writer.order(*(n for n in names if n != beside), *moved, f"{part}.{ro}", beside, lane)
        self.writer.mark(Unroll, beside, inner)
        self.writer.compute_at(part, outer)
        return [*data, outer, ri, inner]

    def _few(self, view: View, last: str, width: int, home: str | None) -> str:
        """Bring partial sums together to a few, as a vector, where chosen; give the loop that is left."""
        few = decided(self.choices.few, view.name) or 0
        if view.ordered or home is None or not 1 < few < width or width % few:
            return last
        outer, inner = self.writer.split(last, few)
        self.inner |= {outer, inner}
        part = self.writer.rfactor(inner, f"{view.name}_few")
        self.writer.order(*(f"{part}.{a}" for a in view.stage.axes), f"{part}.{outer}", f"{part}.{inner}")
        self.writer.mark(Vectorize, f"{part}.{inner}")
        self.writer.compute_at(part, home)
        return inner

    def along(self, view: View) -> str | None:
        """Find a reduction axis that every read follows smoothly and that is long enough."""
        found = view.reads
        lanes = lanes_of(view, self.profile)
        for axis in reversed(view.reduced):
            moves = [movement(r, axis, packable=False).kind for r in found]
            if view.sizes[axis] >= lanes and "jumps" not in moves and "unit" in moves:
                return axis
        return None

    def elementwise(self, view: View, fixed: frozenset[str]) -> list[str]:
        """Write the vectors of a stage; give its loops in order."""
        free = [a for a in view.stage.axes if a not in fixed]
        if not free:
            return []
        last, lanes = free[-1], lanes_of(view, self.profile)
        if (dim := self.last.get(view.name)) is not None and (axis := view.stage.axes[dim]) in free:
            return self._vectors(view, [*(a for a in free if a != axis), axis])
        if view.sizes[last] >= lanes:
            return self._vectors(view, free)
        if wide := wide_axis(view, free, lanes, self.found):
            self.innermost(view, wide)
            return self._vectors(view, [*(a for a in free if a != wide), wide])
        loops = [self.loop(view, a) for a in free]
        if whole(view, last):
            self.writer.mark(Vectorize, loops[-1])
            self.inner.add(loops[-1])
        elif long := across(view, free, lanes):
            self.writer.mark(Unroll, loops[-1])
            self.inner.add(loops[-1])
            outer, inner = self._vector(f"{view.name}.{long}", lanes)
            return [*loops[:-2], outer, loops[-1], inner]
        return loops

    def _vectors(self, view: View, axes: list[str]) -> list[str]:
        loops = [self.loop(view, a) for a in axes]
        return [*loops[:-1], *self._vector(loops[-1], lanes_of(view, self.profile))]

    def _vector(self, loop: str, width: int) -> tuple[str, str]:
        outer, inner = self.writer.split(loop, width)
        self.extents[outer] = -(-self.extents[loop] // width)
        self.extents[inner] = width
        self.inner.add(inner)
        self.writer.mark(Vectorize, inner)
        return outer, inner

    def innermost(self, view: View, axis: str) -> None:
        """Store a stage so that an axis is contiguous."""
        axes = view.stage.axes
        if view.name in self.found.outputs or axes[-1] == axis:
            return
        dim = axes.index(axis)
        self.last[view.name] = dim
        self.writer.permute(view.name, len(axes), (*(d for d in range(len(axes)) if d != dim), dim))


def conditions_first(view: View) -> list[str]:
    """Order reduction axes so that conditions are tested outside of what they do not hang on."""
    over = view.value.over if isinstance(view.value, Reduction) else ()
    tested = [condition for o in over for condition in o.conditions]
    return sorted(view.reduced, key=lambda a: not any(uses(c, a) for c in tested))


def price(view: View, fixed: frozenset[str], emitter: Emitter) -> float:
    """Price a reduction with some axes fixed, over the whole stage, in cycles of the model."""
    tile = emitter.tile(view, fixed)
    if tile is not None:
        return tile.cycles * prod(view.sizes[a] for a in fixed)
    return emitter.untiled(view)
