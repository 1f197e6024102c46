"""Writes the directives of one nest for a CPU."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod

from edgekernelbench.ir.expr import Axis, Compare, Logic, Reduction
from edgekernelbench.ir.schedule import Parallel, Unroll, Vectorize
from edgekernelbench.lowering.access import affine, has_condition, movement, reads, uses
from edgekernelbench.lowering.nests import Plan, axes_through
from edgekernelbench.lowering.survey import Survey, View
from edgekernelbench.lowering.tile import Freedom, Tile, choose_tile, lanes_of
from edgekernelbench.lowering.writer import Writer
from edgekernelbench.profiles.profile import Profile

PARALLEL_WORK = 30_000
"""Operations under which waking the threads costs more than it brings."""

TASKS_PER_THREAD = 4
"""Parallel iterations wanted for each thread, so that none waits long for the last."""

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
    """

    found: Survey
    profile: Profile
    writer: Writer
    packed: dict[str, tuple[int, int]] = field(default_factory=dict)
    last: dict[str, int] = field(default_factory=dict)
    extents: dict[str, int] = field(default_factory=dict)
    inner: set[str] = field(default_factory=set)

    def tile(self, view: View, fixed: frozenset[str]) -> Tile | None:
        """Choose the tile of a reduction whose `fixed` axes a loop outside holds."""
        extents = {a: 1 if a in fixed else n for a, n in zip(view.stage.axes, view.stage.shape, strict=True)}
        return choose_tile(view, extents, self.freedom, self.profile) if view.reduced else None

    @property
    def freedom(self) -> Freedom:
        """Say whose storage may be chosen."""
        inner = (v for v in self.found.views if not v.reduced and v.group is None)
        phased = frozenset(v.name for v in inner if v.name not in self.found.outputs)
        return Freedom(self.found.ahead, phased - self.packed.keys(), self.last)

    def nest(self, plan: Plan) -> None:
        """Write a root nest with everything inside it."""
        rows = frozenset(plan.rows)
        home = plan.rows[-1] if plan.rows else None
        parallel = self._work(plan) >= PARALLEL_WORK
        if home is not None:
            at = f"{plan.root.name}.{home}"
            for member in plan.members:
                self.writer.compute_at(member.view.name, at)
                self.writer.order(*self._stage(plan, member.view, frozenset(member.rows.values()), at))
            loops = self._stage(plan, plan.root, rows, at)
            outer = [f"{plan.root.name}.{a}" for a in plan.rows]
            self.writer.order(*outer, *loops)
            if parallel:
                self._parallel([(o, plan.root.sizes[a]) for o, a in zip(outer, plan.rows, strict=True)])
        else:
            self._root(plan, parallel=parallel)

    def _work(self, plan: Plan) -> int:
        stages = [plan.root, *(m.view for m in plan.members), *plan.tiled.values()]
        return sum(v.work for v in stages)

    def _root(self, plan: Plan, *, parallel: bool) -> None:
        loops = self._stage(plan, plan.root, frozenset(), None)
        self.writer.order(*loops)
        if parallel:
            self._parallel([(loop, self.extents[loop]) for loop in loops])

    def _parallel(self, loops: list[tuple[str, int]]) -> None:
        wanted = self.profile.threads * TASKS_PER_THREAD
        taken: list[str] = []
        count = 1
        for loop, extent in loops:
            if count >= wanted or loop in self.inner:
                break
            taken.append(loop)
            count *= extent
        if count > 1:
            self.writer.mark(Parallel, *taken)

    def _stage(self, plan: Plan, view: View, fixed: frozenset[str], at: str | None) -> list[str]:
        """Write one stage's own loops and give their final order, without those that are fixed."""
        if view.name in plan.tiled:
            return self._shared_tile(view, plan.tiled[view.name], fixed)
        if isinstance(view.value, Reduction):
            target = scattered(view)
            if target is not None and not fixed:
                return self._scatter(view, target)
            tile = self.tile(view, fixed)
            if tile is None:
                return self._split_reduction(view, fixed, at)
            return self.tiled(view, tile, fixed)
        return self.elementwise(view, fixed)

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

    def store(self, tile: Tile, view: View) -> None:
        """Give what a tile reads the order it wants, unless it has one already."""
        for tensor, step in tile.phases.items():
            read = next(r for r in reads(view.value) if r.tensor == tensor)
            self.packed[tensor] = (len(read.indices) - 1, step)
            self.writer.phase(tensor, len(read.indices), step)
            along = affine(read.indices[-1]) or {}
            self.writer.mark(Unroll, *(f"{view.name}.{a}" for a in along if a in view.reduced))
        for tensor, dim in tile.packs.items():
            rank = next(len(r.indices) for r in reads(view.value) if r.tensor == tensor)
            if tensor not in self.packed:
                self.packed[tensor] = (dim, tile.width)
                # A last tile that overlaps the one before starts inside a panel, so panels must divide.
                panel = tile.width if view.sizes[tile.vector] % tile.width == 0 else None
                self.writer.pack(tensor, rank, dim, panel, self._pair(tensor, dim))

    def _pair(self, tensor: str, dim: int) -> int | None:
        """Of 4-bit weights, find the axis whose pairs share a byte, so that vectors read whole bytes."""
        shape = self.found.nibbles.get(tensor)
        if shape is None:
            return None
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
            width = tile.width if axis == tile.vector else tile.count
            o, i = self.split(view, axis, width)
            outer.append(o)
            inner.insert(len(inner) if axis == tile.vector else 0, i)
        self._mark_tile(inner, tile)
        self.writer.accumulate(view.name)
        if view.stage.axes[-1] != tile.vector and view.name not in self.found.outputs and not view.ordered:
            dim = view.stage.axes.index(tile.vector)
            rank = len(view.stage.axes)
            self.last[view.name] = dim
            self.writer.permute(view.name, rank, (*(d for d in range(rank) if d != dim), dim))
        return [*outer, *(self.loop(view, a) for a in view.reduced), *inner]

    def _mark_tile(self, inner: list[str], tile: Tile) -> None:
        self.writer.mark(Vectorize, inner[-1])
        if tile.unroll is not None:
            self.writer.mark(Unroll, inner[0])

    def _shared_tile(self, reader: View, view: View, fixed: frozenset[str]) -> list[str]:
        """A reduction in the tile of its elementwise reader."""
        through = axes_through(view, reader, {a: a for a in reader.stage.axes}) or {}
        tile = self.tile(view, frozenset(through[a] for a in fixed if a in through))
        if tile is None:
            loops = self.own(reader, fixed)
            return self._at_element(reader, view, loops)
        self.store(tile, view)
        theirs = {mine: row for row, mine in through.items()}
        outer: list[str] = []
        inner: dict[str, str] = {}
        for axis in reader.stage.axes:
            if axis in fixed:
                continue
            mine = through.get(axis)
            if mine == tile.vector or (mine is not None and mine == tile.unroll):
                o, i = self.split(reader, axis, tile.width if mine == tile.vector else tile.count)
                outer.append(o)
                inner[axis] = i
            else:
                outer.append(self.loop(reader, axis))
        at = outer[-1] if outer else f"{reader.name}.{reader.stage.axes[-1]}"
        self.writer.compute_at(view.name, at)
        self._inside(view, tile)
        last = reader.stage.axes[-1]
        tail = [inner[a] for a in sorted(inner, key=lambda a: (a == last, reader.stage.axes.index(a)))]
        if last in inner and (last == theirs[tile.vector] or tile.count in (4, 8, 16)):
            self.writer.mark(Vectorize, inner[last])
        return [*outer, *tail]

    def _inside(self, view: View, tile: Tile) -> None:
        """Order, mark and place a reduction whose box is one tile."""
        name = view.name
        data = [a for a in view.stage.axes if a not in (tile.vector, tile.unroll)]
        inner = [a for a in (tile.unroll, tile.vector) if a is not None]
        self.writer.order(*(f"{name}.{a}" for a in (*data, *view.reduced, *inner)))
        self._mark_tile([f"{name}.{a}" for a in inner], tile)
        if view.stage.axes[-1] != tile.vector:
            dims = tuple(view.stage.axes.index(a) for a in (*data, *inner))
            self.writer.permute(name, len(dims), dims)

    def _at_element(self, reader: View, view: View, loops: list[str]) -> list[str]:
        """A reduction without a vector axis, computed for each element of its reader."""
        at = loops[-1] if loops else f"{reader.name}.{reader.stage.axes[-1]}"
        self.writer.compute_at(view.name, at)
        self.writer.order(*self._split_reduction(view, frozenset(view.stage.axes), at))
        return loops

    def _split_reduction(self, view: View, fixed: frozenset[str], at: str | None) -> list[str]:
        """A reduction along memory: one vector of partial results, then their sum."""
        data = self.own(view, fixed)
        axis = self._along(view)
        if axis is None:
            return [*data, *(self.loop(view, a) for a in _conditions_first(view))]
        lanes = lanes_of(view, self.profile)
        width = lanes * (1 if view.sizes[axis] < LONG_REDUCTION else 4)
        ro, ri = self.split(view, axis, width)
        part = self.writer.rfactor(ri, f"{view.name}_part")
        moved = [f"{part}.{a}" for a in view.reduced if a != axis]
        lane = f"{part}.{ri}"
        self.writer.mark(Vectorize, lane)
        self.inner.add(ri)
        names = [f"{part}.{a}" for a in view.stage.axes]
        last = data.pop() if data and self.extents[data[-1]] >= BATCH else None
        if last is None:
            self.writer.order(*names, *moved, f"{part}.{ro}", lane)
            if data or at is not None:
                self.writer.compute_at(part, data[-1] if data else at or "")
            return [*data, ri]
        outer, inner = self.split(view, last.removeprefix(f"{view.name}."), BATCH)
        beside = f"{part}.{last.removeprefix(f'{view.name}.')}"
        self.writer.order(*(n for n in names if n != beside), *moved, f"{part}.{ro}", beside, lane)
        self.writer.mark(Unroll, beside, inner)
        self.writer.compute_at(part, outer)
        return [*data, outer, ri, inner]

    def _scatter(self, view: View, target: str) -> list[str]:
        """A histogram: one pass over the data, each element straight to its place."""
        axis = view.reduced[0]
        chunks = self.profile.threads
        size = view.sizes[axis] // chunks
        if view.work < PARALLEL_WORK or size <= view.sizes[target]:
            self.writer.scatter(f"{view.name}.{target}")
            return []
        ro, _ = self.split(view, axis, size)
        part = self.writer.rfactor(ro, f"{view.name}_part")
        self.writer.scatter(f"{part}.{target}")
        self.writer.mark(Parallel, f"{part}.{ro}")
        return []

    def _along(self, view: View) -> str | None:
        """Find a reduction axis that every read follows smoothly and that is long enough."""
        found = list(reads(view.value))
        lanes = lanes_of(view, self.profile)
        for axis in reversed(view.reduced):
            moves = [movement(r, axis, packable=False).kind for r in found]
            if view.sizes[axis] >= lanes and "jumps" not in moves and "unit" in moves:
                return axis
        return None

    def elementwise(self, view: View, fixed: frozenset[str]) -> list[str]:
        """Write vectors along the last axis; give the loops in order."""
        free = [a for a in view.stage.axes if a not in fixed]
        if not free:
            return []
        last, lanes = free[-1], lanes_of(view, self.profile)
        loops = [self.loop(view, a) for a in free[:-1]]
        size = view.sizes[last]
        if size >= lanes:
            outer, inner = self.split(view, last, lanes)
            self.writer.mark(Vectorize, inner)
            return [*loops, outer, inner]
        name = self.loop(view, last)
        if size in (2, 4, 8) and not has_condition(view.value):
            self.writer.mark(Vectorize, name)
            self.inner.add(name)
        return [*loops, name]


