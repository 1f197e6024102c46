"""The default lowering of GPUs: tiles in shared memory, rows on blocks, threads across long reductions.

Each rule is tried on one root nest at a time and kept when the text stays legal for the device; what no rule
takes is left to the language, which deals it out to blocks of threads (A9).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from math import ceil, prod

from edgekernelbench.ir.expr import Axis, Expr
from edgekernelbench.ir.memory import Cache
from edgekernelbench.ir.schedule import Bind, Unroll
from edgekernelbench.lowering.access import uses
from edgekernelbench.lowering.gpu_tile import other_sizes, tile_choices, write_tile
from edgekernelbench.lowering.nests import Member, Plan, plan_nests
from edgekernelbench.lowering.survey import Survey, View
from edgekernelbench.lowering.writer import Writer
from edgekernelbench.profiles.profile import DeviceClass, Profile

BLOCK_THREADS = 256
LEAST_THREADS = 32
LEAST_ROWS = 1
ROW_BLOCKS = 128
"""Rows from which on each has a block, however much there is to do in it."""

ROW_STEPS = 1 << 14
"""Steps that a block does in the time of two launches."""

PRODUCT_STEPS = 1 << 13
"""Steps of a product in a row from which on it should have tiles, and a launch, of its own."""

ALONE = 10.0
"""The price of what should not be computed in rows."""

LONG = 64
"""Steps from which on a reduction is shared out to threads."""

FEW = 1 << 14
"""Elements up to which a reduction leaves threads without work unless they share its steps."""

BUSY = {DeviceClass.SERVER: 132, DeviceClass.EDGE: 16, DeviceClass.STAND_IN: 16}
"""Blocks that keep a device busy: the multiprocessors of an H200, and of an Orin."""

WIDEST_LOAD = 128
"""Bits that one load of a thread brings."""

BYTE = 8

MANY = 1 << 12
SHORT_STEPS, LONG_STEPS = 128, 512
"""Elements that keep a device busy by themselves, when each has no more steps than this: the first where
neighbouring threads read far apart."""

Legal = Callable[[Writer], bool]
"""Whether a text with these directives is accepted."""


@dataclass(frozen=True, slots=True)
class Rules:
    """Writes directives for one kernel.

    Attributes:
        found: What has to be scheduled.
        profile: The device.
        legal: Checks what was written.
        shape_of: Gives the shape of a tensor.
        chosen: For some root stages, which of the rules is taken.
        double: Whether what blocks fetch is fetched ahead.
    """

    found: Survey
    profile: Profile
    legal: Legal
    shape_of: Callable[[str], tuple[int, ...]]
    chosen: Mapping[str, int] = field(default_factory=dict)
    double: bool = False

    def write(self, writer: Writer) -> Writer:
        """Write all nests, each by the first rule that fits; fetch ahead where that was chosen."""
        made = self._nests(writer)
        if not self.double or not any(isinstance(d, Cache) for d in made.memory):
            return made
        ahead = made.copy()
        ahead.memory = [replace(d, buffers=2) if isinstance(d, Cache) else d for d in made.memory]
        return ahead if self.legal(ahead) else made

    def _nests(self, writer: Writer) -> Writer:
        plans = self._plans()
        hoped = writer.copy()
        for plan in plans:
            number = self.chosen.get(plan.root.name, 0)
            for rule in islice(self._ways(plan), number, number + 1):
                rule(hoped)
        if self.legal(hoped):  # mostly; else one nest after another, each checked
            return hoped
        for plan in plans:
            for rule in self._rules(plan):
                trial = writer.copy()
                rule(trial)
                if self.legal(trial):
                    writer = trial
                    break
        return writer

    def count(self) -> Mapping[str, int]:
        """Count the rules that each root stage can choose from."""
        plans = self._plans()
        return {plan.root.name: sum(1 for _ in self._ways(plan)) for plan in plans}

    def _plans(self) -> tuple[Plan, ...]:
        return plan_nests(self.found, LEAST_ROWS, self._price)

    def _price(self, view: View, fixed: frozenset[str]) -> float:
        """Say what a reduction costs in a row: too much where a block would have too much to do alone."""
        if not fixed:
            return 1.0
        rows = prod(view.sizes[axis] for axis in fixed if axis in view.sizes)
        steps = prod(n for axis, n in view.sizes.items() if axis not in fixed)
        lonely = rows < ROW_BLOCKS and steps > ROW_STEPS
        product = steps > PRODUCT_STEPS and self._has_tiles(view)
        return ALONE if lonely or product else 1.0

    def _has_tiles(self, view: View) -> bool:
        busy = BUSY[self.profile.device_class]
        return any(choice.cached for choice in tile_choices(view, view, busy, self.shape_of))

    def _ways(self, plan: Plan) -> Iterator[Callable[[Writer], None]]:
        """List the rules, and then every other tile: those are for searches."""
        yield from self._rules(plan)
        reduction = plan.tiled.get(plan.root.name, plan.root)
        if reduction.reduced and not (plan.rows and plan.members):
            busy = BUSY[self.profile.device_class]
            choices = list(tile_choices(plan.root, reduction, busy, self.shape_of))
            for choice in other_sizes(choices):
                yield partial(write_tile, choice)

    def _rules(self, plan: Plan) -> Iterator[Callable[[Writer], None]]:
        if plan.rows and plan.members:
            yield partial(write_rows, plan, self.found)
            return
        reduction = plan.tiled.get(plan.root.name, plan.root)
        if not reduction.reduced:
            return
        busy = BUSY[self.profile.device_class]
        for choice in tile_choices(plan.root, reduction, busy, self.shape_of):
            yield partial(write_tile, choice)
        if _is_long(reduction):
            wide = _wide_steps(reduction)
            if wide is not None:
                yield partial(write_across_wide, plan.root, reduction, wide)
            yield partial(write_across, plan.root, reduction)
        if reduction is not plan.root:
            yield partial(write_fused, plan.root, reduction)


def _is_long(view: View) -> bool:
    """Say whether threads should share the steps of each element: not where elements keep them busy."""
    steps, elements = prod(view.sizes[axis] for axis in view.reduced), prod(view.stage.shape)
    if elements > FEW or steps < LONG:
        return False
    busy = elements >= MANY and steps <= (SHORT_STEPS if _along(view) else LONG_STEPS)
    return not busy


def _along(view: View) -> bool:
    """Say whether neighbouring steps of a reduction read neighbours of some tensor."""
    last = [read.indices[-1] for read in view.reads if read.indices]
    data = set(view.stage.axes)
    return any(
        any(uses(index, axis) for axis in view.reduced) and not any(uses(index, axis) for axis in data)
        for index in last
    )


def write_rows(plan: Plan, found: Survey, writer: Writer) -> None:
    """Give each row of a nest a block; its stages share the block's threads."""
    root = plan.root
    rows = tuple(f"{root.name}.{axis}" for axis in plan.rows)
    members = list(plan.members)
    known = {m.view.name: m for m in members} | {root.name: Member(root, {r: r for r in plan.rows})}
    for reader, view in plan.tiled.items():
        through = _through(view, known[reader])
        members.append(Member(view, through))
    members.sort(key=lambda m: [v.name for v in found.views].index(m.view.name))
    longest = max(_inside(m) for m in (*members, known[root.name]))
    threads = _threads(longest)
    writer.schedule.append(Bind(rows, "blockIdx.x"))
    inner = _share_axes(root, frozenset(plan.rows), threads, writer)
    writer.order(*rows, *inner)
    for member in members:
        writer.compute_at(member.view.name, rows[-1])
    for member in members:
        _share_member(member, threads, writer)


