"""The account of one attempt, kept outside the agent.

Every call of the model counts, also one whose answer is of no use; every measurement counts, also
one of a text that was refused. What is left stands in every reply; what is best so far always counts.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from threading import RLock
from typing import TypeVar

from edgekernelbench.agents.models.protocol import ChatModel, Reply, Request, Usage
from edgekernelbench.agents.prices import Price
from edgekernelbench.agents.protocol import (
    Agent,
    Answer,
    Chat,
    Check,
    Doors,
    Feedback,
    Inspect,
    Judge,
    Left,
    Task,
)
from edgekernelbench.base.errors import BudgetExceeded, PrerequisiteError

BEST = "the best that was measured"
NS_PER_SECOND = 1_000_000_000
Number = TypeVar("Number", int, float)


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits of one attempt. None is "no limit", 0 is none at all."""

    submissions: int | None = None
    tokens: int | None = None
    money: float | None = None
    seconds: float | None = None
    calls: int | None = None

    def whole(self) -> Left:
        """Give all of it, as what is left before the first call."""
        return Left(self.submissions, self.tokens, self.money, self.seconds, self.calls)


Heard = Callable[[Request, Reply], None]
"""Is told of every call of the model, as it happens, so that it can be stored."""


class Ledger:
    """What one attempt has used, and the doors that count.

    Attributes:
        budget: The limits.
        usage: Tokens so far.
        calls: Calls of the model so far.
        submissions: Measurements so far.
        checks: Free checks so far.
        money: Money so far; None when the price is not known.
        best: The best measured text so far with its feedback; None before the first.
    """

    def __init__(
        self, budget: Budget, *, price: Price | None = None, clock: Callable[[], int] = time.monotonic_ns
    ) -> None:
        if budget.money is not None and price is None:
            raise PrerequisiteError(
                "a budget of money needs the model's price, which is not known",
                "give --price FILE, or drop --money",
            )
        self.budget = budget
        self.usage = Usage()
        self.calls = 0
        self.submissions = 0
        self.checks = 0
        self.money: float | None = 0.0 if price is not None else None
        self.best: tuple[str, Feedback] | None = None
        self._price = price
        self._clock = clock
        self._start = clock()
        self._waited = 0
        self._waiting = 0
        self._waits_since = 0
        # Agents from elsewhere come in several threads: to the doors, and to their model.
        self._lock = RLock()

    @property
    def seconds(self) -> float:
        """Time of the agent so far, without what it waited for the device; two waits at once are one."""
        with self._lock:
            now = self._clock()
            waited = self._waited + (now - self._waits_since if self._waiting else 0)
        return (now - self._start - waited) / NS_PER_SECOND

    def left(self) -> Left:
        """Say what is left, never below zero."""
        return Left(
            submissions=_rest(self.budget.submissions, self.submissions),
            tokens=_rest(self.budget.tokens, self.usage.total),
            money=_rest(self.budget.money, self.money or 0.0),
            seconds=_rest(self.budget.seconds, self.seconds),
            calls=_rest(self.budget.calls, self.calls),
        )

    def chat(self, model: ChatModel, heard: Heard | None = None) -> Chat:
        """Make the counted door to a model.

        Args:
            model: Who answers.
            heard: Is told of every call.
        """

        def ask(request: Request) -> Reply:
            self._refuse_when_spent("tokens", "money", "seconds", "calls")
            room = self.left().tokens
            if room is not None:
                request = replace(request, max_tokens=min(request.max_tokens, room))
            reply = model.complete(request)
            self.tell(request, reply, heard)
            return reply

        return ask

    def tell(self, request: Request, reply: Reply, heard: Heard | None = None) -> None:
        """Count a call of the model, wherever it was made.

        Args:
            request: What was asked.
            reply: What came of it.
            heard: Is told of it.
        """
        with self._lock:
            self.calls += 1
            self.usage += reply.usage
            if self._price is not None and self.money is not None:
                self.money += self._price.of(reply.usage)
        if heard is not None:
            heard(request, reply)

    def measure(self, judge: Judge) -> Judge:
        """Make the counted door to the device.

        Args:
            judge: Judges a text; does not count.
        """

        def submit(source: str) -> Feedback:
            with self._lock:
                self._refuse_when_spent("submissions", "seconds")
                self.submissions += 1
            with self._wait():
                feedback = judge(source)
            feedback = self._signed(feedback)
            with self._lock:
                if self.best is None or merit(feedback) > merit(self.best[1]):
                    self.best = (source, feedback)
            return feedback

        return submit

    @contextmanager
    def _wait(self) -> Iterator[None]:
        """Count the time from when somebody waits for the device to when nobody does."""
        with self._lock:
            if not self._waiting:
                self._waits_since = self._clock()
            self._waiting += 1
        try:
            yield
        finally:
            with self._lock:
                self._waiting -= 1
                if not self._waiting:
                    self._waited += self._clock() - self._waits_since

    def check(self, check: Check) -> Check:
        """Make the free door, which says what is left as the others do."""

        def look(source: str) -> Feedback:
            with self._lock:
                self.checks += 1
            return self._signed(check(source))

        return look

    def doors(
        self,
        *,
        check: Check,
        judge: Judge,
        model: ChatModel | None,
        heard: Heard | None = None,
        inspect: Inspect | None = None,
    ) -> Doors:
        """Make all doors of one attempt; static feedback is free and says nothing of the budget."""
        chat = self.chat(model, heard) if model is not None else None
        return Doors(
            self.check(check),
            self.measure(judge),
            self.left,
            chat=chat,
            inspect=inspect,
            told=lambda request, reply: self.tell(request, reply, heard),
        )

    def _signed(self, feedback: Feedback) -> Feedback:
        left = self.left()
        return replace(feedback, text=f"{feedback.text}\nleft: {left}", left=left)

    def _refuse_when_spent(self, *limits: str) -> None:
        used = {
            "submissions": self.submissions,
            "tokens": self.usage.total,
            "money": self.money or 0.0,
            "seconds": self.seconds,
            "calls": self.calls,
        }
        for limit in limits:
            allowed = getattr(self.budget, limit)
            if allowed is not None and used[limit] >= allowed:
                raise BudgetExceeded(limit, used[limit], allowed)


def solve_within(agent: Agent, task: Task, doors: Doors, ledger: Ledger) -> Answer:
    """Let an agent answer, and see to it that the best measured text is what counts.

    Args:
        agent: Who answers.
        task: What to write.
        doors: The doors of `ledger`.
        ledger: The account of this attempt.

    Returns:
        The best correct text that was measured; without one, what the agent hands in.

    Raises:
        ModelError: When the model's endpoint failed: the attempt is unjudged.
    """
    try:
        answer = agent.solve(task, doors)
    except BudgetExceeded as spent:
        answer = Answer("", f"{spent}")
    if ledger.best is None:
        return answer
    source, feedback = ledger.best
    if feedback.correct or not answer.source:
        return answer if answer.source == source else replace(answer, source=source, note=BEST)
    return answer


def merit(feedback: Feedback) -> tuple[bool, bool, float]:
    """Order feedback: correct first, then accepted, then fast.

    Speed is against the baseline that was measured in the same ring: a machine that was slower for a while
    slowed both.
    """
    by_time = 1.0 / max(1, feedback.time) if feedback.time is not None else 0.0
    return (
        bool(feedback.correct),
        feedback.accepted,
        feedback.ratio if feedback.ratio is not None else by_time,
    )


def _rest(allowed: Number | None, used: Number) -> Number | None:
    return None if allowed is None else max(allowed - used, type(allowed)(0))
