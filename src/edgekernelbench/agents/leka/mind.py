"""Who is asked where judgement is needed: a language model, the built-in policy, or both in turn.

Every method is a pure function of what it is given and of what `ask` answers, so that any step can be
replayed from its record. A mind without a model takes no notice of `ask`.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from edgekernelbench.agents.leka.state import Author, Candidate, Plan, State
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.protocol import Left, Task
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.profiles.profile import Profile

Ask = Callable[[Request], Reply]
"""Asks the model; every call counts."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What is known before the first step, and does not change.

    Attributes:
        task: The card.
        profile: The device.
        submissions: Submissions of the whole budget; None when nothing limits them.
        seed: Of everything that is drawn.
        left: What is left of the budget once the start was measured.
    """

    task: Task
    profile: Profile
    submissions: int | None
    seed: int
    left: Left = field(default_factory=Left)

    def chance(self, step: int, salt: str) -> random.Random:
        """Give the random numbers of one place of one step: the same in a replay."""
        return random.Random(f"{self.seed}/{step}/{salt}")  # noqa: S311 - reproducible, no secret


@dataclass(frozen=True, slots=True)
class Analysis:
    """What bounds this workload and what might be done: asked once, shown with every plan.

    Attributes:
        text: Conclusions, a few sentences.
    """

    text: str


@dataclass(frozen=True, slots=True)
class View:
    """What a planner sees.

    Attributes:
        ground: What does not change.
        analysis: What was concluded at the beginning.
        state: Candidates, trials and conclusions so far.
        parent: The candidate that the step starts from.
        report: Static feedback of the parent; None in the ablation without it.
        allowed: Layers that may be planned: those that do not rest.
        left: What is left of the budget.
        step: Number of the step, from 1.
    """

    ground: Ground
    analysis: Analysis
    state: State
    parent: Candidate
    report: StaticReport | None
    allowed: tuple[Layer, ...]
    left: Left
    step: int


@dataclass(frozen=True, slots=True)
class Revision:
    """A new text of one layer.

    Attributes:
        text: The blocks of this layer for the task's target, with constants above them if wanted, as
            `lang.layers.replace_layer` takes them; knobs (`choose`) allowed. Empty when there is none.
        author: Who wrote it.
        note: Why it is empty, or what is said about it.
        giving_up: For a compute layer that the frozen schedule and memory cannot fit: they are given up, by
            the author's word, and written by the default rules, or left empty in the *write* track.
        others: What other layers become with it, where the author's own rules write all of them, as the
            built-in policy does: a tile asks for a layout. The gain is put down to the layer of the plan.
    """

    text: str
    author: Author = Author.MODEL
    note: str = ""
    giving_up: bool = False
    others: tuple[tuple[Layer, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why the gate let a revision not pass: the first complaint alone.

    Attributes:
        stage: `parse`, `layers`, `check` or `values`.
        text: The complaint with its line, caret and hint.
        broken: Whether a frozen layer no longer fits: its directive is named, and nothing was edited.
    """

    stage: str
    text: str
    broken: bool = False


@dataclass(frozen=True, slots=True)
class NoPlan:
    """Nothing was planned.

    Attributes:
        reason: Why: an answer that cannot be read, or no move left.
        spent: Whether there is nothing more to try at all; the controller then only swaps layers, and ends.
    """

    reason: str
    spent: bool = False


@dataclass(frozen=True, slots=True)
class Beginning:
    """What the writer of the first text sees.

    Attributes:
        ground: The task.
        number: How many texts it wrote before.
        last: The last one, when it is to be mended; empty for a fresh one.
        problem: What was wrong with it.
        left: What is left of the budget.
    """

    ground: Ground
    number: int
    last: str
    problem: str
    left: Left


@runtime_checkable
class Mind(Protocol):
    """Plans and writes; decides neither what is measured nor what is kept."""

    @property
    def author(self) -> Author:
        """Whose text it writes."""
        ...

    def begin(self, given: Beginning, ask: Ask) -> str:
        """Write the first whole text (*write* track only).

        Returns:
            A kernel text; empty when there is none.
        """
        ...

    def analyse(self, ground: Ground, start: Candidate, report: StaticReport | None, ask: Ask) -> Analysis:
        """Say what bounds this workload; asked once."""
        ...

    def plan(self, view: View, ask: Ask) -> Plan | NoPlan:
        """Choose exactly one layer and one bottleneck."""
        ...

    def revise(self, view: View, plan: Plan, ask: Ask) -> Revision:
        """Write the layer of a plan anew; the others are frozen."""
        ...

    def repair(self, view: View, plan: Plan, revision: Revision, refusal: Refusal, ask: Ask) -> Revision:
        """Mend a revision that the gate refused; asked at most twice a plan."""
        ...

    def reflect(self, view: View, ask: Ask) -> tuple[str, ...]:
        """Draw conclusions from `view.state`: what held, what to avoid; they replace the old ones."""
        ...