def _through(view: View, reader: Member) -> dict[str, str]:
    read = next(r for r in reader.view.reads if r.tensor == view.name)
    names = {i.name: view.stage.axes[d] for d, i in enumerate(read.indices) if isinstance(i, Axis)}
    return {row: names[axis] for row, axis in reader.rows.items() if axis in names}


def _inside(member: Member) -> int:
    fixed = frozenset(member.rows.values())
    return prod(n for axis, n in member.view.sizes.items() if axis not in fixed)


def _threads(steps: int) -> int:
    """Choose the threads of a block: a few steps for each, in whole warps."""
    wanted = max(LEAST_THREADS, min(BLOCK_THREADS, ceil(steps / 4)))
    return 1 << (wanted - 1).bit_length()


def _share_axes(view: View, fixed: frozenset[str], threads: int, writer: Writer) -> tuple[str, ...]:
    """Deal the last free axis of a stage out to threads, neighbours to neighbours."""
    free = [axis for axis in view.stage.axes if axis not in fixed]
    loops = [f"{view.name}.{axis}" for axis in free]
    if not free or prod(view.sizes[axis] for axis in free) == 1:
        return tuple(loops)
    if view.sizes[free[-1]] < threads and len(free) > 1:
        whole = writer.fuse(tuple(loops))
        outer, inner = writer.split(whole, min(threads, prod(view.sizes[axis] for axis in free)))
        writer.schedule.append(Bind((inner,), "threadIdx.x"))
        return inner, outer
    outer, inner = writer.split(loops[-1], min(threads, view.sizes[free[-1]]))
    writer.schedule.append(Bind((inner,), "threadIdx.x"))
    return (inner, *loops[:-1], outer)


