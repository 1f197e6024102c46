"""An agent of another package that misbehaves: its attempt, and no other, is worse for it."""

from pathlib import Path

import pytest
from tests.agents.support import KERNEL
from tests.packages import write_package

from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.agents.packaged import Options, make_packaged
from edgekernelbench.agents.protocol import Answer, Feedback, Task, Track
from edgekernelbench.base.errors import ForeignError, ModelError
from edgekernelbench.profiles.profile import load_profile

TASK = Task("double-1", "llvm", Track.WRITE, "rules", "card")
HEAD = """
from edgekernelbench.agents.protocol import Answer

class Made:
    def __init__(self, options):
        self.name = options.name
"""


def answer_of(folder: Path, name: str, solve: str) -> Answer:
    source = f"{HEAD}    def solve(self, task, doors):\n        {solve}\n"
    write_package(folder, name, {f"{name}.py": source}, {"agents": {name: f"{name}:Made"}})
    ledger = Ledger(Budget(submissions=1))
    doors = ledger.doors(
        check=lambda source: Feedback("", accepted=True),
        judge=lambda source: Feedback("", accepted=True, correct=True),
        model=ScriptedModel([]),
    )
    agent = make_packaged(name, Options("row", load_profile("llvm")))
    return solve_within(agent, TASK, doors, ledger)


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.syspath_prepend(str(tmp_path))
    return tmp_path


def test_what_it_raises_is_an_attempt_without_a_text(path: Path) -> None:
    answer = answer_of(path, "raising_agent", "return 1 // 0")
    assert answer.source == ""
    assert "agent 'raising_agent' of raising_agent 1.2 failed: ZeroDivisionError" in answer.note


def test_what_it_measured_before_it_raised_still_counts(path: Path) -> None:
    answer = answer_of(path, "late_agent", f"doors.measure({KERNEL!r}); return 1 // 0")
    assert answer.source == KERNEL


def test_what_is_no_answer_is_an_attempt_without_a_text(path: Path) -> None:
    assert "expected an Answer with a text, found str" in answer_of(path, "text_agent", "return 'def'").note


def test_a_lost_endpoint_is_not_its_failure(path: Path) -> None:
    with pytest.raises(ModelError):
        answer_of(path, "asking_agent", "return doors.chat(None)")


def test_what_makes_no_agent_is_refused(path: Path) -> None:
    write_package(
        path, "idle", {"idle.py": "def make(options): return 3\n"}, {"agents": {"idle": "idle:make"}}
    )
    with pytest.raises(ForeignError, match="expected something with a method solve, found int"):
        make_packaged("idle", Options("row", load_profile("llvm")))
