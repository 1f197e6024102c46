"""Random legal layers: directives are tried one after another, refused ones left out."""

import random
from dataclasses import dataclass, field, replace

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.memory import (
    Accumulate,
    Cache,
    Fold,
    Layout,
    LayoutSpec,
    Memory,
    MemoryDirective,
    Piece,
    Place,
    Reuse,
)
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
    Unroll,
    Vectorize,
)
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.inlining import apply_inline, apply_precompute
from edgekernelbench.nest.plan import Plan
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.scheduling import resolve_schedule
from edgekernelbench.nest.tree import Kind, Nest
from edgekernelbench.nest.work import make_program
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.facts import Facts

Directive = ScheduleDirective | MemoryDirective


@dataclass
class Growing:
    """A kernel whose schedule and memory layer grow by legal directives."""

    facts: Facts
    target: str
    profile: Profile
    rng: random.Random
    schedule: list[ScheduleDirective] = field(default_factory=list)
    memory: list[MemoryDirective] = field(default_factory=list)
    names: int = 0
    tried: int = 0

    def with_layers(self, schedule: list[ScheduleDirective], memory: list[MemoryDirective]) -> Facts:
        """Give the kernel these layers."""
        layers = (
            (Schedule((self.target,), tuple(schedule)),),
            (Memory((self.target,), tuple(memory)),),
        )
        kernel = replace(self.facts.kernel, schedules=layers[0], memories=layers[1])
        return replace(self.facts, kernel=kernel)

    def grow(self, steps: int) -> Facts:
        """Try a number of directives and keep the legal ones."""
        for _ in range(steps):
            made = self._draw()
            if made is None:
                continue
            self.tried += 1
            schedule, memory = list(self.schedule), list(self.memory)
            (memory if isinstance(made, MemoryDirective) else schedule).append(made)  # type: ignore[arg-type]
            if self.build(schedule, memory) is not None:
                self.schedule, self.memory = schedule, memory
        return self.with_layers(self.schedule, self.memory)

    def build(self, schedule: list[ScheduleDirective], memory: list[MemoryDirective]) -> Nest | None:
        """Build the nest; None when it is refused."""
        try:
            return build_nest(self.with_layers(schedule, memory), self.target, self.profile)
        except SourceError:
            return None

    def _plan(self) -> Plan:
        problems = Problems(self.target)
        layer = Schedule((self.target,), tuple(self.schedule))
        written = make_program(self.facts)
        inlined = apply_inline(written, layer, problems, 10_000)
        whole = apply_precompute(inlined, layer, problems)
        removed = dict.fromkeys(written.stages.keys() - inlined.stages.keys(), "inlined")
        removed |= dict.fromkeys(whole.precomputed, "precomputed")
        stages = {n: s for n, s in whole.stages.items() if n not in removed}
        groups = {n: g for n, g in whole.groups.items() if g.stages[0] in stages}
        return resolve_schedule(replace(whole, stages=stages, groups=groups), layer, removed, problems)

    def _draw(self) -> Directive | None:
        plan, rng = self._plan(), self.rng
        stage = rng.choice(list(plan.program.stages))
        loops = plan.tables[stage].sequence
        every = [loop for table in plan.tables.values() for loop in table.sequence]
        shared = [name for name, ref in plan.refs.items() if ref.group]
        loop = rng.choice(loops) if loops else None
        if rng.random() < 0.35:
            return self._draw_memory(plan, stage, [*every, *shared])
        if loop is None:
            return None
        some = rng.sample(loops, min(len(loops), rng.randint(1, 3)))
        reduced = [one for one in loops if plan.tables[stage].kinds[one] is Kind.REDUCTION]
        self.names += 1
        fresh = [f"l{self.names}{letter}" for letter in "abc"]
        placed = ComputeAt(stage, rng.choice([*every, *shared]))
        axis = rng.choice(plan.program.stages[stage].axes or ("none",))
        hoisted = [h.loop for found in plan.hoisted.values() for h in found]
        marked = rng.choice([some, some, [rng.choice(hoisted)] if hoisted else some])
        gpu = self.target != "llvm"
        choices: list[Directive | None] = [
            Split(tuple(fresh[:2]), loop, (rng.choice((2, 3, 4, 5)),)),
            Split(tuple(fresh), loop, (rng.choice((2, 3)), rng.choice((2, 4)))),
            Fuse(fresh[0], tuple(some)) if len(some) > 1 else None,
            Order(tuple(rng.sample(loops, len(loops)))),
            placed,
            placed,
            placed,
            Rfactor(fresh[0], rng.choice(reduced)) if reduced else None,
            Hoist(fresh[0], f"{stage}.{axis}", rng.choice((1, 2, 3))),
            Vectorize((loop,)),
            Unroll((loop,)),
            Bind(tuple(marked), rng.choice(THREAD_TAGS)) if gpu else Parallel(tuple(marked)),
            Bind((loop,), rng.choice(THREAD_TAGS)) if gpu else Parallel(tuple(loops[:1])),
            Scatter(f"{stage}.{axis}"),
            Inline((stage,)) if rng.random() < 0.5 else None,
            Precompute((stage,)) if rng.random() < 0.5 else None,
        ]
        return rng.choice(choices)

    def _draw_memory(self, plan: Plan, stage: str, loops: list[str]) -> Directive | None:
        rng, program = self.rng, plan.program
        tensors = [*program.stages, *program.params, *program.tables]
        tensor = rng.choice(tensors)
        found = program.stages.get(tensor) or program.params.get(tensor) or program.tables.get(tensor)
        rank = len(found.shape) if found is not None else 0
        ordered = program.stages[stage].ordered
        scope = rng.choice(("local", "shared", "global"))
        cache = Cache(
            tensor,
            scope,
            rng.choice(loops) if loops else "none",
            vector=rng.choice((1, 1, 2)),
            buffers=rng.choice((1, 2)),
            pad=rng.choice((0, 1)),
            layout=self._layout(rank) if rng.random() < 0.3 else None,
        )
        choices: list[Directive | None] = [
            Layout(tensor, self._layout(rank)),
            Place(stage, scope, pad=rng.choice((0, 1))),
            cache,
            cache,
            Accumulate(stage, scope),
            Fold(f"{stage}.{rng.choice(ordered)}", rng.choice((1, 2, 3))) if ordered else None,
            Reuse(stage, rng.choice(list(program.stages))),
        ]
        return rng.choice(choices)

    def _layout(self, rank: int) -> LayoutSpec:
        axes = [f"a{place}" for place in range(rank)]
        pieces: list[Piece] = []
        for axis in axes:
            if self.rng.random() < 0.4:
                size = self.rng.choice((2, 3, 4))
                pieces += [Piece(axis, size), Piece(axis, 1, size)]
            else:
                pieces.append(Piece(axis))
        self.rng.shuffle(pieces)
        return LayoutSpec(tuple(axes), tuple(pieces))