def _share_member(member: Member, threads: int, writer: Writer) -> None:
    view = member.view
    fixed = frozenset(member.rows.values())
    free = [axis for axis in view.stage.axes if axis not in fixed and view.sizes[axis] > 1]
    if not view.reduced:
        inner = _share_axes(view, fixed, threads, writer)
        writer.order(*inner)
    elif not free:
        _share_steps(view, threads, writer)


def _share_steps(view: View, threads: int, writer: Writer) -> None:
    """Share the steps of a reduction out to threads, neighbours to neighbours."""
    loops = tuple(f"{view.name}.{axis}" for axis in view.reduced)
    whole = writer.fuse(loops) if len(loops) > 1 else loops[0]
    steps = prod(view.sizes[axis] for axis in view.reduced)
    outer, inner = writer.split(whole, min(threads, steps))
    writer.order(inner, outer)
    writer.schedule.append(Bind((inner,), "threadIdx.x"))


def write_across(root: View, reduction: View, writer: Writer) -> None:
    """Give each element of a long reduction a block whose threads share the steps."""
    loops = tuple(f"{root.name}.{axis}" for axis in root.stage.axes)
    if loops:
        writer.schedule.append(Bind(loops, "blockIdx.x"))
    if reduction is not root and loops:
        writer.compute_at(reduction.name, loops[-1])
    steps = prod(reduction.sizes[axis] for axis in reduction.reduced)
    _share_steps(reduction, _threads(steps), writer)


@dataclass(frozen=True, slots=True)
class Wide:
    """How threads that share the steps of a reduction read several neighbours at once.

    Attributes:
        threads: Threads of a block.
        lanes: Steps that each takes together.
        tensors: What is read so.
    """

    threads: int
    lanes: int
    tensors: tuple[str, ...]


def _wide_steps(view: View) -> Wide | None:
    """Find how wide the loads of a shared reduction can be; None when nothing divides."""
    if len(view.reduced) != 1:
        return None
    (axis,) = view.reduced
    along = {r.tensor: r for r in view.reads if r.indices and _is(r.indices[-1], axis)}
    inner = [i for r in view.reads for i in r.indices[:-1]]
    types = [r.dtype for r in along.values() if r.dtype is not None]
    if not along or any(uses(i, axis) for i in inner) or any(t.bits < BYTE for t in types):
        return None
    steps, widest = view.sizes[axis], max(t.bits for t in types)
    lanes = WIDEST_LOAD // widest
    while lanes > 1:
        for threads in (BLOCK_THREADS, BLOCK_THREADS // 2, BLOCK_THREADS // 4, LEAST_THREADS):
            if steps % (lanes * threads) == 0:
                return Wide(threads, lanes, tuple(along))
        lanes //= 2
    return None


def _is(index: Expr, axis: str) -> bool:
    return isinstance(index, Axis) and index.name == axis


def write_across_wide(root: View, reduction: View, wide: Wide, writer: Writer) -> None:
    """Give each element of a long reduction a block whose threads read several steps at once."""
    loops = tuple(f"{root.name}.{axis}" for axis in root.stage.axes)
    if loops:
        writer.schedule.append(Bind(loops, "blockIdx.x"))
    if reduction is not root and loops:
        writer.compute_at(reduction.name, loops[-1])
    outer, thread, lane = writer.split(f"{reduction.name}.{reduction.reduced[0]}", wide.threads, wide.lanes)
    writer.order(thread, outer, lane)
    writer.schedule.append(Bind((thread,), "threadIdx.x"))
    writer.mark(Unroll, lane)
    whole = reduction.sizes[reduction.reduced[0]] == wide.threads * wide.lanes
    for tensor in wide.tensors:
        writer.memory.append(Cache(tensor, "local", thread if whole else outer, vector=wide.lanes))


def write_fused(root: View, reduction: View, writer: Writer) -> None:
    """Compute a short reduction in the thread that needs it."""
    loops = tuple(f"{root.name}.{axis}" for axis in root.stage.axes)
    whole = writer.fuse(loops) if len(loops) > 1 else loops[0]
    outer, inner = writer.split(whole, min(BLOCK_THREADS, prod(root.stage.shape)))
    writer.schedule.append(Bind((outer,), "blockIdx.x"))
    writer.schedule.append(Bind((inner,), "threadIdx.x"))
    writer.compute_at(reduction.name, inner)
