"""From a verified kernel to an explicit nest for one target."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.ir.memory import Memory
from edgekernelbench.ir.schedule import Schedule
from edgekernelbench.nest.accounting import count_usage
from edgekernelbench.nest.advice import advise
from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.cache_boxes import cache_boxes, check_caches
from edgekernelbench.nest.caching import CacheBox
from edgekernelbench.nest.emit import Emitter
from edgekernelbench.nest.inlining import apply_inline, apply_precompute, check_narrow
from edgekernelbench.nest.launching import Launcher, make_launches
from edgekernelbench.nest.limits import check_limits
from edgekernelbench.nest.marking import check_marks
from edgekernelbench.nest.memory import Storing, resolve_memory
from edgekernelbench.nest.memory_checks import check_memory, check_reuse
from edgekernelbench.nest.numbering import renumber
from edgekernelbench.nest.packing import packing_of
from edgekernelbench.nest.placement import check_circles, check_hoists, check_places, order_units
from edgekernelbench.nest.plan import Plan
from edgekernelbench.nest.preparing import copy_nest, fill_nest, prepare_nest
from edgekernelbench.nest.problems import Directive, Problems
from edgekernelbench.nest.scheduling import resolve_schedule
from edgekernelbench.nest.stores import Stores, apply_reuse, decide_stores, given_storages
from edgekernelbench.nest.structure import ROOT, Structure
from edgekernelbench.nest.tiling import check_tiling
from edgekernelbench.nest.tree import Allocate, Buffer, Nest, Stmt
from edgekernelbench.nest.work import Program, make_program
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.facts import Facts

OF_EXPRESSIONS = frozenset(("S15", "S26", "S29", "L04"))
"""These look into expressions, which are of no use when the compute layer was refused."""


def build_nest(facts: Facts, target: str, profile: Profile) -> Nest:
    """Resolve the three layers of a kernel into one loop nest.

    Args:
        facts: The verified compute layer, with the schedule and memory layers beside it.
        target: `llvm`, `cuda` or `opencl`.
        profile: The device; its limits hold.

    Returns:
        The nest.

    Raises:
        SourceError: With all refusals of the schedule and memory layers and of the limits.
    """
    problems = Problems(target)
    schedule, memory = facts.kernel.schedule_for(target), facts.kernel.memory_for(target)
    return _Builder(facts, schedule, memory, profile, problems).build()


def survey_names(
    facts: Facts, target: str, profile: Profile, unmade: frozenset[str]
) -> tuple[Diagnostic, ...]:
    """Look at the schedule and memory layers as far as names go, beside a text that is refused already.

    Args:
        facts: What is known of the compute layer, which may be wrong.
        target: The target.
        profile: The device.
        unmade: Loops and stages that refused lines would have made.

    Returns:
        The refusals that follow from nothing that was refused before.
    """
    problems = Problems(target, unmade)
    schedule, memory = facts.kernel.schedule_for(target), facts.kernel.memory_for(target)
    _Builder(facts, schedule, memory, profile, problems).resolve()
    return tuple(found for found in problems.sorted() if found.code not in OF_EXPRESSIONS)


class _Builder:
    def __init__(
        self, facts: Facts, schedule: Schedule, memory: Memory, profile: Profile, problems: Problems
    ) -> None:
        self._facts = facts
        self._schedule = schedule
        self._memory = memory
        self._profile = profile
        self._problems = problems

    def resolve(self) -> tuple[Program, Program, Plan, Storing]:
        """Resolve the directives by themselves: names, loops, marks, layouts."""
        problems = self._problems
        written = make_program(self._facts)
        inlined = apply_inline(written, self._schedule, problems, self._profile.inline_limit)
        whole = apply_precompute(inlined, self._schedule, problems)
        check_narrow(whole, problems)
        removed = dict.fromkeys(written.stages.keys() - inlined.stages.keys(), "inlined")
        removed |= dict.fromkeys(whole.precomputed, "precomputed")
        plan = resolve_schedule(without(whole, whole.precomputed), self._schedule, removed, problems)
        storing = resolve_memory(plan, whole, self._memory, removed, problems)
        return written, whole, plan, storing

    def build(self) -> Nest:
        """Resolve everything; each phase starts when the one before found nothing wrong."""
        problems = self._problems
        written, whole, plan, storing = self.resolve()
        problems.check()
        structure = Structure(plan)
        orders = self._arrange(structure, storing)
        private = {name for name, place in storing.places.items() if place.scope == "local"}
        filled = frozenset(whole.params) | whole.precomputed
        boxes = Boxes(structure, packing_of(storing.layouts, filled))
        boxes.resolve_all()
        check_tiling(boxes, problems)
        check_marks(boxes, self._profile, problems)
        stores = decide_stores(boxes, whole, storing)
        launches = make_launches(boxes, private, self._profile.max_threads)
        caches = cache_boxes(boxes, storing, stores, launches, problems)
        check_reuse(boxes, storing, stores, orders, problems)
        problems.check()
        apply_reuse(storing, stores)
        partials = {name: one.scope for name, one in storing.accumulators.items()}
        emitter = Emitter(boxes, stores, orders, caches, partials, launches)
        nest = self._nest(whole, stores, [emitter.root(unit) for unit in orders[ROOT]])
        check_limits(nest, structure, self._profile, origins(structure, storing, caches), problems)
        problems.check()
        advice = advise(nest.body, boxes, storing, stores, self._profile)
        return replace(nest, usage=count_usage(boxes, stores, written, whole), advice=advice)

    def _arrange(self, structure: Structure, storing: Storing) -> dict[str, tuple[str, ...]]:
        """Check where everything is computed, and give the order of the units at each loop."""
        problems = self._problems
        check_circles(structure, problems)
        check_hoists(structure, problems)
        check_places(structure, problems)
        problems.check()
        check_caches(structure, storing, problems)
        orders = order_units(structure, problems)
        problems.check()
        if structure.plan.is_gpu():
            private = {name for name, place in storing.places.items() if place.scope == "local"}
            holding = {loop for loop, _ in structure.plan.placed.values()} | set(storing.caches)
            Launcher(structure, holding, private, problems).decide()
            problems.check()
        check_memory(structure, storing, problems)
        problems.check()
        return orders

    def _nest(self, whole: Program, stores: Stores, nests: Sequence[list[Stmt]]) -> Nest:
        kernel = self._facts.kernel
        given = given_storages(whole)
        body: list[Stmt] = []
        for name, storage in stores.packed.items():
            body += [*fill_nest(storage), *copy_nest(given[name], storage)]
        for nest in nests:
            body += nest
        held = stores.held_at.get(ROOT, [])
        buffers = [b for name in held for b in stores.of[name].buffers() if b.role.value == "work"]
        buffers += [storage.buffer for storage in stores.packed.values()]
        if buffers:
            body = [Allocate(tuple(buffers), tuple(body))]
        outputs = tuple(stores.of[name].buffer for name in kernel.compute.outputs)
        tables = tuple(stores.of[name].buffer for name in whole.tables)
        return Nest(
            kernel.name,
            self._problems.target,
            tuple(given[p.name].buffer for p in kernel.params),
            outputs,
            prepared_buffers(stores),
            tables,
            prepare_nest(whole, stores),
            renumber(tuple(body)),
        )


def origins(
    structure: Structure, storing: Storing, caches: Mapping[str, list[CacheBox]]
) -> dict[str, Directive]:
    """Find the directive that each buffer comes from: its `place`, its `cache`, its `compute_at`."""
    found: dict[str, Directive] = {}
    for unit, (_, directive) in structure.plan.placed.items():
        found.update(dict.fromkeys(structure.program.members(unit), directive))
    for made in caches.values():
        found.update({cache.name: cache.directive for cache in made})
    found.update({f"{name}.partial": one for name, one in storing.accumulators.items()})
    return {**found, **storing.places}


def prepared_buffers(stores: Stores) -> tuple[Buffer, ...]:
    """List the buffers that `prepare` fills."""
    return tuple(storage.buffer for storage in stores.prepared.values())


def without(program: Program, names: frozenset[str]) -> Program:
    """Leave stages out."""
    stages = {name: stage for name, stage in program.stages.items() if name not in names}
    groups = {name: group for name, group in program.groups.items() if group.stages[0] in stages}
    return replace(program, stages=stages, groups=groups)
