"""Arms without a language model: one submission a candidate, the fastest that was right is handed in."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.protocol import Answer, Feedback, Task, Track
from edgekernelbench.agents.search import Search
from edgekernelbench.base.units import Nanoseconds

TASK = Task("tiny/scale@n3-f32", "llvm", Track.OPTIMISE, "", "", start="as given")
TIMES = {"a": 30, "b": 10, "c": None, "d": 5}


class Listed:
    def __init__(self, texts: str) -> None:
        self.left = list(texts)
        self.heard: list[Feedback] = []

    def propose(self) -> str | None:
        return self.left.pop(0) if self.left else None

    def learn(self, feedback: Feedback) -> None:
        self.heard.append(feedback)


def judged(source: str) -> Feedback:
    time = TIMES[source]
    if time is None:
        return Feedback("wrong", accepted=True, correct=False)
    return Feedback("right", accepted=True, correct=True, time=Nanoseconds(time))


def solved(texts: str, submissions: int) -> tuple[Answer, Ledger, Listed]:
    listed = Listed(texts)

    @contextmanager
    def opened(task: Task) -> Iterator[Listed]:
        assert task is TASK
        yield listed

    ledger = Ledger(Budget(submissions=submissions))
    doors = ledger.doors(check=judged, judge=judged, model=None)
    return solve_within(Search("row", opened), TASK, doors, ledger), ledger, listed


@pytest.mark.parametrize(("submissions", "best"), [(1, "a"), (2, "b"), (3, "b"), (4, "d"), (9, "d")])
def test_the_fastest_of_what_could_be_paid_is_handed_in(submissions: int, best: str) -> None:
    answer, ledger, _ = solved("abcd", submissions)
    assert answer.source == best
    assert ledger.submissions == min(submissions, 4)


def test_the_search_hears_of_every_candidate() -> None:
    _, _, listed = solved("abcd", 3)
    assert [heard.correct for heard in listed.heard] == [True, True, False]


def test_without_a_right_candidate_the_text_as_given_is_handed_in() -> None:
    answer, ledger, _ = solved("", 3)
    assert (answer.source, ledger.submissions) == ("as given", 0)
