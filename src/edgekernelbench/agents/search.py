"""Arms without a language model: whatever proposes candidates, one submission each, until they are spent."""

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task

MOST = 1000
"""Candidates where nothing limits submissions."""


class Proposer(Protocol):
    """Proposes candidates for one task, and hears what became of each."""

    def propose(self) -> str | None:
        """Give the next candidate, as the door `measure` takes it; None when there is none any more."""
        ...

    def learn(self, feedback: Feedback) -> None:
        """Hear what became of the last candidate."""
        ...


OpenProposer = Callable[[Task], AbstractContextManager[Proposer]]
"""Starts the search of one task."""


@dataclass(frozen=True, slots=True)
class Search:
    """Measures what a proposer proposes; the best that was measured is what counts.

    Attributes:
        name: The name of its row.
        open: Starts the search of a task.
    """

    name: str
    open: OpenProposer

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Spend the submissions of one task."""
        best: tuple[float, str] | None = None
        measured = 0
        with self.open(task) as proposer:
            while measured < MOST and doors.left().submissions != 0:
                source = proposer.propose()
                if source is None:
                    break
                feedback = doors.measure(source)
                proposer.learn(feedback)
                measured += 1
                if feedback.time is not None and (best is None or feedback.time < best[0]):
                    best = (float(feedback.time), source)
        if best is None:
            return Answer(task.start or "", f"none of {measured} candidates was right: the text as given")
        return Answer(best[1], f"the fastest of {measured} candidates")
