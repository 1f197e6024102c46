"""Resolves the schedule layer: from directives to loops, marks and places, each name checked."""

from dataclasses import replace
from typing import assert_never

from edgekernelbench.ir.schedule import (
    Bind,
    ComputeAt,
    Fuse,
    Hoist,
    Inline,
    Order,
    Parallel,
    Precompute,
    Rfactor,
    Scatter,
    Schedule,
    ScheduleDirective,
    Split,
    Tensorize,
    Unroll,
    Vectorize,
)
from edgekernelbench.nest.factoring import factor_reduction
from edgekernelbench.nest.finishing import Finisher, Later
from edgekernelbench.nest.loops import FusedLoop, LoopTable, SplitLoop
from edgekernelbench.nest.plan import Hoisted, Plan
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.registry import LoopRef, Registry
from edgekernelbench.nest.tree import Kind
from edgekernelbench.nest.work import Program, WorkStage, with_steps


def resolve_schedule(
    program: Program, schedule: Schedule, removed: dict[str, str], problems: Problems
) -> Plan:
    """Resolve the directives of a schedule.

    Args:
        program: The program after inlining; precomputed stages are in it and have no loops here.
        schedule: The schedule of the target.
        removed: Stages without loops, with what they are: `inlined`, `precomputed`.
        problems: Where refusals go.

    Returns:
        The plan; incomplete when something was refused.
    """
    scheduler = _Scheduler(program, removed, problems)
    for directive in schedule.directives:
        scheduler.first(directive)
    Finisher(scheduler.plan, removed, problems).finish(scheduler.scatters, scheduler.later)
    return scheduler.plan


