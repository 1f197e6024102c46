"""Rows of a nest on GPUs: each has a block whose threads share every stage, or a thread of its own."""

from math import prod

from edgekernelbench.ir.expr import Axis
from edgekernelbench.ir.schedule import Bind
from edgekernelbench.lowering.gpu_threads import BLOCK_THREADS, choose_threads, share_steps
from edgekernelbench.lowering.nests import Member, Plan
from edgekernelbench.lowering.survey import Survey, View
from edgekernelbench.lowering.writer import Writer

MANY_ROWS = 1 << 14
SHORT_ROW = 1 << 10
KEPT = 64
"""So many rows of at most so many steps, with at most so many elements to keep, have a thread each."""


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
    threads = choose_threads(longest, prod(root.sizes[axis] for axis in plan.rows))
    writer.schedule.append(Bind(rows, "blockIdx.x"))
    inner = _share_axes(root, frozenset(plan.rows), threads, writer)
    writer.order(*rows, *inner)
    for member in members:
        writer.compute_at(member.view.name, rows[-1])
    for member in members:
        _share_member(member, threads, writer)


def is_slight(plan: Plan) -> bool:
    """Say whether rows are so many, and so short, that each thread should have one."""
    rows = prod(plan.root.sizes[axis] for axis in plan.rows)
    views = (plan.root, *(m.view for m in plan.members), *plan.tiled.values())
    steps = sum(prod(view.sizes.values()) for view in views) // rows
    kept = sum(prod(view.stage.shape) for view in views[1:]) // rows
    return rows >= MANY_ROWS and steps <= SHORT_ROW and kept <= KEPT


def write_thread_rows(plan: Plan, writer: Writer) -> None:
    """Give each row of a nest a thread."""
    root = plan.root
    rows = tuple(f"{root.name}.{axis}" for axis in plan.rows)
    rest = tuple(f"{root.name}.{axis}" for axis in root.stage.axes if axis not in plan.rows)
    whole = writer.fuse(rows) if len(rows) > 1 else rows[0]
    block, thread = writer.split(whole, BLOCK_THREADS // 2)
    writer.schedule.append(Bind((block,), "blockIdx.x"))
    writer.schedule.append(Bind((thread,), "threadIdx.x"))
    writer.order(block, thread, *rest)
    for name in (*(m.view.name for m in plan.members), *(v.name for v in plan.tiled.values())):
        writer.compute_at(name, thread)


def _through(view: View, reader: Member) -> dict[str, str]:
    read = next(r for r in reader.view.reads if r.tensor == view.name)
    names = {i.name: view.stage.axes[d] for d, i in enumerate(read.indices) if isinstance(i, Axis)}
    return {row: names[axis] for row, axis in reader.rows.items() if axis in names}


def _inside(member: Member) -> int:
    fixed = frozenset(member.rows.values())
    return prod(n for axis, n in member.view.sizes.items() if axis not in fixed)


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
        share_steps(view, threads, writer)
