"""The policy as a mind: it plans moves, and writes all layers that hang on one."""

from dataclasses import replace

import pytest
from tests.agents.leka.bench import make_task
from tests.agents.policy.device import CELL, CONV16, DENSE8, DEVICE, NORM, TEXTS, facts_of

from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.leka.mind import Beginning, Ground, NoPlan, Revision
from edgekernelbench.agents.leka.state import Author
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.notes import Note
from edgekernelbench.agents.policy import mind
from edgekernelbench.agents.policy.agent import policy_agent
from edgekernelbench.agents.policy.families import Family, describe, family_of
from edgekernelbench.agents.policy.genome import Genome
from edgekernelbench.agents.policy.mind import PolicyMind
from edgekernelbench.agents.policy.proposals import propose
from edgekernelbench.agents.policy.writing import Desk
from edgekernelbench.agents.protocol import Answer, Feedback, Left
from edgekernelbench.analysis.inspection import inspect_nest
from edgekernelbench.base.errors import InternalError
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.survey import survey_text


def start_of(text: str) -> str:
    return print_kernel(default_lowering(facts_of(text), "llvm", DEVICE))


def cycles(kernel: Kernel) -> float:
    """Time a kernel by the model of static feedback: a device that never errs."""
    found = survey_text(print_kernel(kernel), DEVICE)
    assert found.nest is not None
    return inspect_nest(found.nest, kernel, DEVICE).estimate.cycles


def play(text: str, submissions: int = 4) -> tuple[Answer, list[Note], list[str]]:
    """Let the policy work on a text; give what it hands in, its notes, and what it measured."""
    start = start_of(text)
    slow = cycles(parse(start))
    measured: list[str] = []
    notes: list[Note] = []

    def check(source: str) -> Feedback:
        legal = survey_text(source, DEVICE).nest is not None
        return Feedback("", accepted=legal, correct=legal)

    def judge(source: str) -> Feedback:
        measured.append(source)
        ratio = slow / cycles(parse(source))
        return Feedback("", accepted=True, correct=True, time=Nanoseconds(int(1e6 / ratio)), ratio=ratio)

    ledger = Ledger(Budget(submissions=submissions), clock=lambda: 0)
    doors = replace(ledger.doors(check=check, judge=judge, model=None), note=notes.append)
    task = replace(make_task(), start=start)
    answer = solve_within(policy_agent(DEVICE), task, doors, ledger)
    return answer, notes, measured


@pytest.mark.parametrize("name", ["conv8", "norm"])
def test_it_spends_its_submissions_on_texts_that_differ(name: str) -> None:
    answer, notes, measured = play(TEXTS[name])
    assert answer.source in measured
    assert len(measured) == len(set(measured)) <= 4
    assert {one.authors for one in notes if one.candidate} <= {("given", "policy"), ("policy",)}
    assert not [one for one in notes if one.stage in ("parse", "layers", "check")]


def test_it_takes_the_dot_instruction_first_and_puts_the_gain_down_to_compute() -> None:
    answer, notes, _ = play(DENSE8)
    first = next(one for one in notes if one.phase == "revise")
    assert (first.layer, first.stage) == ("compute", "accepted")
    assert "rewrite:dots" in first.message
    assert 'tensorize("dot4"' in answer.source


def test_what_is_kept_between_calls_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    kept = play(DENSE8, 3)[2]
    monkeypatch.setattr(mind, "KEPT", 0)
    assert play(DENSE8, 3)[2] == kept


def test_two_attempts_are_the_same() -> None:
    assert play(NORM, 3)[2] == play(NORM, 3)[2]


def test_every_proposal_is_legal_and_the_likeliest_comes_first() -> None:
    found = propose(Desk(facts_of(CONV16), DEVICE), Genome())
    assert [one.expected for one in found] == sorted((one.expected for one in found), reverse=True)
    assert len({one.text for one in found}) == len(found) > 3
    assert all(survey_text(one.text, DEVICE).nest is not None for one in found)
    assert str(found[0].move).startswith("rewrite:")


def test_it_writes_nothing_in_the_write_track_and_mends_nothing() -> None:
    def ask(request: Request) -> Reply:
        raise InternalError(f"the policy asked a model: {request}")

    policy = PolicyMind()
    ground = Ground(make_task(), DEVICE, 4, 0)
    assert policy.author is Author.POLICY
    assert policy.begin(Beginning(ground, 0, "", "", Left()), ask) == ""
    assert Revision("", Author.POLICY).others == ()
    assert NoPlan("").spent is False


POOL = NORM.replace("x[i, j] ** 2 for j in range(96)", "x[i, 8 * i + j] for j in range(32)")


@pytest.mark.parametrize(
    ("text", "stage", "family"),
    [
        (DENSE8, "acc", Family.CONTRACTION),
        (DENSE8, "y", Family.ELEMENTWISE),
        (NORM, "square", Family.REDUCTION),
        (POOL, "square", Family.STENCIL),
        (CELL, "p", Family.SCAN),
    ],
)
def test_families_are_told_apart(text: str, stage: str, family: Family) -> None:
    facts = facts_of(text)
    (placed,) = [p for p in placed_stages(facts.kernel.compute) if p.stage.name == stage]
    assert family_of(placed) is family


def test_what_most_operations_are_is_said() -> None:
    assert "contraction, most of them in acc" in describe(facts_of(DENSE8))
