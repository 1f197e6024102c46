"""Every trick, with the outcome that it must get."""

import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import ONE_CHILD, STOPPED_EARLY, Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Correct
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

SERVER = Path(__file__).parent / "cheats" / "dishonest.py"
QUICK = TimingPlan(batches=2, batch_ns=1_000_000)
TEXT = """
def {trick}(x: f32[12], w: const[f32[12]]):
    with compute:
        out[i]: f32[12] = x[i] * w[i]
        return out
"""

WHEN_RUN = {
    "right": "correct",
    "writes_nothing": "wrong unwritten",
    "writes_the_first_half": "wrong unwritten",
    "leaves_out_the_last": "wrong unwritten",
    "returns_zeros": "wrong values",
    "returns_nan": "wrong values",
    "returns_the_mean": "wrong values",
    "returns_its_input": "wrong values",
    "returns_other_weights": "wrong values",
    "computes_in_half_precision": "wrong values",
    "changes_its_input": "wrong input-changed",
    "changes_its_weights": "wrong input-changed",
    "writes_past_the_end": "wrong guard",
    "writes_before_the_start": "wrong guard",
    "right_the_first_time": "wrong nondeterministic",
    "replays_the_first_answer": "wrong values",
    "forgets_the_first_output": "wrong values",
    "segfaults": "crashed run",
    "aborts": "crashed run",
    "eats_memory": "crashed run",
    "exits_as_if_all_were_well": "crashed run",
    "forges_a_reply": "crashed run",
    "forks_and_goes_on": "correct",
    "finds_the_disk_full": "unjudged disk",
    "writes_a_file_beyond_its_limit": "unjudged worker",
    "calls_home": "unjudged worker",
    "is_told_to_end": "crashed run",
    "is_killed": "crashed run",
    "divides_by_zero": "crashed run",
}
WHEN_TIMED = {
    "right": "correct",
    "returns_zeros": "wrong values",
    "drifts_when_timed": "wrong values",
    "stops_working_when_timed": "wrong unwritten",
    "says_it_took_no_time": "unjudged worker",
    "says_it_took_less_than_nothing": "unjudged worker",
    "segfaults": "crashed run",
    "segfaults_when_timed": "crashed time",
    "exits_as_if_all_were_well": "crashed run",
}


@pytest.fixture(scope="module")
def workload(tmp_path_factory: pytest.TempPathFactory) -> Workload:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("catalogue"))).workload("tiny/scale@n12-f32")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    limits = Limits(deadline_s=8.0, run_s=2.0, memory_bytes=300 << 20, files=64, file_bytes=16 << 20)
    server = [sys.executable, str(SERVER)]
    with Judge(load_profile("llvm"), compiler="null", limits=limits, server=server) as judge:
        yield judge


def outcome_of(judge: Judge, workload: Workload, trick: str, timing: TimingPlan | None) -> str:
    text = TEXT.format(trick=trick)
    submission = Submission(workload, text, choose_inputs(b"secret", workload), timing)
    return failure_kind(judge.judge(submission).outcome)


@pytest.mark.parametrize("trick", WHEN_RUN)
def test_a_trick_gets_its_outcome_and_the_next_kernel_is_unaffected(
    judge: Judge, workload: Workload, trick: str
) -> None:
    assert outcome_of(judge, workload, trick, None) == WHEN_RUN[trick]
    assert outcome_of(judge, workload, "right", None) == "correct"


@pytest.mark.parametrize("trick", WHEN_TIMED)
def test_a_trick_while_it_is_timed_gets_its_outcome(judge: Judge, workload: Workload, trick: str) -> None:
    assert outcome_of(judge, workload, trick, QUICK) == WHEN_TIMED[trick]
    assert outcome_of(judge, workload, "right", QUICK) == "correct"


def test_a_kernel_that_never_returns_costs_its_deadline_and_at_most_a_second(
    judge: Judge, workload: Workload
) -> None:
    outcome_of(judge, workload, "right", None)
    start = time.monotonic()

    assert outcome_of(judge, workload, "never_returns", None) == "crashed run (timed out)"

    assert 2.0 <= time.monotonic() - start < 3.0


def test_a_kernel_far_slower_than_the_default_is_not_measured_to_the_end(
    judge: Judge, workload: Workload
) -> None:
    plan = replace(QUICK, rings=5)
    text = TEXT.format(trick="dawdles")

    judgement = judge.judge(Submission(workload, text, choose_inputs(b"s", workload), plan))

    assert isinstance(judgement.outcome, Correct)
    assert len(judgement.outcome.rings) == len(judgement.conditions) == 2
    assert STOPPED_EARLY in judgement.flags
    assert ONE_CHILD not in judgement.flags


def test_no_time_is_stored_for_a_kernel_that_was_wrong_when_timed(judge: Judge, workload: Workload) -> None:
    text = TEXT.format(trick="drifts_when_timed")
    judgement = judge.judge(Submission(workload, text, choose_inputs(b"s", workload), QUICK))

    assert not isinstance(judgement.outcome, Correct)
    assert "samples" not in judgement.line()


def test_a_secret_of_another_run_gives_other_inputs(judge: Judge, workload: Workload) -> None:
    one, two = (choose_inputs(secret, workload) for secret in (b"one", b"two"))

    assert {c.seed for c in one}.isdisjoint(c.seed for c in two)
    assert len({c.seed for c in one}) == len(one)


def test_seeds_stay_hidden_while_agents_are_at_work(judge: Judge, workload: Workload) -> None:
    submission = Submission(workload, TEXT.format(trick="right"), choose_inputs(b"s", workload))

    assert judge.judge(submission).inputs == ()
    revealed = judge.judge(replace(submission, reveal=True)).inputs
    assert [row.seed for row in revealed] == [c.seed for c in submission.inputs]
