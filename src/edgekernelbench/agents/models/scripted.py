"""A model that plays back a list; for tests and for documentation."""

from collections.abc import Iterable
from threading import Lock

from edgekernelbench.agents.models.protocol import Reply, Request, Usage
from edgekernelbench.agents.tokens import estimate_tokens
from edgekernelbench.base.errors import ModelError


class ScriptedModel:
    """Answers with a fixed list, in order, and remembers what it was asked.

    Attributes:
        name: The name under which its answers are recorded.
        asked: Every request so far.
    """

    def __init__(self, answers: Iterable[str], name: str = "scripted") -> None:
        self.name = name
        self.asked: list[Request] = []
        self._answers = list(answers)
        self._lock = Lock()

    def complete(self, request: Request) -> Reply:
        """Give the next answer of the list.

        Raises:
            ModelError: When the list is used up.
        """
        with self._lock:
            number = len(self.asked)
            self.asked.append(request)
        if number >= len(self._answers):
            raise ModelError(
                f"the script of {self.name!r} has {len(self._answers)} answers, asked for one more"
            )
        text = self._answers[number]
        read = sum(estimate_tokens(m.content) for m in request.messages)
        return Reply(
            text,
            Usage(input=read, output=estimate_tokens(text), estimated=True),
            request_id=f"scripted-{number}",
            model=self.name,
        )
