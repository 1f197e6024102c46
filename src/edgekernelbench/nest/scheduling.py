"""Resolves the schedule layer: from directives to loops, marks and places, each name checked."""

from dataclasses import dataclass, field, replace
from typing import assert_never

from edgekernelbench.ir.schedule import (
    THREAD_TAGS,
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
from edgekernelbench.nest.factoring import factor_reduction, scatter_stage
from edgekernelbench.nest.inlining import no_stage
from edgekernelbench.nest.loops import FusedLoop, LoopTable, SplitLoop
from edgekernelbench.nest.marks import Marked, MarkDirective, mark_of
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.registry import LoopRef, Registry
from edgekernelbench.nest.tree import Kind, Mark
from edgekernelbench.nest.work import Program, WorkStage, with_steps


@dataclass(frozen=True, slots=True)
class Hoisted:
    """A loop round a whole group, over blocks of `block` along `axis`."""

    loop: str
    axis: str
    block: int
    directive: Hoist | None = None


@dataclass(slots=True)
class Plan:
    """A program with its loops.

    Attributes:
        program: The stages, those of `rfactor` too.
        target: The target.
        tables: The own loops of each stage.
        hoisted: The hoisted loops of each group, outermost first.
        marks: The mark of each loop.
        placed: Where each unit is computed, and by which directive; root units are not in it.
        refs: Every loop that can be named.
        registry: Finds loops for the memory layer.
    """

    program: Program
    target: str
    registry: Registry
    tables: dict[str, LoopTable] = field(default_factory=dict)
    hoisted: dict[str, list[Hoisted]] = field(default_factory=dict)
    marks: dict[str, Marked] = field(default_factory=dict)
    placed: dict[str, tuple[str, ComputeAt]] = field(default_factory=dict)
    refs: dict[str, LoopRef] = field(default_factory=dict)

    def is_gpu(self) -> bool:
        """Whether the target has blocks and threads."""
        return self.target != "llvm"


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
    scheduler.finish()
    return scheduler.plan


class _Scheduler:
    """Applies directives in text order; what hangs on final loops waits until all loops are made."""

    def __init__(self, program: Program, removed: dict[str, str], problems: Problems) -> None:
        self._problems = problems
        self._removed = removed
        registry = Registry(program, removed, problems)
        self.plan = Plan(program, problems.target, registry)
        self._later: list[tuple[ScheduleDirective, list[tuple[int, LoopRef]]]] = []
        self._scatters: list[Scatter] = []
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
                ref = LoopRef(f"{stage.group}.{axis}", stage.name, stage.group, Kind.ORDERED)
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
        self._later.append((directive, found))

    def _names(self, names: tuple[str, ...], directive: ScheduleDirective) -> bool:
        if len(set(names)) < len(names):
            self._problems.add("S06", f"one name twice: {', '.join(names)}", directive)
            return False
        return all([self.plan.registry.free_name(name, directive) for name in names])

    def _own(self, name: str, directive: ScheduleDirective, arg: int, word: str) -> LoopRef | None:
        """Find a final loop that belongs to one stage and is neither ordered nor hoisted."""
        ref = self.plan.registry.find(name, directive, arg)
        if ref is None or not self.plan.registry.final(name, directive, arg):
            return None
        if ref.group:
            what = "hoisted" if ref.hoisted else "ordered"
            message = f"{name} is {what} and shared by the stages of its group: {word} takes a loop of one stage"
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
        if len(set(directive.loops)) < len(directive.loops) or len(refs) < 2:  # noqa: PLR2004 - a pair
            self._problems.add("S08", "fuse takes two or more different loops", directive)
            return False
        if len({ref.stage for ref in refs}) > 1:
            owners = ", ".join(f"{r.var} of {r.stage}" for r in refs)
            self._problems.add("S08", f"fuse takes loops of one stage, found {owners}", directive)
            return False
        if len({ref.kind for ref in refs}) > 1:
            kinds = ", ".join(f"{r.var} is a {r.kind} loop" for r in refs)
            self._problems.add("S08", f"fuse takes data loops or reduction loops, not both: {kinds}", directive)
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
            self._problems.add("S11", message, directive, f"order({directive.loop}, …) puts it outermost", arg=0)
        elif ref is not None and (ref.kind is not Kind.DATA or ref.hoisted):
            what = "hoisted already" if ref.hoisted else f"a loop of kind {ref.kind}"
            self._problems.add("S13", f"{directive.loop} is {what}, hoist takes a free axis", directive, arg=0)
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
        self._scatters.append(directive)
        self.plan.registry.spend(directive.loop, f"has no loop in the update: it was scattered{_on_line(directive)}")

    def finish(self) -> None:
        """Do what hangs on final loops: scatter, order, marks, places."""
        for scatter in self._scatters:
            stage, _, axis = scatter.loop.partition(".")
            program = self.plan.program
            made = scatter_stage(program.stages[stage], axis, scatter, self._problems)
            if made is not None:
                self.plan.program = replace(program, stages={**program.stages, stage: made})
                self.plan.registry.program = self.plan.program
        ordered: dict[str, Order] = {}
        numbers = [d for d, _ in self._later if isinstance(d, Parallel | Bind)]
        for directive, refs in self._later:
            final = [(arg, ref) for arg, ref in refs if self._final(ref, directive, arg)]
            match directive:
                case Order():
                    self._order(directive, final, ordered)
                case Parallel() | Vectorize() | Unroll() | Bind() | Tensorize():
                    number = numbers.index(directive) if isinstance(directive, Parallel | Bind) else None
                    self._mark(directive, final, number)
                case ComputeAt():
                    self._place(directive, final)
                case _:
                    pass

    def _final(self, ref: LoopRef, directive: ScheduleDirective, arg: int) -> bool:
        if ref.var not in self.plan.refs:
            self.plan.registry.find(ref.var, directive, arg)
            return False
        return self.plan.registry.final(ref.var, directive, arg) if not ref.group else True

    def _order(self, directive: Order, refs: list[tuple[int, LoopRef]], ordered: dict[str, Order]) -> None:
        for arg, ref in refs:
            if ref.group:
                message = f"{ref.var} is shared by the stages of its group: order names loops of one stage"
                self._problems.add("S09", message, directive, arg=arg)
                return
        if len(refs) < len(directive.loops):
            return
        stages = {ref.stage for _, ref in refs}
        if len(stages) > 1 or len(set(directive.loops)) < len(directive.loops):
            owners = ", ".join(f"{ref.var} of {ref.stage}" for _, ref in refs)
            self._problems.add("S09", f"order takes different loops of one stage, found {owners}", directive)
            return
        stage = stages.pop()
        if stage in ordered:
            line = ordered[stage].span.line
            message = f"the loops of {stage} are ordered already" + (f" on line {line}" if line else "")
            self._problems.add("S10", message, directive, "one order with all its loops")
            return
        ordered[stage] = directive
        sequence = self.plan.tables[stage].sequence
        places = sorted(sequence.index(ref.var) for _, ref in refs)
        for place, (_, ref) in zip(places, refs, strict=True):
            sequence[place] = ref.var

    def _mark(
        self, directive: MarkDirective, refs: list[tuple[int, LoopRef]], number: int | None
    ) -> None:
        if not self._target_has(directive):
            return
        if isinstance(directive, Bind) and directive.tag not in THREAD_TAGS:
            known = ", ".join(THREAD_TAGS)
            self._problems.add("S01", f"{directive.tag!r} is none of {known}", directive)
            return
        mark = mark_of(directive)
        for arg, ref in refs:
            if not self._kind_fits(directive, mark, arg, ref):
                continue
            old = self.plan.marks.get(ref.var)
            if old is not None:
                message = f"{ref.var} has a mark already: {old.mark}"
                self._problems.add("S18", message, directive, arg=arg)
                continue
            name = directive.name if isinstance(directive, Tensorize) else ""
            self.plan.marks[ref.var] = Marked(mark, directive, number, name)

    def _target_has(self, directive: MarkDirective) -> bool:
        gpu = self.plan.is_gpu()
        if isinstance(directive, Parallel) and gpu:
            message = "parallel is for llvm; here loops are bound"
            loops = ", ".join(directive.loops)
            self._problems.add("S16", message, directive, f'bind({loops}, "blockIdx.x")')
            return False
        if isinstance(directive, Bind) and not gpu:
            message = "bind is for cuda and opencl; llvm has parallel, vectorize and unroll"
            self._problems.add("S16", message, directive, f"parallel({', '.join(directive.loops)})")
            return False
        return True

    def _kind_fits(self, directive: MarkDirective, mark: Mark, arg: int, ref: LoopRef) -> bool:
        if mark in (Mark.UNROLL, Mark.TENSOR) or ref.kind is Kind.DATA:
            return True
        if isinstance(directive, Bind) and ref.kind is Kind.REDUCTION:
            return True
        word = {Mark.PARALLEL: "parallel", Mark.VECTOR: "vectorize"}.get(mark, "bind")
        if ref.kind is Kind.ORDERED:
            message = f"{ref.var} is an ordered loop: {word} takes data loops"
            self._problems.add("S17", message, directive, arg=arg)
            return False
        message = f"{ref.var.rpartition('.')[2]} is a reduction loop: {word} takes data loops"
        self._problems.add("S17", message, directive, self._split_reduction(ref, word), arg=arg)
        return False

    def _split_reduction(self, ref: LoopRef, word: str) -> str:
        """Write the lines that make a data loop of a reduction loop."""
        axis = ref.var.rpartition(".")[2]
        outer, inner = f"{axis}o", f"{axis}i"
        return "\n".join(
            [
                f"{outer}, {inner} = split({ref.var}, 16)",
                f"part = rfactor({inner})",
                f"order(part.{outer}, part.{inner})",
                f"{word}(part.{inner})",
            ]
        )

    def _place(self, directive: ComputeAt, refs: list[tuple[int, LoopRef]]) -> None:
        program = self.plan.program
        if self.plan.registry.is_poisoned(directive.stage):
            return
        if directive.stage in self._removed:
            what = self._removed[directive.stage]
            message = f"{directive.stage} is {what}, so it is computed nowhere else"
            self._problems.add("S03", message, directive, arg=0)
            return
        if directive.stage not in program.stages:
            self._problems.add("S02", no_stage(directive.stage, program), directive, arg=0)
            return
        unit = program.unit_of(directive.stage)
        if unit in self.plan.placed:
            where = self.plan.placed[unit][0]
            what = f"{directive.stage} is" if unit == directive.stage else f"the group of {directive.stage} is"
            self._problems.add("S12", f"{what} computed at {where} already", directive)
        elif refs:
            self.plan.placed[unit] = (refs[0][1].var, directive)


def _on_line(directive: ScheduleDirective) -> str:
    return f" on line {directive.span.line}" if directive.span.line else ""
