"""The agent that plays back a list."""

from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.protocol import Doors, Feedback, Task, Track
from edgekernelbench.agents.scripted import Scripted

TASK = Task("double-1", "llvm", Track.WRITE, "rules", "card")


def doors() -> Doors:
    heard = Feedback("fine", accepted=True, correct=True)
    return Ledger(Budget(submissions=5)).doors(check=lambda _: heard, judge=lambda _: heard, model=None)


def test_it_measures_all_but_the_last_text() -> None:
    agent = Scripted({"double-1": ("a", "b", "c")})
    assert agent.solve(TASK, doors()).source == "c"
    assert [f.left.submissions for f in agent.heard] == [4, 3]


def test_a_workload_that_is_not_in_the_script_gets_no_text() -> None:
    answer = Scripted({}).solve(TASK, doors())
    assert (answer.source, answer.note) == ("", "the script has no text for this workload")
