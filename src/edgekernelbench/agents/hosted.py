"""An agent that lives elsewhere: it comes to a counter and asks, in its own time and order.

```text
agent of others ──(MCP, command line)──▶ Counter ──▶ the doors of one attempt, with its ledger
```
What it has measured best is its answer, whatever becomes of it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from edgekernelbench.agents.ledger import merit
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task
from edgekernelbench.base.errors import BudgetExceeded, EkbError

NOTHING_YET = "nothing has been measured yet: call measure with a whole kernel text"


class Counter:
    """What an agent from elsewhere may ask about one task. It may be called from any thread.

    Args:
        task: The task.
        doors: The doors of the attempt.
    """

    def __init__(self, task: Task, doors: Doors) -> None:
        self.task = task
        self.failure: EkbError | None = None
        """Why nothing more can be learnt; then the attempt is made again."""
        self._doors = doors
        self._lock = Lock()
        self._best: tuple[str, Feedback] | None = None
        self._accepted = ""

    def card(self) -> str:
        """Give the rules, the language and the card of the task."""
        return f"{self.task.system}\n\n{self.task.prompt}"

    def check(self, source: str) -> str:
        """Check a text: free.

        Args:
            source: The whole kernel text.
        """
        feedback = self._ask(self._doors.check, source)
        if isinstance(feedback, str):
            return feedback
        if feedback.accepted:
            self._accepted = source
        return feedback.text

    def measure(self, source: str) -> str:
        """Measure a text on the device: one submission.

        Args:
            source: The whole kernel text.
        """
        feedback = self._ask(self._doors.measure, source)
        if isinstance(feedback, str):
            return feedback
        with self._lock:
            if self._best is None or merit(feedback) > merit(self._best[1]):
                self._best = source, feedback
        return feedback.text

    def best(self) -> str:
        """Give the best text that was measured, and what was said of it."""
        with self._lock:
            best = self._best
        return NOTHING_YET if best is None else f"{best[0].rstrip()}\n\n{best[1].text}"

    def left(self) -> str:
        """Say what is left of the budget."""
        return str(self._doors.left())

    def answer(self) -> Answer:
        """Give what counts: the best that was measured, else the last text that was accepted.

        Raises:
            EkbError: When something that is not the agent's fault ended the session.
        """
        if self.failure is not None:
            raise self.failure
        if self._best is not None:
            return Answer(self._best[0], "the best that was measured")
        note = "the last text that was accepted" if self._accepted else "no text was accepted"
        return Answer(self._accepted, note)

    def _ask(self, door: Callable[[str], Feedback], source: str) -> Feedback | str:
        if self.failure is not None:
            return f"this session has ended: {self.failure}"
        try:
            return door(source)
        except BudgetExceeded as spent:
            return f"not measured: {spent}; the best text so far is your answer"
        except EkbError as error:
            self.failure = error
            return f"this session has ended: {error}"


Host = Callable[[Counter], None]
"""Lets an agent come to a counter; returns when it has left."""


@dataclass(frozen=True, slots=True)
class Hosted:
    """The agent at the counter, as a run sees it.

    Attributes:
        host: Opens the counter.
        name: The name of its row.
    """

    host: Host
    name: str = "mcp"

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Wait until the agent has left; give what counts."""
        counter = Counter(task, doors)
        self.host(counter)
        return counter.answer()
