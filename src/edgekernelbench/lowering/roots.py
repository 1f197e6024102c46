"""Writes the directives of one root nest for a CPU."""

from edgekernelbench.ir.expr import Axis, Compare, Logic, Reduction
from edgekernelbench.ir.schedule import Parallel, Vectorize
from edgekernelbench.ir.walk import children
from edgekernelbench.lowering.access import uses
from edgekernelbench.lowering.emit import PARALLEL_WORK, Emitter
from edgekernelbench.lowering.nests import Plan, axes_through
from edgekernelbench.lowering.survey import View
from edgekernelbench.lowering.tile import Tile

TASKS_PER_THREAD = 4
"""Parallel iterations wanted for each thread, so that none waits long for the last."""


def write_nest(emitter: Emitter, plan: Plan) -> None:
    """Write a root nest with everything inside it.

    Args:
        emitter: Where directives go.
        plan: The nest.
    """
    rows = frozenset(plan.rows)
    home = plan.rows[-1] if plan.rows else None
    parallel = _shares(emitter, plan)
    if home is not None:
        at = f"{plan.root.name}.{home}"
        for member in plan.members:
            emitter.writer.compute_at(member.view.name, at)
            emitter.writer.order(*_stage(emitter, plan, member.view, frozenset(member.rows.values()), at))
        loops = _stage(emitter, plan, plan.root, rows, at)
        outer = [f"{plan.root.name}.{a}" for a in plan.rows]
        emitter.writer.order(*outer, *loops)
        if parallel:
            _parallel(emitter, [(o, plan.root.sizes[a]) for o, a in zip(outer, plan.rows, strict=True)])
    else:
        _root(emitter, plan, parallel=parallel)


def _shares(emitter: Emitter, plan: Plan) -> bool:
    """Say whether a nest is shared out to the cores."""
    name = plan.root.name
    if name in emitter.choices.alone | emitter.choices.shared:
        return name in emitter.choices.shared
    return _work(emitter, plan) >= PARALLEL_WORK


def _work(emitter: Emitter, plan: Plan) -> int:
    stages = [plan.root, *(m.view for m in plan.members), *plan.tiled.values()]
    return sum(v.work for v in stages)


def _root(emitter: Emitter, plan: Plan, *, parallel: bool) -> None:
    loops = _outermost(emitter, plan.root, _stage(emitter, plan, plan.root, frozenset(), None))
    emitter.writer.order(*loops)
    if parallel:
        _parallel(emitter, [(loop, emitter.extents[loop]) for loop in loops])


def _outermost(emitter: Emitter, root: View, loops: list[str]) -> list[str]:
    """Put the loop of a chosen axis outermost, where a data loop of it stands."""
    axis = emitter.choices.first.get(root.name)
    if axis is None:
        return loops
    mine = {f"{root.name}.{axis}", f"{root.name}_{axis}_o"}
    chosen = [loop for loop in loops if loop in mine and loop not in emitter.inner]
    return [*chosen, *(loop for loop in loops if loop not in chosen)]


def _parallel(emitter: Emitter, loops: list[tuple[str, int]]) -> None:
    wanted = emitter.profile.threads * (emitter.choices.tasks or TASKS_PER_THREAD)
    taken: list[str] = []
    count = 1
    for loop, extent in loops:
        if count >= wanted or loop in emitter.inner:
            break
        taken.append(loop)
        count *= extent
    if count > 1:
        emitter.writer.mark(Parallel, *taken)


def _stage(emitter: Emitter, plan: Plan, view: View, fixed: frozenset[str], at: str | None) -> list[str]:
    """Write one stage's own loops and give their final order, without those that are fixed."""
    if view.name in plan.tiled:
        return _shared_tile(emitter, view, plan.tiled[view.name], fixed, at)
    if isinstance(view.value, Reduction):
        target = scattered(view)
        if target is not None and not fixed:
            return _scatter(emitter, view, target)
        tile = emitter.tile(view, fixed)
        if tile is None:
            return emitter.split_reduction(view, fixed, at)
        return emitter.tiled(view, tile, fixed)
    return emitter.elementwise(view, fixed)


