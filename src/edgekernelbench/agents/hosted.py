"""An agent that lives elsewhere: it comes to a counter and asks, in its own time and order.

```text
agent of others ──(MCP, command line)──▶ Counter ──▶ the doors of one attempt, with its ledger
```
What it has measured best is its answer, whatever becomes of it.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock

from edgekernelbench.agents.ledger import BEST, merit
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task
from edgekernelbench.base.errors import BudgetExceeded, EkbError

SPENT = "not measured: {}; the best text so far is your answer"
HOW_TO_ANSWER = "Your answer is the best text that was measured, not what you say at the end."
"""The rules are those of agents that are asked once, and answer in words."""
NOTHING_YET = "nothing has been measured yet: call measure with a whole kernel text"


@dataclass(frozen=True, slots=True)
class Said:
    """What an agent is told at the counter.

    Attributes:
        text: All of it.
        good: Whether the text that it asked about is correct, as far as was looked at.
    """

    text: str
    good: bool = True


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
        self.last = time.monotonic()
        """When it was last asked, by the monotonic clock."""
        self.asked = 0
        """How often it was asked."""
        self.busy = 0
        """How many questions about texts are being answered."""
        self._doors = doors
        self._lock = Lock()
        # One at a time: whoever asks twice at once would find the budget as it was before either.
        self._turn = Lock()
        self._best: tuple[str, Feedback] | None = None
        self._accepted = ""

    def card(self) -> str:
        """Give the rules, the language, the card of the task, and how it is answered."""
        self._note()
        return f"{self.task.system}\n\n{self.task.prompt.rstrip()}\n\n{HOW_TO_ANSWER}"

    def check(self, source: str) -> str:
        """Check a text: free.

        Args:
            source: The whole kernel text.
        """
        return self.hear_check(source).text

    def hear_check(self, source: str) -> Said:
        """Check a text; also say whether it is good."""
        feedback = self._ask(self._doors.check, source)
        if isinstance(feedback, str):
            return Said(feedback, good=False)
        if feedback.accepted:
            self._accepted = source
        return Said(feedback.text, good=bool(feedback.correct))

    def measure(self, source: str) -> str:
        """Measure a text on the device: one submission.

        Args:
            source: The whole kernel text.
        """
        return self.hear_measure(source).text

    def hear_measure(self, source: str) -> Said:
        """Measure a text; also say whether it is good."""
        feedback = self._ask(self._doors.measure, source)
        if isinstance(feedback, str):
            return Said(feedback, good=False)
        with self._lock:
            if self._best is None or merit(feedback) > merit(self._best[1]):
                self._best = source, feedback
        return Said(feedback.text, good=bool(feedback.correct))

    def best(self) -> str:
        """Give the best text that was measured, and what was said of it."""
        self._note()
        with self._lock:
            best = self._best
        if best is None:
            return NOTHING_YET
        source, feedback = best
        said = feedback.text.removesuffix(f"left: {feedback.left}").rstrip()
        return f"{source.rstrip()}\n\n{said}\nleft: {self._doors.left()}"

    def left(self) -> str:
        """Say what is left of the budget."""
        self._note()
        return str(self._doors.left())

    def answer(self) -> Answer:
        """Give what counts: the best that was measured, else the last text that was accepted.

        Raises:
            EkbError: When something that is not the agent's fault ended the session.
        """
        if self.failure is not None:
            raise self.failure
        if self._best is not None:
            return Answer(self._best[0], BEST)
        note = "the last text that was accepted" if self._accepted else "no text was accepted"
        return Answer(self._accepted, note)

    def _ask(self, door: Callable[[str], Feedback], source: str) -> Feedback | str:
        if self.failure is not None:
            return f"this session has ended: {self.failure}"
        self._note(1)
        try:
            with self._turn:
                return door(source)
        except BudgetExceeded as spent:
            return SPENT.format(spent)
        except EkbError as error:
            self.failure = error
            return f"this session has ended: {error}"
        finally:
            self._note(-1)

    def _note(self, more: int = 0) -> None:
        """Note that the agent is alive, and how much it waits for."""
        with self._lock:
            self.last = time.monotonic()
            self.asked += more >= 0
            self.busy += more


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
