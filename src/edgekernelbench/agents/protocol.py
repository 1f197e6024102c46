"""An agent: a function from a task to a text, with three doors and no window.

```text
            task ──▶ agent ──▶ answer
                      │ │ │
     chat (counted) ──┘ │ └── measure (counted)
                 check (free)
```
"""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol

from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.notes import Note
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.records.attempt import Visit
from edgekernelbench.records.language import Language


class Track(StrEnum):
    """Which question is asked; the two are never in one table."""

    WRITE = "write"
    """The card shows the PyTorch function; the canonical text is out of reach."""
    OPTIMISE = "optimise"
    """Every agent gets the canonical compute text, and may return it."""


@dataclass(frozen=True, slots=True)
class Shot:
    """A worked example as a turn of a conversation.

    Attributes:
        prompt: What is asked.
        answer: The answer.
    """

    prompt: str
    answer: str


@dataclass(frozen=True, slots=True)
class Task:
    """What an agent is told about one workload: never the inputs it will be judged on.

    Attributes:
        workload: Id of the workload.
        target: `llvm`, `cuda` or `opencl`.
        track: Which question is asked.
        system: The language and the rules: the same for all workloads, so that providers can cache it.
        prompt: The card of this workload.
        start: In the optimise track, the text that every agent is given; else None.
        sample: Number of the attempt, from 0.
        signature: The `def` line that a kernel must have, up to names; empty when it is not known.
        shots: Worked examples that come before the prompt as turns; empty when they stand in the card.
        language: The language reference alone, for agents that have rules of their own.
        examples: The worked examples of the card alone.
        device: What the card says of the device, one line.
        written_in: What the answer is written in.
    """

    workload: str
    target: str
    track: Track
    system: str
    prompt: str
    start: str | None = None
    sample: int = 0
    signature: str = ""
    shots: tuple[Shot, ...] = ()
    language: str = ""
    examples: str = ""
    device: str = ""
    written_in: Language = "kernel"


@dataclass(frozen=True, slots=True)
class Left:
    """What is left of a budget; None where nothing limits.

    Attributes:
        submissions: Calls of `measure`.
        tokens: Tokens read and written.
        money: In the currency of the price table.
        seconds: Time of the agent, without waiting for the device.
        calls: Calls of the model.
    """

    submissions: int | None = None
    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None
    calls: int | None = None

    def __str__(self) -> str:
        parts = [
            _count(self.submissions, "submission") if self.submissions is not None else "",
            f"{self.tokens:,} tokens" if self.tokens is not None else "",
            f"{self.money:.4f} of money" if self.money is not None else "",
            f"{self.seconds:.0f} s" if self.seconds is not None else "",
            _count(self.calls, "call") if self.calls is not None else "",
        ]
        return ", ".join(p for p in parts if p) or "no limit"


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


@dataclass(frozen=True, slots=True)
class Feedback:
    """What an agent hears about a text.

    Attributes:
        text: All that it may know, written for a reader.
        accepted: Whether the text parses, verifies and fits.
        correct: Whether its values agree; None when it was not run.
        time: Median time of one run; None unless it was measured and correct.
        ratio: Time of the baseline over `time`; None likewise.
        codes: Codes of the refusals.
        left: What is left of the budget.
    """

    text: str
    accepted: bool
    correct: bool | None = None
    time: Nanoseconds | None = None
    ratio: float | None = None
    codes: tuple[str, ...] = ()
    left: Left = Left()


Check = Callable[[str], Feedback]
"""The free door: parse, verify, limits, build, cost, values on two public inputs."""

Judge = Callable[[str], Feedback]
"""The counted door `measure`: the device."""

Chat = Callable[[Request], Reply]
"""The counted door to the model."""

Inspect = Callable[[Kernel], StaticReport]
"""The free door to static feedback: what a kernel will cost on the device at hand, before it runs."""


def untold(request: Request, reply: Reply) -> None:
    """Take no notice of a call of a model that was made elsewhere."""
    del request, reply


def unnoted(note: Note) -> None:
    """Take no notice of what an agent says about a step."""
    del note


@dataclass(frozen=True, slots=True)
class Doors:
    """All that an agent can reach.

    Attributes:
        check: Free.
        measure: One submission a call.
        chat: The model, in tokens; absent for agents without a model.
        left: What is left now.
        inspect: Static feedback, free; absent where there is none.
        note: Takes what an agent says about a step, for the trajectory.
        told: Takes a call of the model that was made elsewhere and seen by a proxy: it counts like any other.
    """

    check: Check
    measure: Judge
    left: Callable[[], Left]
    chat: Chat | None = None
    inspect: Inspect | None = None
    note: Callable[[Note], None] = unnoted
    told: Callable[[Request, Reply], None] = untold


@dataclass(frozen=True, slots=True)
class Answer:
    """What an agent hands in.

    Attributes:
        source: The kernel text; empty when there was none, which is an attempt all the same.
        note: Why it is this text, for the record: one sentence.
        visit: How an agent from elsewhere worked; None for agents of ours.
        log: What it wrote while it worked.
    """

    source: str
    note: str = ""
    visit: Visit | None = None
    log: str = ""


class Agent(Protocol):
    """Anything that answers a task with kernel text."""

    @property
    def name(self) -> str:
        """The name of its row."""
        ...

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Answer one task.

        Args:
            task: What to write.
            doors: What may be asked.

        Returns:
            The text to be judged.

        Raises:
            BudgetExceeded: When a limit was reached first; what is best so far still counts.
            ModelError: When the model's endpoint failed: the attempt is unjudged.
        """
        ...
