"""Random schedules and layouts in our own language: what a search without any idea comes to.

A candidate grows directive by directive; one that makes the text illegal is taken back. What is legal is
asked of the same builder of nests that the judge asks.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from edgekernelbench.agents.protocol import Feedback, Task
from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.memory import Accumulate, Layout, LayoutSpec, Memory, MemoryDirective, Piece
from edgekernelbench.ir.schedule import (
    Bind,
    ComputeAt,
    Inline,
    Order,
    Parallel,
    Rfactor,
    Schedule,
    ScheduleDirective,
    Split,
    Unroll,
    Vectorize,
)
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.work import WorkStage, make_program
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

FACTORS = (2, 4, 8, 16, 32, 64)
MOST_DIRECTIVES = 24
STEPS = 40
"""Directives that are tried for one candidate."""

DRAWS = 30
"""Candidates that are drawn for one that was not drawn before."""


class RandomTexts:
    """Draws legal texts for one task."""

    def __init__(self, text: str, profile: Profile, seed: int) -> None:
        """Start a search.

        Args:
            text: A kernel text; only its compute layer counts.
            profile: The device.
            seed: Of all draws.

        Raises:
            SourceError: When the text is wrong.
        """
        self._facts = verify_compute(parse(text))
        self._profile = profile
        self._random = random.Random(seed)  # noqa: S311 - a search, no secret
        self._seen: set[str] = set()

    def propose(self) -> str | None:
        """Draw a text that was not drawn before; None when that fails again and again."""
        for _ in range(DRAWS):
            text = print_kernel(self._draw())
            if text not in self._seen and self._is_whole(text):
                self._seen.add(text)
                return text
        return None

    def _is_whole(self, text: str) -> bool:
        """Whether a text can be read back: names that it makes could be taken."""
        try:
            parse(text)
        except SourceError:
            return False
        return True

    def learn(self, feedback: Feedback) -> None:
        """Learn nothing: draws hang on nothing that was measured."""

    def _draw(self) -> Kernel:
        draft = Draft(self._facts, self._profile, self._random)
        for _ in range(self._random.randint(STEPS // 4, STEPS)):
            draft.grow()
        return draft.kernel()


@contextmanager
def open_random(task: Task, profile: Profile, seed: int) -> Iterator[RandomTexts]:
    """Start the search of a task; attempts of one task draw differently."""
    yield RandomTexts(task.start or "", profile, seed * 7919 + task.sample)


@dataclass(slots=True)
class Draft:
    """A text that grows.

    Attributes:
        facts: The compute layer.
        profile: The device.
        random: Draws.
        schedule: Directives so far.
        memory: Directives so far.
    """

    facts: Facts
    profile: Profile
    random: random.Random
    schedule: list[ScheduleDirective] = field(default_factory=list)
    memory: list[MemoryDirective] = field(default_factory=list)
    _loops: dict[str, list[str]] = field(default_factory=dict)
    _extents: dict[str, int] = field(default_factory=dict)
    _names: int = 0

    def __post_init__(self) -> None:
        for stage in self._stages():
            reduced = stage.reducing.axes if stage.reducing is not None else ()
            sizes = {**stage.size_of, **{axis.name: axis.size for axis in reduced}}
            self._loops[stage.name] = [f"{stage.name}.{a}" for a in sizes if a not in stage.ordered]
            self._extents |= {f"{stage.name}.{a}": size for a, size in sizes.items()}

    def kernel(self) -> Kernel:
        """Give the text so far."""
        target = self.profile.target
        return replace(
            self.facts.kernel,
            schedules=(Schedule((target,), tuple(self.schedule)),),
            memories=(Memory((target,), tuple(self.memory)),),
        )

    def grow(self) -> bool:
        """Try one more directive; give whether it was legal."""
        if len(self.schedule) + len(self.memory) >= MOST_DIRECTIVES:
            return False
        stage = self.random.choice(self._stages())
        kind = self.random.choice(self._kinds())
        made = kind(stage)
        if made is None:
            return False
        where: list[ScheduleDirective] | list[MemoryDirective]
        if isinstance(made, MemoryDirective):
            self.memory.append(made)
            where = self.memory
        else:
            self.schedule.append(made)
            where = self.schedule
        if self._is_legal():
            self._follow(made)
            return True
        where.pop()
        return False

    def _kinds(self) -> list[Callable[[WorkStage], ScheduleDirective | MemoryDirective | None]]:
        shared: list[Callable[[WorkStage], ScheduleDirective | MemoryDirective | None]]
        shared = [self._split, self._split, self._order, self._inline, self._attach, self._layout]
        if self.profile.target != "llvm":
            return [*shared, self._bind, self._unroll]
        return [*shared, self._parallel, self._vectorize, self._unroll, self._factor, self._accumulate]

    def _stages(self) -> list[WorkStage]:
        return list(make_program(self.facts).stages.values())

    def _is_legal(self) -> bool:
        try:
            build_nest(replace(self.facts, kernel=self.kernel()), self.profile.target, self.profile)
        except SourceError:
            return False
        return True

    def _split(self, stage: WorkStage) -> Split | None:
        loops = [loop for loop in self._loops[stage.name] if self._extents[loop] > 2]
        if not loops:
            return None
        loop = self.random.choice(loops)
        factors = [f for f in FACTORS if f < self._extents[loop]]
        self._names += 1
        return Split(
            (f"loop{self._names}_o", f"loop{self._names}_i"), loop, (self.random.choice(factors or [2]),)
        )

    def _order(self, stage: WorkStage) -> Order | None:
        loops = list(self._loops[stage.name])
        if len(loops) < 2:
            return None
        self.random.shuffle(loops)
        return Order(tuple(loops))

    def _inline(self, stage: WorkStage) -> Inline:
        return Inline((stage.name,))

    def _attach(self, stage: WorkStage) -> ComputeAt | None:
        others = [name for name in self._loops if name != stage.name and self._loops[name]]
        if not others:
            return None
        return ComputeAt(stage.name, self.random.choice(self._loops[self.random.choice(others)]))

    def _parallel(self, stage: WorkStage) -> Parallel | None:
        loops = self._loops[stage.name]
        return Parallel(tuple(loops[: self.random.randint(1, min(2, len(loops)))])) if loops else None

    def _vectorize(self, stage: WorkStage) -> Vectorize | None:
        loops = self._loops[stage.name]
        return Vectorize((loops[-1],)) if loops else None

    def _unroll(self, stage: WorkStage) -> Unroll | None:
        loops = [loop for loop in self._loops[stage.name] if self._extents[loop] <= 16]
        return Unroll((self.random.choice(loops),)) if loops else None

    def _factor(self, stage: WorkStage) -> Rfactor | None:
        if stage.reducing is None:
            return None
        data = {f"{stage.name}.{axis}" for axis in stage.axes}
        loops = [loop for loop in self._loops[stage.name] if loop not in data]
        self._names += 1
        return Rfactor(f"part{self._names}_", self.random.choice(loops)) if loops else None

    def _bind(self, stage: WorkStage) -> Bind | None:
        loops = self._loops[stage.name]
        tag = self.random.choice(("blockIdx.x", "blockIdx.y", "threadIdx.x", "threadIdx.y"))
        return Bind((self.random.choice(loops),), tag) if loops else None

    def _accumulate(self, stage: WorkStage) -> Accumulate | None:
        return Accumulate(stage.name, "local") if stage.reducing is not None else None

    def _layout(self, stage: WorkStage) -> Layout | None:
        """Store a stage with its axes in another order, or one of them in blocks."""
        axes = stage.axes
        if len(axes) < 2:
            return None
        if self.random.random() < 0.5:
            pieces = [Piece(a) for a in self.random.sample(axes, len(axes))]
        else:
            axis, block = self.random.choice(axes), self.random.choice(FACTORS[1:5])
            pieces = [Piece(a, block if a == axis else 1) for a in axes] + [Piece(axis, mod=block)]
        return Layout(stage.name, LayoutSpec(axes, tuple(pieces)))

    def _follow(self, made: ScheduleDirective | MemoryDirective) -> None:
        """Keep account of loops."""
        match made:
            case Split(outs=(outer, inner), loop=loop, sizes=(size,)):
                for loops in self._loops.values():
                    if loop in loops:
                        at = loops.index(loop)
                        loops[at : at + 1] = [outer, inner]
                self._extents[outer] = -(-self._extents[loop] // size)
                self._extents[inner] = size
            case Order(loops=order):
                for name, loops in self._loops.items():
                    if set(order) == set(loops):
                        self._loops[name] = list(order)
            case Inline(stages=(name,)):
                self._loops[name] = []
            case _:
                return
