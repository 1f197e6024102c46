"""Writes the nest: loops, what is computed and cached at each, groups."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.ir.walk import transform
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.caching import CacheBox, emit_copy
from edgekernelbench.nest.gpu import Dealing, Launches, deal_out
from edgekernelbench.nest.indices import simplify
from edgekernelbench.nest.marks import THREADS
from edgekernelbench.nest.scene import Rest, Scene
from edgekernelbench.nest.stage_emit import StageWriter
from edgekernelbench.nest.stores import Stores
from edgekernelbench.nest.structure import Structure, group_key
from edgekernelbench.nest.tree import Allocate, Buffer, Kind, Let, Loop, Mark, Stmt
from edgekernelbench.nest.work import BEST, Step, tensor_of


@dataclass(slots=True)
class Emitter:
    """Writes nests.

    Attributes:
        boxes: The boxes of the stages.
        stores: Where they are stored.
        orders: The units at each loop, in order.
        caches: The caches at each loop.
        partials: Scope of the partial results of a stage, where `accumulate` asks for them.
        launches: Which loops are dealt out; empty on llvm.
    """

    boxes: Boxes
    stores: Stores
    orders: Mapping[str, tuple[str, ...]]
    caches: Mapping[str, list[CacheBox]]
    partials: Mapping[str, str]
    launches: Launches

    @property
    def structure(self) -> Structure:
        """The tree of the nests."""
        return self.boxes.structure

    def root(self, unit: str) -> list[Stmt]:
        """Write a root nest."""
        return self.unit(unit, Scene(self.stores.of, (), threaded=not self.launches.gpu))

    def unit(self, name: str, scene: Scene) -> list[Stmt]:
        """Write a stage or a group."""
        group = self.structure.program.groups.get(name)
        if group is None:
            return self.stage(name, scene)
        hoisted = [h.loop for h in self.structure.hoisted(name)]

        def inside(inner: Scene) -> list[Stmt]:
            return self._step(group.root, inner)

        return self.alone(group_key(name), self._grouped(name, hoisted, 0, scene, inside))

    def _grouped(self, group: str, loops: Sequence[str], place: int, scene: Scene, rest: Rest) -> list[Stmt]:
        """Write the hoisted loops of a group."""
        dealing = self.launches.dealt.get(group_key(group)) if place == 0 else None
        if place == len(loops):
            return rest(scene)
        if dealing is not None and dealing.loops[0] == loops[0]:
            end = len(dealing.loops)
            return self.dealt(dealing, scene, lambda inner: self._grouped(group, loops, end, inner, rest))
        return self.loop(
            loops[place], scene, lambda inner: self._grouped(group, loops, place + 1, inner, rest)
        )

    def alone(self, name: str, body: list[Stmt]) -> list[Stmt]:
        """Put a launch that has no blocks into one."""
        if name not in self.launches.alone:
            return body
        buffers = tuple(b for one in self.stores.held_at.get(name, []) for b in self.stores.of[one].buffers())
        body = [Allocate(buffers, tuple(body))] if buffers else body
        return [Loop(f"{name.removesuffix(' group')}.block", 1, tuple(body), Kind.DATA, Mark.BLOCK_X)]

    def _step(self, step: Step, scene: Scene) -> list[Stmt]:
        def items(inner: Scene) -> list[Stmt]:
            found: list[Stmt] = []
            for item in step.items:
                found += self._step(item, inner) if isinstance(item, Step) else self.stage(item, inner)
            return found

        body = self.level(step.var, scene, items)
        return self.closed(step.var, step.size, Kind.ORDERED, body)

    def stage(self, name: str, scene: Scene) -> list[Stmt]:
        """Write the nest of one stage."""
        return StageWriter(self, self.structure.program.stages[name]).write(scene)

    def loop(self, loop: str, scene: Scene, rest: Rest) -> list[Stmt]:
        """Write a loop that has a name, with what is computed at it."""
        threaded = scene.threaded or self.structure.mark(loop) in THREADS
        body = self.level(loop, replace(scene, threaded=threaded), rest)
        return self.closed(loop, self.extent(loop), self.structure.plan.refs[loop].kind, body)

    def closed(self, var: str, extent: int, kind: Kind, body: Sequence[Stmt]) -> list[Stmt]:
        """Close a loop; one of a single iteration is left out unless a GPU needs it."""
        found = self.structure.plan.marks.get(var)
        mark = Mark.SERIAL if found is None else found.mark
        bound = mark not in (Mark.SERIAL, Mark.PARALLEL, Mark.VECTOR, Mark.UNROLL)
        if not body or (extent == 1 and not bound):
            return list(body)
        if found is None:
            return [Loop(var, extent, tuple(body), kind, mark)]
        return [Loop(var, extent, tuple(body), kind, mark, found.number, found.instruction)]

    def dealt(self, dealing: Dealing, scene: Scene, rest: Rest) -> list[Stmt]:
        """Write loops that are dealt out to threads."""

        def body(active: tuple[Expr, ...]) -> list[Stmt]:
            inner = replace(scene, active=(*scene.active, *active), threaded=True)
            return self.level(dealing.loops[-1], inner, rest)

        extents = {loop: self.extent(loop) for loop in dealing.loops}
        return deal_out(dealing, extents, self.boxes.ranges, body)

    def extent(self, loop: str) -> int:
        """Give the number of iterations of a loop."""
        return self.boxes.ranges[loop][1] + 1

    def held(self, loop: str) -> bool:
        """Whether something is computed or cached at a loop."""
        return bool(self.orders.get(loop) or self.caches.get(loop))

    def level(self, loop: str, scene: Scene, rest: Rest) -> list[Stmt]:
        """Write the body of a loop: what is cached and computed at it, then the rest."""
        units, caches = self.orders.get(loop, ()), self.caches.get(loop, [])
        storages = dict(scene.storages)
        held = self.stores.held_at.get(loop, [])
        buffers: list[Buffer] = [b for name in held for b in self.stores.of[name].buffers()]
        body: list[Stmt] = []
        for cache in caches:
            body += emit_copy(cache, storages[cache.tensor], self.boxes.ranges)
            storages[cache.tensor] = cache.storage
            buffers += cache.storage.buffers()
        inner = replace(scene, storages=storages)
        for unit in units:
            body += self.unit(unit, inner)
        body += rest(inner)
        if buffers:
            body = [Allocate(tuple(buffers), tuple(body))]
        for let, value in reversed(list(self._lets(units, caches).items())):
            body = [Let(let, value, tuple(body))]
        return body

    def _lets(self, units: Sequence[str], caches: Sequence[CacheBox]) -> dict[str, Expr]:
        """List the first positions of boxes that have names, each after those that it needs."""
        members = [m for u in units for m in self.structure.program.members(u)]
        named = [box for m in members for box in self.boxes.of[m].values()]
        named += [box for cache in caches for box in cache.boxes]
        wanted = {box.let for box in named if box.let}
        return {name: value for name, value in self.boxes.lets.items() if name in wanted}

    def render(self, node: Expr, values: Mapping[str, Expr], scene: Scene) -> Expr:
        """Turn an expression over axes into one over loops and buffers."""
        ranges = self.boxes.ranges

        def change(part: Expr) -> Expr | None:
            if isinstance(part, Axis):
                return values.get(part.name)
            if isinstance(part, Read):
                storage = scene.storages[tensor_of(part)]
                return storage.read(part.indices, ranges, best=part.tensor.endswith(BEST))
            return None

        return simplify(transform(node, change), ranges)
