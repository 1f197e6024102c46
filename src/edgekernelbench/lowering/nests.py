"""Which stages share a nest: a row of the last stage, with everything that only it needs.

A stage joins the nest of its readers when each of the nest's *row axes* passes straight through every read on
the way, so that nothing is computed twice; the row axes shrink to those that do.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import prod

from edgekernelbench.ir.expr import Axis, Reduction
from edgekernelbench.lowering.survey import Survey, View

ROWS_PER_THREAD = 2
"""Rows that each thread should get at least, else stages keep nests of their own."""

INSIDE = 32
"""Steps that some stage should have inside a row, else rows are no more than single elements."""

DEARER = 1.3
"""How much dearer a reduction may become when its nest fixes the row axes."""

Price = Callable[[View, frozenset[str]], float]
"""What a stage costs when some of its axes are fixed by loops outside."""


@dataclass(frozen=True, slots=True)
class Member:
    """A stage that is computed inside a row.

    Attributes:
        view: The stage.
        rows: For each row axis of the root, the axis of this stage that it fixes.
    """

    view: View
    rows: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Plan:
    """A root nest.

    Attributes:
        root: The stage whose loops it is.
        rows: Row axes of the root, outer first; empty when nothing is computed inside.
        members: What is computed in each row, in text order.
        tiled: A reduction that is computed in a tile of its only reader, by the reader's name.
    """

    root: View
    rows: tuple[str, ...]
    members: tuple[Member, ...]
    tiled: Mapping[str, View]


def plan_nests(
    found: Survey, threads: int, price: Price, apart: frozenset[str] = frozenset()
) -> tuple[Plan, ...]:
    """Group the stages outside of `for` groups into root nests.

    Args:
        found: What has to be scheduled.
        threads: How many threads the rows should keep busy.
        price: What a reduction costs with some axes fixed.
        apart: Stages that keep nests of their own.

    Returns:
        One plan a root nest, in text order of the roots.
    """
    free = [v for v in found.views if v.group is None]
    tiled = {reader.name: v for v in free if v.name not in apart and (reader := _tiles_into(v, found))}
    inside = {v.name for v in tiled.values()}
    homes: dict[str, str] = {v.name: r for r, v in tiled.items()}
    plans: list[Plan] = []
    for root in reversed(free):
        if root.name in homes:
            continue
        plan = _grow(
            root,
            [v for v in free if v.name not in apart and (v.name not in homes or v.name in inside)],
            found,
            tiled,
            (threads, price),
        )
        homes.update({m.view.name: root.name for m in plan.members})
        homes[root.name] = root.name
        plans.append(plan)
    return tuple(reversed(plans))


def _tiles_into(view: View, found: Survey) -> View | None:
    """Find the elementwise reader that a reduction can share its tiles with."""
    if not isinstance(view.value, Reduction) or view.name in found.outputs or not view.stage.axes:
        return None
    readers = found.readers(view.name)
    if len(readers) != 1 or readers[0].reduced or readers[0].group is not None:
        return None
    reader = readers[0]
    for read in reader.distinct.get(view.name, ()):
        names = [i.name for i in read.indices if isinstance(i, Axis)]
        if len(names) != len(read.indices) or sorted(names) != sorted(reader.stage.axes):
            return None
        if any(reader.sizes[n] != s for n, s in zip(names, view.stage.shape, strict=True)):
            return None
    return reader


def axes_through(view: View, reader: View, known: Mapping[str, str]) -> dict[str, str] | None:
    """Follow row axes from a reader to what it reads.

    Args:
        view: The stage that is read.
        reader: Its reader.
        known: For each row axis of the root, the reader's axis.

    Returns:
        The same for `view`, with the row axes that pass straight; None when reads disagree.
    """
    result: dict[str, str] | None = None
    for read in reader.distinct.get(view.name, ()):
        mine: dict[str, str] = {}
        for row, theirs in known.items():
            dims = [d for d, i in enumerate(read.indices) if isinstance(i, Axis) and i.name == theirs]
            if len(dims) == 1 and view.stage.shape[dims[0]] == reader.sizes[theirs]:
                mine[row] = view.stage.axes[dims[0]]
        result = mine if result is None else {r: a for r, a in mine.items() if result.get(r) == a}
    return result


def _grow(
    root: View,
    free: list[View],
    found: Survey,
    tiled: Mapping[str, View],
    judge: tuple[int, Price],
) -> Plan:
    threads, price = judge
    # The last axis stays inside: along it the root is a vector.
    rows = {a: a for a in (root.stage.axes[:-1] or root.stage.axes)}
    maps: dict[str, dict[str, str]] = {root.name: rows}
    if root.name in tiled:
        through = axes_through(tiled[root.name], root, rows)
        maps[tiled[root.name].name] = through or {}
    order = {v.name: n for n, v in enumerate(found.views)}
    for view in reversed(free):
        if view.name in maps or order[view.name] > order[root.name]:
            continue
        if view.name in {v.name for v in tiled.values()}:
            continue
        mine = _joint(view, found, maps)
        keep = set(mine or {}) & set(rows)
        if not mine or not _worth(root, keep, threads):
            continue
        trial = {**maps, view.name: mine}
        if view.name in tiled:
            trial[tiled[view.name].name] = axes_through(tiled[view.name], view, mine) or {}
        if _spoils(trial, keep, found, price):
            continue
        maps = trial
        rows = {r: a for r, a in rows.items() if r in keep}
    names = [n for n in maps if n != root.name and n not in {v.name for v in tiled.values()}]
    members = [Member(v, {r: maps[v.name][r] for r in rows}) for v in found.views if v.name in names]
    if max((_inside(m.view, frozenset(m.rows.values())) for m in members), default=0) < INSIDE:
        own = {r: v for r, v in tiled.items() if r == root.name}
        return Plan(root, (), (), own)
    kept = tuple(a for a in root.stage.axes if a in rows) if members else ()
    return Plan(root, kept, tuple(members), {r: v for r, v in tiled.items() if r in maps})


def _inside(view: View, fixed: frozenset[str]) -> int:
    """Count the steps of a stage inside a row."""
    return prod(n for a, n in view.sizes.items() if a not in fixed)


def _joint(view: View, found: Survey, maps: Mapping[str, dict[str, str]]) -> dict[str, str] | None:
    """Follow the rows through all readers; None when one of them stands elsewhere."""
    readers = found.readers(view.name)
    if not readers or any(r.name not in maps for r in readers):
        return None
    result: dict[str, str] | None = None
    for reader in readers:
        mine = axes_through(view, reader, maps[reader.name]) or {}
        result = mine if result is None else {r: a for r, a in mine.items() if result.get(r) == a}
    return result


def _worth(root: View, rows: set[str], threads: int) -> bool:
    count = prod(n for a, n in root.sizes.items() if a in rows)
    return bool(rows) and count >= ROWS_PER_THREAD * threads


def _spoils(maps: Mapping[str, Mapping[str, str]], keep: set[str], found: Survey, price: Price) -> bool:
    """Whether fixing the rows makes some reduction of the nest much dearer."""
    for name, rows in maps.items():
        view = found.view(name)
        if view is None or not view.reduced:
            continue
        fixed = frozenset(axis for row, axis in rows.items() if row in keep)
        if price(view, fixed) > DEARER * price(view, frozenset()):
            return True
    return False