class _Scheduler:
    """Applies directives in text order; what hangs on final loops waits until all loops are made."""

    def __init__(self, program: Program, removed: dict[str, str], problems: Problems) -> None:
        self._problems = problems
        self._removed = removed
        registry = Registry(program, removed, problems)
        self.plan = Plan(program, problems.target, registry)
        self.later: list[Later] = []
        self.scatters: list[Scatter] = []
        for stage in program.stages.values():
            if stage.name not in removed:
                self._begin(stage)

    def _begin(self, stage: WorkStage) -> None:
        """Give a stage its loops: one per axis, then one per reduction axis."""
        table = LoopTable(stage.name)
        self.plan.tables[stage.name] = table
        for axis in stage.axes:
            name = f"{stage.name}.{axis}"
            if axis in stage.ordered:
                step = stage.steps[stage.ordered.index(axis)]
                ref = LoopRef(step, stage.name, stage.group, Kind.ORDERED)
                self._know(name, ref)
            else:
                table.begin(name, axis, Kind.DATA)
                self._know(name, LoopRef(name, stage.name, "", Kind.DATA))
        for reduced in stage.reducing.axes if stage.reducing else ():
            name = f"{stage.name}.{reduced.name}"
            table.begin(name, reduced.name, Kind.REDUCTION)
            self._know(name, LoopRef(name, stage.name, "", Kind.REDUCTION))

    def _know(self, name: str, ref: LoopRef, line: int = 0) -> None:
        self.plan.registry.add(name, ref, line)
        self.plan.refs.setdefault(ref.var, ref)

    def first(self, directive: ScheduleDirective) -> None:
        """Apply a directive, or look up its names and keep it for later."""
        match directive:
            case Split():
                self._split(directive)
            case Fuse():
                self._fuse(directive)
            case Rfactor():
                self._rfactor(directive)
            case Hoist():
                self._hoist(directive)
            case Scatter():
                self._scatter(directive)
            case Order(loops=loops) | Parallel(loops=loops) | Vectorize(loops=loops) | Unroll(loops=loops):
                self._keep(directive, loops, 0)
            case Bind(loops=loops):
                self._keep(directive, loops, 0)
            case Tensorize(loops=loops):
                self._keep(directive, loops, 1)
            case ComputeAt(loop=loop):
                self._keep(directive, (loop,), 1)
            case Inline() | Precompute():
                pass
            case _:
                assert_never(directive)

    def _keep(self, directive: ScheduleDirective, loops: tuple[str, ...], shift: int) -> None:
        if not loops:
            self._problems.add("S01", "expected at least one loop", directive)
        found: list[tuple[int, LoopRef]] = []
        for arg, name in enumerate(loops, start=shift):
            ref = self.plan.registry.find(name, directive, arg)
            if ref is not None:
                found.append((arg, replace(ref, stage=ref.stage)))
        self.later.append((directive, found))

    def _names(self, names: tuple[str, ...], directive: ScheduleDirective) -> bool:
        if len(set(names)) < len(names):
            self._problems.add("S06", f"one name twice: {', '.join(names)}", directive)
            return False
        free = [self.plan.registry.free_name(name, directive) for name in names]
        return all(free)

    def _own(self, name: str, directive: ScheduleDirective, arg: int, word: str) -> LoopRef | None:
        """Find a final loop that belongs to one stage and is neither ordered nor hoisted."""
        ref = self.plan.registry.find(name, directive, arg)
        if ref is None or not self.plan.registry.final(name, directive, arg):
            return None
        if ref.group:
            what = "hoisted" if ref.hoisted else "ordered"
            message = (
                f"{name} is {what} and shared by the stages of its group: {word} takes a loop of one stage"
            )
            self._problems.add("S17", message, directive, arg=arg)
            return None
        return ref

    def _split(self, directive: Split) -> None:
        registry = self.plan.registry
        ref = self._own(directive.loop, directive, 0, "split")
        good = self._names(directive.outs, directive)
        if not directive.sizes or any(size < 1 for size in directive.sizes):
            self._problems.add("S01", "split takes a loop and sizes of at least 1", directive)
            good = False
        elif len(directive.outs) != len(directive.sizes) + 1:
            need = len(directive.sizes) + 1
            sizes = ", ".join(map(str, directive.sizes))
            message = f"split by {sizes} makes {need} loops, {len(directive.outs)} names are given"
            self._problems.add("S07", message, directive)
            good = False
        if ref is None or not good:
            registry.poison(directive.outs)
            return
        table = self.plan.tables[ref.stage]
        table.split(SplitLoop(directive.loop, directive.outs, directive.sizes))
        registry.spend(directive.loop, f"was split into {', '.join(directive.outs)}{_on_line(directive)}")
        for out in directive.outs:
            self._know(out, LoopRef(out, ref.stage, "", ref.kind), directive.span.line)

    def _fuse(self, directive: Fuse) -> None:
        registry = self.plan.registry
        refs = [self._own(name, directive, arg, "fuse") for arg, name in enumerate(directive.loops)]
        good = self._names((directive.out,), directive)
        known = [ref for ref in refs if ref is not None]
        if len(known) < len(directive.loops) or not good or not self._can_fuse(directive, known):
            registry.poison((directive.out,))
            return
        self.plan.tables[known[0].stage].fuse(FusedLoop(directive.out, directive.loops))
        for name in directive.loops:
            registry.spend(name, f"was fused into {directive.out}{_on_line(directive)}")
        ref = LoopRef(directive.out, known[0].stage, "", known[0].kind)
        self._know(directive.out, ref, directive.span.line)

    def _can_fuse(self, directive: Fuse, refs: list[LoopRef]) -> bool:
        if len(set(directive.loops)) < len(directive.loops) or len(refs) < 2:
            self._problems.add("S08", "fuse takes two or more different loops", directive)
            return False
        if len({ref.stage for ref in refs}) > 1:
            owners = ", ".join(f"{r.var} of {r.stage}" for r in refs)
            self._problems.add("S08", f"fuse takes loops of one stage, found {owners}", directive)
            return False
        if len({ref.kind for ref in refs}) > 1:
            kinds = ", ".join(f"{r.var} is a {r.kind} loop" for r in refs)
            self._problems.add(
                "S08", f"fuse takes data loops or reduction loops, not both: {kinds}", directive
            )
            return False
        return True

    def _rfactor(self, directive: Rfactor) -> None:
        registry, plan = self.plan.registry, self.plan
        ref = self._own(directive.loop, directive, 0, "rfactor")
        good = self._names((directive.out,), directive)
        if ref is not None and ref.kind is not Kind.REDUCTION:
            message = f"{directive.loop} is a data loop, rfactor needs a reduction loop"
            self._problems.add("S14", message, directive, arg=0)
            ref = None
        if ref is None or not good:
            registry.poison((directive.out,))
            return
        stage = plan.program.stages[ref.stage]
        made = factor_reduction(stage, plan.tables[ref.stage], directive.loop, directive.out)
        for loop in made.moved:
            registry.move(loop, f"{directive.out}.{loop.rpartition('.')[2]}")
            plan.refs.pop(loop, None)
        stages: dict[str, WorkStage] = {}
        for name, old in plan.program.stages.items():
            stages.update({directive.out: made.part, name: made.rest} if name == ref.stage else {name: old})
        groups = dict(plan.program.groups)
        if stage.group:
            group = groups[stage.group]
            place = group.stages.index(stage.name)
            members = (*group.stages[:place], directive.out, *group.stages[place:])
            groups[stage.group] = replace(
                group, root=with_steps(group.root, stage.name, directive.out), stages=members
            )
        plan.program = replace(plan.program, stages=stages, groups=groups)
        registry.program = plan.program
        self._begin(made.part)

    def _hoist(self, directive: Hoist) -> None:
        registry = self.plan.registry
        ref = registry.find(directive.loop, directive, 0)
        good = self._names((directive.out,), directive)
        if directive.block < 1:
            self._problems.add("S01", "the block of hoist is at least 1", directive, arg=1)
            good = False
        group = "" if ref is None else self.plan.program.stages[ref.stage].group
        if ref is not None and not group:
            message = f"{ref.stage} is in no for: hoist takes a loop round a whole group"
            self._problems.add(
                "S11", message, directive, f"order({directive.loop}, …) puts it outermost", arg=0
            )
        elif ref is not None and (ref.kind is not Kind.DATA or ref.hoisted):
            what = "hoisted already" if ref.hoisted else f"a loop of kind {ref.kind}"
            self._problems.add(
                "S13", f"{directive.loop} is {what}, hoist takes a free axis", directive, arg=0
            )
            group = ""
        elif ref is not None and not registry.final(directive.loop, directive, 0):
            group = ""
        axis = "" if ref is None else self.plan.tables[ref.stage].axis_of.get(directive.loop, "")
        if group and not axis:
            message = f"{directive.loop} is no axis: hoist takes a loop named stage.axis"
            self._problems.add("S13", message, directive, arg=0)
        if not group or not axis or not good or ref is None:
            registry.poison((directive.out,))
            return
        hoisted = self.plan.hoisted.setdefault(group, [])
        if any(h.axis == axis for h in hoisted):
            self._problems.add("S13", f"{axis} is hoisted already", directive, arg=0)
            registry.poison((directive.out,))
            return
        hoisted.append(Hoisted(directive.out, axis, directive.block, directive))
        ref = LoopRef(directive.out, ref.stage, group, Kind.DATA, hoisted=True)
        self._know(directive.out, ref, directive.span.line)

    def _scatter(self, directive: Scatter) -> None:
        ref = self._own(directive.loop, directive, 0, "scatter")
        if ref is None:
            return
        if ref.kind is not Kind.DATA or directive.loop not in self.plan.tables[ref.stage].axis_of:
            message = f"scatter takes the loop of an axis, {directive.loop} is none"
            self._problems.add("S15", message, directive, arg=0)
            return
        self.scatters.append(directive)
        self.plan.registry.spend(
            directive.loop, f"has no loop in the update: it was scattered{_on_line(directive)}"
        )


def _on_line(directive: ScheduleDirective) -> str:
    return f" on line {directive.span.line}" if directive.span.line else ""
