"""Boards, for real: a tracker and servers on the loopback, kernels judged there as if it were elsewhere."""

import os
import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.evaluator.loopback import PATIENCE_S, address, boards, free, tracker
from tests.tiny import make_catalogue

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.evaluator.boards.address import BoardAddress, parse_address, parse_tracker
from edgekernelbench.evaluator.devices import find_device, open_judges
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Cause, Correct, Unjudged
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

pytestmark = pytest.mark.needs_tvm

QUICK = TimingPlan(batches=2, batch_ns=1_000_000)
ROW_SUM_ID = "tiny/row_sum@r4-n12-f32"
ROW_SUM = """
def row_sum(x: f32[4, 12]):
    with compute:
        out[i]: f32[4] = sum(x[i, j] for j in range(12))
        return out
"""


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("catalogue")))


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    with tracker() as found:
        yield found


@pytest.fixture(scope="module")
def pool(port: int) -> Iterator[JudgePool]:
    with boards(port, "pair", count=2), open_judges(address(port, "pair"), "tvm") as judges:
        yield judges


def submission(catalogue: Catalogue, text: str, timing: TimingPlan | None = None) -> Submission:
    workload = catalogue.workload(ROW_SUM_ID)
    return Submission(workload, text, choose_inputs(b"secret", workload), timing)


def test_a_kernel_on_a_board_gets_the_verdict_that_it_gets_here(
    pool: JudgePool, catalogue: Catalogue
) -> None:
    there = pool.judge(submission(catalogue, ROW_SUM))
    with Judge(load_profile("llvm")) as judge:
        here = judge.judge(submission(catalogue, ROW_SUM))

    assert there.outcome == here.outcome == Correct(())
    assert there.margins == here.margins
    assert there.cost is not None
    assert here.cost is not None
    assert there.cost.workspace_bytes == here.cost.workspace_bytes
    assert there.board is not None
    assert there.board.key == "pair"
    assert here.board is None


def test_all_boards_of_a_kind_are_taken(pool: JudgePool) -> None:
    assert pool.size == 2


def test_a_kernel_is_timed_on_the_board_beside_the_default(pool: JudgePool, catalogue: Catalogue) -> None:
    judgement = pool.judge(submission(catalogue, ROW_SUM, QUICK))

    assert isinstance(judgement.outcome, Correct), judgement.outcome
    (ring,) = judgement.outcome.rings
    assert [series.name for series in ring.baselines] == ["default"]
    assert len(judgement.conditions) == 1
    assert judgement.conditions[0].cores
    assert Judgement.read(judgement.line(), "here") == judgement


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        pytest.param("range(12))", "range(11))", "wrong values", id="the last term dropped"),
        pytest.param("sum(x", "max(x", "wrong values", id="another reduction"),
        pytest.param("x[i, j] for", "x[i, j + 1] for", "rejected R01", id="a read out of range"),
    ],
)
def test_the_host_judges(pool: JudgePool, catalogue: Catalogue, old: str, new: str, kind: str) -> None:
    judgement = pool.judge(submission(catalogue, ROW_SUM.replace(old, new)))

    assert failure_kind(judgement.outcome) == kind


def test_speed_is_followed_while_a_kernel_runs_on_end(pool: JudgePool, catalogue: Catalogue) -> None:
    plan = TimingPlan(batches=2, batch_ns=1_000_000, sustain_s=0.6)
    judgement = pool.judge(submission(catalogue, ROW_SUM, plan))

    assert judgement.sustained is not None
    assert len(judgement.sustained) > 3
    assert judgement.sustained[-1].at_ms >= 600
    assert all(moment.per_run_ns > 0 for moment in judgement.sustained)


def test_boards_that_vanish_are_put_aside_and_no_kernel_is_blamed(port: int, catalogue: Catalogue) -> None:
    task = submission(catalogue, ROW_SUM)
    with boards(port, "fragile", count=2) as hosted, open_judges(address(port, "fragile"), "tvm") as judges:
        groups = [one.pid for one in hosted]
        judges.judge(task)
        assert all(_members(group) for group in groups)

        os.killpg(groups[1], signal.SIGKILL)
        assert [judges.judge(task).outcome for _ in range(2)] == [Correct(())] * 2
        assert judges.size == 1

        os.killpg(groups[0], signal.SIGKILL)
        lost = judges.judge(task).outcome
        assert isinstance(lost, Unjudged)
        assert lost.cause is Cause.DEVICE
        assert judges.size == 0
    _until(lambda: not any(_members(group) or _children(group) for group in groups))


@pytest.mark.needs_opencl
def test_opencl_travels_as_source_with_its_launch_plan(port: int, catalogue: Catalogue) -> None:
    with boards(port, "pocl", "opencl"):
        with open_judges(address(port, "pocl"), "tvm") as judges:
            assert free(port, "pocl") == 0
            judgement = judges.judge(submission(catalogue, ROW_SUM, QUICK))
        _until(lambda: free(port, "pocl") == 1)

    assert isinstance(judgement.outcome, Correct), judgement.outcome
    assert judgement.device == "opencl"
    assert judgement.device_class == "stand-in"


def _until(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < until
        time.sleep(0.05)


def _members(group: int) -> list[int]:
    return [pid for pid, fields in _processes() if fields[2] == str(group)]


def _children(group: int) -> list[int]:
    return [pid for pid, fields in _processes() if fields[1] == str(group)]


def _processes() -> Iterator[tuple[int, list[str]]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                text = (entry / "stat").read_text(encoding="ascii", errors="replace")
            except OSError:
                continue
            fields = text.rpartition(")")[2].split()
            if fields[0] != "Z":
                yield int(entry.name), fields


def test_a_kind_that_nobody_serves_is_missing(port: int) -> None:
    with pytest.raises(PrerequisiteError, match="no board nobody is registered") as caught:
        find_device(address(port, "nobody"))
    assert "ekb device serve" in caught.value.remedy


def test_without_a_tracker_there_is_no_board() -> None:
    with pytest.raises(PrerequisiteError, match="no tracker answers") as caught:
        find_device("rpc:any@127.0.0.1:1")
    assert "ekb device tracker" in caught.value.remedy


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("rpc:pi", BoardAddress("pi")),
        ("rpc:pi-5@10.0.0.2", BoardAddress("pi-5", "10.0.0.2")),
        ("rpc:pi@lab:9000", BoardAddress("pi", "lab", 9000)),
    ],
)
def test_a_board_is_named_by_one_word(text: str, found: BoardAddress) -> None:
    assert parse_address(text) == found
    assert str(found) == text or found.port == 9190


@pytest.mark.parametrize("text", ["rpc:", "rpc:a b", "rpc:a@", "rpc:a@h:0", "rpc:a@h:99999", "rpc:-a"])
def test_another_word_is_no_board(text: str) -> None:
    with pytest.raises(CatalogueError, match="expected rpc:KEY"):
        parse_address(text)


def test_a_tracker_is_a_host_and_perhaps_a_port() -> None:
    assert parse_tracker("lab") == ("lab", 9190)
    assert parse_tracker("lab:1") == ("lab", 1)
    with pytest.raises(CatalogueError, match="HOST"):
        parse_tracker("lab:x")