def _shared_tile(
    emitter: Emitter, reader: View, view: View, fixed: frozenset[str], at: str | None
) -> list[str]:
    """A reduction in the tile of its elementwise reader."""
    through = axes_through(view, reader, {a: a for a in reader.stage.axes}) or {}
    tile = emitter.tile(view, frozenset(through[a] for a in fixed if a in through))
    if tile is None:
        loops = emitter.own(reader, fixed)
        return _at_element(emitter, reader, view, loops)
    if tile.phase > 1:
        return _phase_by_phase(emitter, reader, view, tile, fixed, at)
    emitter.store(tile, view)
    theirs = {mine: row for row, mine in through.items()}
    outer: list[str] = []
    inner: dict[str, str] = {}
    for axis in reader.stage.axes:
        if axis in fixed:
            continue
        mine = through.get(axis)
        if mine == tile.vector or (mine is not None and mine == tile.unroll):
            o, i = emitter.split(reader, axis, tile.width if mine == tile.vector else tile.count)
            outer.append(o)
            inner[axis] = i
        else:
            outer.append(emitter.loop(reader, axis))
    outer = _outermost(emitter, reader, outer)
    home = outer[-1] if outer else f"{reader.name}.{reader.stage.axes[-1]}"
    emitter.writer.compute_at(view.name, home)
    _inside(emitter, view, tile)
    last = reader.stage.axes[-1]
    tail = [inner[a] for a in sorted(inner, key=lambda a: (a == last, reader.stage.axes.index(a)))]
    if last in inner and (last == theirs[tile.vector] or tile.count in (4, 8, 16)):
        emitter.writer.mark(Vectorize, inner[last])
    elif view.name in emitter.dotted:  # what follows is more than storing lane by lane
        lanes = inner[theirs[tile.vector]]
        emitter.writer.mark(Vectorize, lanes)
        tail = [*(loop for loop in tail if loop != lanes), lanes]
    return [*outer, *tail]


def _phase_by_phase(
    emitter: Emitter, reader: View, view: View, tile: Tile, fixed: frozenset[str], at: str | None
) -> list[str]:
    """A reduction that is computed phase by phase, a row of its reader at a time."""
    through = axes_through(view, reader, {a: a for a in reader.stage.axes}) or {}
    along = {mine: theirs for theirs, mine in through.items()}
    rows = [a for a in reader.stage.axes if a not in fixed and a != along[tile.vector]]
    outer = emitter.own(reader, fixed | {along[tile.vector]})
    held = frozenset(a for a in view.stage.axes if along[a] in fixed or along[a] in rows)
    loops = emitter.tiled(view, tile, held)
    if home := outer[-1] if outer else at:
        emitter.writer.compute_at(view.name, home)
    emitter.writer.order(*loops)
    return [*outer, *emitter.elementwise(reader, fixed | frozenset(rows))]


def _inside(emitter: Emitter, view: View, tile: Tile) -> None:
    """Order, mark and place a reduction whose box is one tile."""
    name = view.name
    data = [a for a in view.stage.axes if a not in (tile.vector, tile.unroll)]
    inner = [a for a in (tile.unroll, tile.vector) if a is not None]
    steps = emitter.steps(view, list(view.reduced))
    loops = [f"{name}.{a}" for a in inner]
    emitter.writer.order(*(f"{name}.{a}" for a in data), *steps, *loops, *emitter.four(view))
    emitter.mark_tile(view, loops, tile)
    if view.stage.axes[-1] != tile.vector:
        dims = tuple(view.stage.axes.index(a) for a in (*data, *inner))
        emitter.writer.permute(name, len(dims), dims)


def _at_element(emitter: Emitter, reader: View, view: View, loops: list[str]) -> list[str]:
    """A reduction without a vector axis, computed for each element of its reader."""
    at = loops[-1] if loops else f"{reader.name}.{reader.stage.axes[-1]}"
    emitter.writer.compute_at(view.name, at)
    emitter.writer.order(*emitter.split_reduction(view, frozenset(view.stage.axes), at))
    return loops


def _scatter(emitter: Emitter, view: View, target: str) -> list[str]:
    """A histogram: one pass over the data, each element straight to its place."""
    axis = view.reduced[0]
    chunks = emitter.profile.threads
    size = view.sizes[axis] // chunks
    if view.work < PARALLEL_WORK or size <= view.sizes[target]:
        emitter.writer.scatter(f"{view.name}.{target}")
        return []
    ro, _ = emitter.split(view, axis, size)
    part = emitter.writer.rfactor(ro, f"{view.name}_part")
    emitter.writer.scatter(f"{part}.{target}")
    others = [f"{part}.{axis}" for axis in view.stage.axes if axis != target]
    if others:  # the chunks go outside the other data loops, as parallel loops must
        emitter.writer.order(f"{part}.{ro}", *others)
    emitter.writer.mark(Parallel, f"{part}.{ro}")
    return []


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
            joined = isinstance(condition, Logic) and condition.op == "and"
            for test in children(condition) if joined else (condition,):
                match test:
                    case (
                        Compare(ops=("==",), operands=(e, Axis(name=x)))
                        | Compare(ops=("==",), operands=(Axis(name=x), e))
                    ) if x in view.stage.axes and not uses(e, x):
                        return x
                    case _:
                        continue
    return None
