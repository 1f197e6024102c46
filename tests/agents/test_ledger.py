"""The account: what counts, when it is refused, what is best."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Barrier, Event

import pytest
from tests.agents.support import ask

from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.models.protocol import Reply, Request, Usage
from edgekernelbench.agents.prices import Price
from edgekernelbench.agents.protocol import Answer, Doors, Feedback, Task, Track
from edgekernelbench.base.errors import BudgetExceeded, PrerequisiteError
from edgekernelbench.base.units import Nanoseconds

TASK = Task("softmax-1", "llvm", Track.WRITE, "rules", "card")
SECOND = 1_000_000_000


@dataclass
class Clock:
    now: int = 0

    def __call__(self) -> int:
        return self.now


@dataclass
class Model:
    usage: Usage = field(default_factory=lambda: Usage(input=100, output=20))
    name: str = "model"
    asked: list[Request] = field(default_factory=list)

    def complete(self, request: Request) -> Reply:
        self.asked.append(request)
        return Reply("nonsense", self.usage)


def judged(source: str) -> Feedback:
    """Judge texts such as "correct 5", "wrong", "rejected"."""
    word, _, time = source.partition(" ")
    return Feedback(
        text=word,
        accepted=word != "rejected",
        correct={"correct": True, "wrong": False}.get(word),
        time=Nanoseconds(int(time)) if time else None,
    )


def test_every_call_counts_also_one_that_is_of_no_use() -> None:
    ledger = Ledger(Budget(tokens=300))
    chat = ledger.chat(Model())
    chat(ask())
    chat(ask())
    assert (ledger.calls, ledger.usage.total, ledger.left().tokens) == (2, 240, 60)


def test_free_checks_are_counted_and_cost_nothing() -> None:
    ledger = Ledger(Budget(submissions=1))
    check = ledger.check(judged)
    check("wrong")
    check("correct 5")
    assert (ledger.checks, ledger.submissions, ledger.left().submissions) == (2, 0, 1)


def test_an_answer_may_not_be_longer_than_what_is_left() -> None:
    model = Model()
    chat = Ledger(Budget(tokens=300)).chat(model)
    chat(ask(max_tokens=4096))
    chat(ask(max_tokens=4096))
    assert [r.max_tokens for r in model.asked] == [300, 180]


def test_a_call_is_refused_when_the_tokens_are_spent() -> None:
    model = Model()
    chat = Ledger(Budget(tokens=100)).chat(model)
    chat(ask())
    with pytest.raises(BudgetExceeded, match="the budget of 100 tokens is used up"):
        chat(ask())
    assert len(model.asked) == 1


def test_a_refused_text_is_a_submission() -> None:
    ledger = Ledger(Budget(submissions=2))
    measure = ledger.measure(judged)
    assert measure("rejected").left.submissions == 1
    assert measure("wrong").left.submissions == 0
    with pytest.raises(BudgetExceeded):
        measure("correct 1")


def test_what_is_left_stands_in_every_reply() -> None:
    ledger = Ledger(Budget(submissions=3, tokens=1000))
    doors = ledger.doors(check=judged, judge=judged, model=None)
    assert doors.check("rejected").text == "rejected\nleft: 3 submissions, 1,000 tokens"
    assert doors.measure("wrong").text == "wrong\nleft: 2 submissions, 1,000 tokens"
    assert doors.chat is None


def test_checks_are_free() -> None:
    ledger = Ledger(Budget(submissions=0))
    doors = ledger.doors(check=judged, judge=judged, model=None)
    assert doors.check("correct 1").correct


def test_the_best_is_correct_before_fast() -> None:
    ledger = Ledger(Budget())
    measure = ledger.measure(judged)
    for text in ("rejected", "wrong", "correct 50", "correct 20", "correct 30", "wrong"):
        measure(text)
    assert ledger.best is not None
    assert ledger.best[0] == "correct 20"


def test_waiting_for_the_device_is_not_the_agents_time() -> None:
    clock = Clock()
    ledger = Ledger(Budget(seconds=10), clock=clock)

    def slow(source: str) -> Feedback:
        clock.now += 100 * SECOND
        return judged(source)

    measure = ledger.measure(slow)
    clock.now += 4 * SECOND
    measure("wrong")
    assert ledger.left().seconds == 6
    clock.now += 7 * SECOND
    with pytest.raises(BudgetExceeded):
        measure("wrong")


def test_who_waits_twice_at_once_has_waited_once() -> None:
    """Added up, two waits of 10 s within 10 s would give 10 s back: an agent would never run out of time."""
    clock = Clock()
    ledger = Ledger(Budget(seconds=100), clock=clock)
    both, first_is_over = Barrier(2), Event()

    def judge(source: str) -> Feedback:
        both.wait(5)
        if source == "second":
            assert first_is_over.wait(5)
            clock.now += 3 * SECOND
        else:
            clock.now += 10 * SECOND
        return judged("correct 5")

    measure = ledger.measure(judge)
    with ThreadPoolExecutor(2) as pool:
        second = pool.submit(measure, "second")
        pool.submit(measure, "first").add_done_callback(lambda _: first_is_over.set())
        second.result(5)
    clock.now += 4 * SECOND
    assert ledger.seconds == 4


def test_waiting_costs_nothing_while_it_lasts_either() -> None:
    clock = Clock()
    ledger = Ledger(Budget(seconds=5), clock=clock)
    seen = []

    def judge(source: str) -> Feedback:
        clock.now += 60 * SECOND
        seen.append(ledger.left().seconds)
        raise PrerequisiteError("the device is gone", "plug it in")

    clock.now += 2 * SECOND
    with pytest.raises(PrerequisiteError):
        ledger.measure(judge)("text")
    assert seen == [3]
    assert ledger.left().seconds == 3


def test_money_is_counted_by_the_price() -> None:
    ledger = Ledger(Budget(money=1.0), price=Price(input=1000.0, cached=100.0, output=5000.0))
    chat = ledger.chat(Model(Usage(input=100, cached=40, output=20)))
    chat(ask())
    assert ledger.money == pytest.approx((60 * 1000 + 40 * 100 + 20 * 5000) / 1e6)


def test_a_budget_of_money_needs_a_price() -> None:
    with pytest.raises(PrerequisiteError, match="price"):
        Ledger(Budget(money=1.0))


def test_nothing_is_no_limit_and_zero_is_none_at_all() -> None:
    free = Ledger(Budget())
    assert str(free.left()) == "no limit"
    with pytest.raises(BudgetExceeded):
        Ledger(Budget(tokens=0)).chat(Model())(ask())


@dataclass
class Measuring:
    """Measures texts, then hands in one."""

    texts: list[str]
    last: str
    name: str = "measuring"

    def solve(self, task: Task, doors: Doors) -> Answer:
        for text in self.texts:
            doors.measure(text)
        return Answer(self.last)


@pytest.mark.parametrize(
    ("texts", "last", "submissions", "expected"),
    [
        (["correct 9", "correct 3", "wrong"], "wrong", 5, "correct 3"),
        (["correct 9", "correct 3", "wrong"], "", 2, "correct 3"),
        (["wrong"], "unmeasured", 5, "unmeasured"),
        (["rejected", "wrong"], "", 2, "wrong"),
        ([], "unmeasured", 0, "unmeasured"),
        (["correct 4"], "correct 4", 5, "correct 4"),
    ],
)
def test_what_is_best_so_far_counts(texts: list[str], last: str, submissions: int, expected: str) -> None:
    ledger = Ledger(Budget(submissions=submissions))
    doors = ledger.doors(check=judged, judge=judged, model=None)
    assert solve_within(Measuring(texts, last), TASK, doors, ledger).source == expected


def test_a_spent_budget_without_any_text_is_an_empty_answer() -> None:
    ledger = Ledger(Budget(submissions=0))
    doors = ledger.doors(check=judged, judge=judged, model=None)
    answer = solve_within(Measuring(["correct 1"], "x"), TASK, doors, ledger)
    assert answer == Answer("", "the budget of 0 submissions is used up (0)")