def _conditions_first(view: View) -> list[str]:
    """Order reduction axes so that conditions are tested outside of what they do not hang on."""
    over = view.value.over if isinstance(view.value, Reduction) else ()
    tested = [condition for o in over for condition in o.conditions]
    return sorted(view.reduced, key=lambda a: not any(uses(c, a) for c in tested))


def scattered(view: View) -> str | None:
    """Find the data axis `x` that a reduction's condition `e == x` picks, where `e` does not hang on it.

    Args:
        view: A reducing stage.

    Returns:
        The axis; None when the reduction is no scatter.
    """
    if not isinstance(view.value, Reduction):
        return None
    for over in view.value.over:
        for condition in over.conditions:
            for test in condition.operands if isinstance(condition, Logic) else (condition,):
                match test:
                    case (
                        Compare(ops=("==",), operands=(e, Axis(name=x)))
                        | Compare(ops=("==",), operands=(Axis(name=x), e))
                    ) if x in view.stage.axes and not uses(e, x):
                        return x
                    case _:
                        continue
    return None


def price(view: View, fixed: frozenset[str], emitter: Emitter) -> float:
    """Price a reduction with some axes fixed, over the whole stage, in cycles of the model."""
    tile = emitter.tile(view, fixed)
    sizes: Mapping[str, int] = view.sizes
    if tile is None:
        return float(prod(sizes.values()))
    return tile.cycles * prod(sizes[a] for a in fixed)
