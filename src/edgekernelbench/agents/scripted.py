"""An agent that plays back a list; for tests and for documentation."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task


@dataclass(slots=True)
class Scripted:
    """Submits fixed texts in turn, and hands in the last.

    Attributes:
        texts: The texts for each workload; a workload that is not named gets none.
        name: The name of its row.
        heard: What it was told, in order.
    """

    texts: Mapping[str, Sequence[str]]
    name: str = "scripted"
    heard: list[Feedback] = field(default_factory=list)

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Measure every text but the last, which the final verdict measures."""
        texts = self.texts.get(task.workload, ())
        self.heard.extend(doors.measure(text) for text in texts[:-1])
        return Answer(texts[-1]) if texts else Answer("", "the script has no text for this workload")
