"""What hangs on final loops: scatter, order, marks, places."""

from dataclasses import replace

from edgekernelbench.ir.schedule import (
    THREAD_TAGS,
    Bind,
    ComputeAt,
    Order,
    Parallel,
    Scatter,
    ScheduleDirective,
    Tensorize,
    Unroll,
    Vectorize,
)
from edgekernelbench.nest.factoring import scatter_stage
from edgekernelbench.nest.inlining import no_stage
from edgekernelbench.nest.marks import MarkDirective, Marked, mark_of
from edgekernelbench.nest.plan import Plan
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.registry import LoopRef
from edgekernelbench.nest.tree import Kind, Mark

Later = tuple[ScheduleDirective, list[tuple[int, LoopRef]]]
"""A directive that waits until all loops are made, with the loops that it names and their places."""


class Finisher:
    """Applies what waited until all loops were made."""

    def __init__(self, plan: Plan, removed: dict[str, str], problems: Problems) -> None:
        self.plan = plan
        self._removed = removed
        self._problems = problems

    def finish(self, scatters: list[Scatter], later: list[Later]) -> None:
        """Do everything, in whatever order it was written."""
        for scatter in scatters:
            stage, _, axis = scatter.loop.partition(".")
            program = self.plan.program
            made = scatter_stage(program.stages[stage], axis, scatter, self._problems)
            if made is not None:
                self.plan.program = replace(program, stages={**program.stages, stage: made})
                self.plan.registry.program = self.plan.program
        ordered: dict[str, Order] = {}
        numbers = [d for d, _ in later if isinstance(d, Parallel | Bind)]
        for directive, refs in later:
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

    def _mark(self, directive: MarkDirective, refs: list[tuple[int, LoopRef]], number: int | None) -> None:
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
        if mark is Mark.VECTOR and ref.hoisted:
            message = f"{ref.var} stands round a whole group: vectorize takes a loop of one stage"
            axis = f"{ref.stage}.axis"
            self._problems.add("S17", message, directive, f"hoist({axis}, 8)\nvectorize({axis})", arg=arg)
            return False
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
            what = (
                f"{directive.stage} is" if unit == directive.stage else f"the group of {directive.stage} is"
            )
            self._problems.add("S12", f"{what} computed at {where} already", directive)
        elif refs:
            self.plan.placed[unit] = (refs[0][1].var, directive)
