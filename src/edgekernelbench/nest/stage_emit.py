"""Writes the nest of one stage: initial values, guards, the update or the store."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Protocol

from edgekernelbench.ir.expr import Expr
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.gpu import Dealing, Launches, deal_out
from edgekernelbench.nest.indices import at_least, below, subtract
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.reductions import (
    Target,
    emit_identity,
    emit_result,
    emit_update,
    partial_storage,
)
from edgekernelbench.nest.scene import Rest, Scene, guarded, names_in, one_thread
from edgekernelbench.nest.stores import Stores
from edgekernelbench.nest.structure import Structure
from edgekernelbench.nest.tree import Allocate, Kind, Stmt, Store
from edgekernelbench.nest.work import WorkStage


class Levels(Protocol):
    """What a stage needs of the writer of loops."""

    boxes: Boxes
    stores: Stores
    partials: Mapping[str, str]
    launches: Launches

    @property
    def structure(self) -> Structure:
        """The tree of the nests."""
        ...

    def loop(self, loop: str, scene: Scene, rest: Rest) -> list[Stmt]:
        """Write a loop with what is computed at it."""
        ...

    def closed(self, var: str, extent: int, kind: Kind, body: list[Stmt]) -> list[Stmt]:
        """Close a loop at which nothing is computed."""
        ...

    def dealt(self, dealing: Dealing, scene: Scene, rest: Rest) -> list[Stmt]:
        """Write loops that are dealt out."""
        ...

    def alone(self, name: str, body: list[Stmt]) -> list[Stmt]:
        """Put a nest without loops to spread into one block."""
        ...

    def extent(self, loop: str) -> int:
        """Give the number of iterations of a loop."""
        ...

    def held(self, loop: str) -> bool:
        """Whether something is computed or cached at a loop."""
        ...

    def render(self, node: Expr, values: Mapping[str, Expr], scene: Scene) -> Expr:
        """Turn an expression over axes into one over loops and buffers."""
        ...


Conditions = Callable[[Scene], list[Expr]]


class StageWriter:
    """Writes the nest of one stage."""

    def __init__(self, levels: Levels, stage: WorkStage) -> None:
        self._levels = levels
        self._stage = stage
        self._table = levels.structure.plan.tables[stage.name]
        self._scattered = f"{stage.name}.{stage.scattered}" if stage.scattered else ""
        self._loops = levels.structure.sequence(stage.name)
        self._cut = self._table.first_reduction(self._loops)
        self._values = levels.boxes.axis_values(stage)
        self._ranges = levels.boxes.ranges
        self._storage = levels.stores.of[stage.name]
        self._dealing = levels.launches.dealt.get(stage.name)
        self._private = stage.name in levels.launches.copies

    def write(self, scene: Scene) -> list[Stmt]:
        """Write it."""
        tails = self._levels.boxes.tails(self._stage)
        if self._stage.reducing is None:
            body = self._nest(self._loops, tails, scene, self._store)
        else:
            later = set(self._loops[self._cut :]) | {self._scattered}
            gpu = self._levels.launches.gpu
            outer = [] if gpu else [t for t in tails if names_in(t).isdisjoint(later)]
            inner = [t for t in tails if t not in outer]
            body = self._nest(self._loops[: self._cut], outer, scene, lambda at: self._reduce(inner, at))
        return self._levels.alone(self._stage.name, body)

    def _reduce(self, tails: list[Expr], scene: Scene) -> list[Stmt]:
        """Write the initial values, the update, and the store of what was held apart."""
        stage, inner = self._stage, self._loops[self._cut :]
        data = [loop for loop in inner if self._table.kinds[loop] is Kind.DATA]
        initial = [*data, self._scattered] if self._scattered else data
        reduced = set(inner) - set(data)
        own = [t for t in tails if names_in(t).isdisjoint(reduced)]
        update = [t for t in tails if self._scattered not in names_in(t)]
        target = Target(self._storage, None)
        if stage.name in self._levels.partials:
            extents = {loop: self._levels.extent(loop) for loop in initial}
            partial, loops = partial_storage(stage, extents, self._levels.partials[stage.name])
            target = Target(self._storage, partial, loops)
        # Partial results in registers: each thread starts its own, and all see what they combine to.
        apart = target.partial is not None and target.partial.buffer.scope == "local"
        start = replace(scene, threaded=scene.threaded or apart)
        body = self._plain(initial, own, start, emit_identity(stage, target, self._values, self._ranges))
        body += self._update(update, target, scene)
        if target.partial is None:
            return body
        body += self._plain(initial, own, scene, emit_result(stage, target, self._values, self._ranges))
        return [Allocate(target.partial.buffers(), tuple(body))]

    def _update(self, tails: list[Expr], target: Target, scene: Scene) -> list[Stmt]:
        stage, loops = self._stage, self._loops[self._cut :]
        threaded = any(self._levels.structure.mark(loop) in THREADS for loop in loops)

        def update(at: Scene) -> list[Stmt]:
            values = self._update_values(at)
            made = emit_update(
                stage, target, values, lambda node: self._levels.render(node, values, at), self._ranges,
                atomic=threaded and bool(stage.scattered),
            )  # fmt: skip
            return [made]

        return self._nest(loops, tails, scene, update, self._conditions)

    def _conditions(self, scene: Scene) -> list[Expr]:
        """Render the conditions of the reduction; a scattered position is tested before its own."""
        stage, values = self._stage, self._update_values(scene)
        rendered = [(c, self._levels.render(c, values, scene)) for c in stage.reduction.conditions]
        if not stage.scattered:
            return [condition for _, condition in rendered]
        box = self._levels.boxes.of[stage.name][stage.scattered]
        inside = subtract(values[stage.scattered], box.first)
        first = [made for c, made in rendered if stage.scattered not in names_in(c)]
        last = [made for c, made in rendered if stage.scattered in names_in(c)]
        return [*first, at_least(inside, 0, self._ranges), below(inside, box.count, self._ranges), *last]

    def _update_values(self, scene: Scene) -> Mapping[str, Expr]:
        stage = self._stage
        if stage.target is None:
            return self._values
        return {**self._values, stage.scattered: self._levels.render(stage.target, self._values, scene)}

    def _store(self, scene: Scene) -> list[Stmt]:
        stage = self._stage
        value = self._levels.render(stage.element, self._values, scene)
        indices = self._storage.indices([self._values[axis] for axis in stage.axes], self._ranges)
        return [Store(self._storage.buffer.name, indices, value, stage.name)]

    def _plain(self, loops: list[str], tails: list[Expr], scene: Scene, body: list[Stmt]) -> list[Stmt]:
        """Write loops without what is computed at them."""
        body = guarded([*scene.active, *tails], body)
        varying = tuple(loop for loop in loops if self._levels.extent(loop) > 1)
        if scene.threaded or self._private:
            for loop in reversed(loops):
                body = self._levels.closed(loop, self._levels.extent(loop), Kind.DATA, body)
            return body
        if not varying:
            return one_thread(body, scene, self._stage.name)
        extents = {loop: self._levels.extent(loop) for loop in varying}
        dims = self._levels.launches.dims[self._levels.structure.launch_of(self._stage.name)]
        dealing = Dealing(self._stage.name, varying, dims, blocks=False)
        return deal_out(dealing, extents, self._ranges, lambda active: guarded(active, body))

    def _nest(
        self,
        loops: list[str],
        tails: list[Expr],
        scene: Scene,
        rest: Rest,
        conditions: Conditions | None = None,
    ) -> list[Stmt]:
        """Write loops with what is computed at each, and guards.

        On llvm guards stand as far out as they can: inside the loops that they name and those at which
        something is computed; and no condition stands further out than the one before it. On GPUs they
        stand at the innermost statement, so that all threads run all loops.
        """
        gpu = self._levels.launches.gpu
        holding = [place + 1 for place, loop in enumerate(loops) if self._levels.held(loop)]
        start = len(loops) if gpu else max(holding, default=0)
        complete = self._stage.reducing is None or conditions is not None
        guards: dict[int, list[Expr]] = {}

        def depth_of(node: Expr) -> int:
            named = names_in(node)
            return max([start, *(place + 1 for place, loop in enumerate(loops) if loop in named)])

        def place_guards(at: Scene) -> None:
            depth = start
            for node in [*(at.active if complete else ()), *tails]:
                guards.setdefault(depth_of(node), []).append(node)
            for node in conditions(at) if conditions is not None else []:
                depth = max(depth, depth_of(node))
                guards.setdefault(depth, []).append(node)

        def body(place: int, at: Scene) -> list[Stmt]:
            if place == start:
                guards.clear()
                place_guards(at)
            if place == len(loops):
                return guarded(guards.get(place, []), self._last(rest(at), at, complete=complete))
            return guarded(guards.get(place, []), self._one(loops, place, at, body))

        return body(0, scene)

    def _last(self, found: list[Stmt], scene: Scene, *, complete: bool) -> list[Stmt]:
        return one_thread(found, scene, self._stage.name) if complete and not self._private else found

    def _one(
        self, loops: list[str], place: int, scene: Scene, body: Callable[[int, Scene], list[Stmt]]
    ) -> list[Stmt]:
        """Write one loop, or all that are dealt out together."""
        dealing = self._dealing
        if dealing is not None and dealing.loops and loops[place] == dealing.loops[0]:
            end = place + len(dealing.loops)
            return self._levels.dealt(dealing, scene, lambda inner: body(end, inner))
        return self._levels.loop(loops[place], scene, lambda inner: body(place + 1, inner))
