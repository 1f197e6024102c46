"""One prompt, one answer."""

from collections.abc import Callable
from dataclasses import dataclass

from edgekernelbench.agents.extract import extract_text
from edgekernelbench.agents.models.protocol import Message, Request, Role
from edgekernelbench.agents.protocol import Answer, Doors, Task
from edgekernelbench.base.errors import InternalError


@dataclass(frozen=True, slots=True)
class Direct:
    """Shows the card to the model once and hands in what comes back.

    Attributes:
        name: The name of its row.
        max_tokens: The most tokens an answer may have.
        temperature: Sampling temperature; None for the endpoint's default.
        grammar: A grammar that answers must follow, or what gives one for a task; None for free text.
        seed: Base of the seeds; the attempt's number is added, so that attempts differ.
    """

    name: str = "direct"
    max_tokens: int = 4096
    temperature: float | None = None
    grammar: str | Callable[[Task], str] | None = None
    seed: int | None = None

    def request(self, task: Task) -> Request:
        """Give the one request of a task, also for batch files and dry runs."""
        return Request(
            messages=conversation(task),
            max_tokens=self.max_tokens,
            temperature=self.temperature,
            seed=None if self.seed is None else self.seed + task.sample,
            grammar=self.grammar(task) if callable(self.grammar) else self.grammar,
            sample=task.sample,
        )

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Ask once."""
        if doors.chat is None:
            raise InternalError("the direct agent was started without a model")
        reply = doors.chat(self.request(task))
        kernel = extract_text(reply.text, task.written_in)
        return Answer(kernel or "", "" if kernel else "the answer has no kernel")


def conversation(task: Task) -> tuple[Message, ...]:
    """Give a task as the beginning of a conversation: rules, worked examples, card."""
    turns = [(Role.SYSTEM, task.system)]
    for shot in task.shots:
        turns += [(Role.USER, shot.prompt), (Role.ASSISTANT, shot.answer)]
    return tuple(Message(role, text) for role, text in (*turns, (Role.USER, task.prompt)))
