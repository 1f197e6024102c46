"""Agents that go on asking while there is budget: the best of N samples, and the first error handed back."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from edgekernelbench.agents.card import render
from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.extract import extract_text
from edgekernelbench.agents.models.protocol import Message, Reply, Request, Role
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task
from edgekernelbench.base.errors import BudgetExceeded, InternalError
from edgekernelbench.records.language import Language

COMPLAINT = re.compile(r"(?<=\n)(?=kernel(?::\d+:\d+)?: error\[)")
"""Where a complaint begins in the text of a refusal."""
WORDS: Mapping[Language, Mapping[str, str]] = {
    "kernel": {"fence": "python", "what": "kernel text"},
    "c": {"fence": "c", "what": "C text"},
}
"""What an answer is called, and the mark of its block."""
MOST_SAMPLES = 1000
"""So often is a model asked at most, where no budget ends it."""


@dataclass(frozen=True, slots=True)
class BestOf:
    """Asks the same again and again; every text that passes the free check is measured, the fastest counts.

    Attributes:
        direct: How it asks.
        name: The name of its row.
    """

    direct: Direct = field(default_factory=Direct)
    name: str = "best-of"

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Ask until a limit is reached."""
        return _best(_samples(self, task, doors), doors)


@dataclass(frozen=True, slots=True)
class Repair:
    """Hands the first complaint back; a text that was measured is followed by the request for a faster one.

    Attributes:
        direct: How it asks.
        name: The name of its row.
        repairs: How often one text is mended before a fresh one is asked for.
    """

    direct: Direct = field(default_factory=Direct)
    name: str = "repair"
    repairs: int = 4

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Ask until a limit is reached."""
        return _best(_mended(self, task, doors), doors)


def _samples(agent: BestOf, task: Task, doors: Doors) -> Iterator[tuple[str, Feedback | None]]:
    request = agent.direct.request(task)
    for number in range(MOST_SAMPLES):
        # Another seed and another sample number: a replay tells equal requests apart by it.
        seed = None if request.seed is None else request.seed + 1000 * number
        reply = _ask(doors, replace(request, seed=seed, sample=task.sample + 1000 * number))
        kernel = extract_text(reply.text, task.written_in) or ""
        yield kernel, _judge(kernel, doors)


def _mended(agent: Repair, task: Task, doors: Doors) -> Iterator[tuple[str, Feedback | None]]:
    request = agent.direct.request(task)
    turns = request.messages
    failures = 0
    for number in range(MOST_SAMPLES):
        seed = None if request.seed is None else request.seed + 1000 * number
        asked = replace(request, messages=turns, seed=seed, sample=task.sample + 1000 * number)
        reply = _ask(doors, asked)
        kernel = extract_text(reply.text, task.written_in) or ""
        feedback = _judge(kernel, doors)
        yield kernel, feedback
        solved = feedback is not None and bool(feedback.correct)
        failures = 0 if solved else failures + 1
        if failures > agent.repairs:
            turns, failures = request.messages, 0
            continue
        fence = WORDS[task.written_in]["fence"]
        said = f"```{fence}\n{kernel.rstrip()}\n```" if kernel else reply.text[-2000:] or "(nothing)"
        turns = (
            *request.messages,
            Message(Role.ASSISTANT, said),
            Message(Role.USER, _words(feedback, task.written_in)),
        )


def _words(feedback: Feedback | None, language: Language) -> str:
    words = WORDS[language]
    if feedback is None:
        return render("repair_no_text", words)
    name = "repair_faster" if feedback.correct else "repair_error"
    return render(name, {"feedback": first_complaint(feedback.text), **words})


def first_complaint(text: str) -> str:
    """Keep the first complaint of a refusal, and what is left of the budget.

    Args:
        text: What a door said.
    """
    body, mark, left = text.rpartition("\nleft: ")
    first = COMPLAINT.split(body if mark else text)
    kept = "".join(first[:2]).rstrip()
    return f"{kept}{mark}{left}" if mark else kept


def _ask(doors: Doors, request: Request) -> Reply:
    if doors.chat is None:
        raise InternalError("an agent was started without its model")
    return doors.chat(request)


def _judge(kernel: str, doors: Doors) -> Feedback | None:
    """Check a text, and measure it when nothing is wrong with it."""
    if not kernel:
        return None
    checked = doors.check(kernel)
    if not checked.accepted or checked.correct is False or doors.left().submissions == 0:
        return checked
    return doors.measure(kernel)


def _best(tries: Iterator[tuple[str, Feedback | None]], doors: Doors) -> Answer:
    """Take the fastest correct text; without one, the last that came."""
    best: tuple[float, str] | None = None
    last, reason = "", ""
    measures = doors.left().submissions != 0  # without any, checks alone say when a text is right
    try:
        for kernel, feedback in tries:
            last = kernel or last
            if feedback is not None and feedback.correct:
                ratio = feedback.ratio or 0.0
                best = max(best or (ratio, kernel), (ratio, kernel), key=lambda pair: pair[0])
            solved = feedback is not None and bool(feedback.correct)
            if doors.left().submissions == 0 and (measures or solved):
                reason = (
                    "the submissions are spent" if measures else "a text passed, and nothing may be measured"
                )
                break
    except BudgetExceeded as spent:
        reason = str(spent)
    return Answer(best[1] if best else last, reason)
