"""The counter of agents from elsewhere: what it says is of this moment."""

from edgekernelbench.agents.hosted import Counter
from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.protocol import Feedback, Task, Track

TASK = Task("softmax-1", "llvm", Track.WRITE, "rules", "card")


def judged(source: str) -> Feedback:
    return Feedback("correct; fast", accepted=True, correct=True, ratio=float(source))


def test_the_best_text_comes_with_the_budget_of_now_and_not_of_when_it_was_measured() -> None:
    ledger = Ledger(Budget(submissions=3))
    counter = Counter(TASK, ledger.doors(check=judged, judge=judged, model=None))
    assert counter.measure("2.0") == "correct; fast\nleft: 2 submissions"
    counter.measure("1.0")
    assert counter.best() == "2.0\n\ncorrect; fast\nleft: 1 submission"
