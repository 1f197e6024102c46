"""From a text to an outcome, through a real compiler."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.evaluator.bounds import FASTER_THAN_ROOFLINE
from edgekernelbench.evaluator.exam import TIMED, choose_inputs, public_inputs
from edgekernelbench.evaluator.judge import ONE_CHILD, Judge
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.watch import MARKS
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.profiles.peaks import Peaks
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Rejected, Unjudged
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

FAKE_SERVER = Path(__file__).parent / "cheats" / "fake_server.py"
QUICK = TimingPlan(batches=2, batch_ns=1_000_000)

ROW_SUM = """
def row_sum(x: f32[4, 12]):
    with compute:
        out[i]: f32[4] = sum(x[i, j] for j in range(12))
        return out
"""
SCHEDULED = (
    ROW_SUM
    + """
    with schedule("llvm"):
        jo, ji = split(out.j, 4)
        part = rfactor(ji)
        vectorize(part.ji)
"""
)
ROW_SUM_ID = "tiny/row_sum@r4-n12-f32"


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("catalogue")))


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(load_profile("llvm"), compiler="c") as judge:
        yield judge


def judged(judge: Judge, catalogue: Catalogue, text: str, timing: TimingPlan | None = None) -> Judgement:
    workload = catalogue.workload(ROW_SUM_ID)
    return judge.judge(Submission(workload, text, choose_inputs(b"secret", workload), timing))


@pytest.mark.parametrize("text", [ROW_SUM, SCHEDULED], ids=["plain", "scheduled"])
def test_a_right_kernel_is_correct(judge: Judge, catalogue: Catalogue, text: str) -> None:
    judgement = judged(judge, catalogue, text)

    assert judgement.outcome == Correct(())
    assert {m.inputs for m in judgement.margins} == {"typical", "heavy", "sparse"}
    assert all(m.elementwise < 1 for m in judgement.margins)
    assert judgement.cost is not None
    assert set(judgement.spent_ns) == {"compile", "run"}
    assert Judgement.read(judgement.line(), "here") == judgement


@pytest.mark.parametrize(
    ("old", "new", "kind"),
    [
        pytest.param("range(12))", "range(11))", "wrong values", id="the last term dropped"),
        pytest.param("x[i, j] for", "x[i, j] * 1.0001 for", "wrong values", id="another constant"),
        pytest.param("sum(x", "max(x", "wrong values", id="another reduction"),
        pytest.param("[4, 12]", "[4, 13]", "rejected C09", id="another size"),
        pytest.param("sum(x[i, j]", "sum(f32(f16(x[i, j]))", "rejected T08", id="narrower arithmetic"),
        pytest.param("x[i, j]", "x[i, j + 1]", "rejected R01", id="a read out of range"),
        pytest.param("return out", "return", "rejected C01", id="no output"),
        pytest.param("def", "fed", "rejected P01", id="no Python"),
    ],
)
def test_a_change_of_the_text_gets_its_outcome(
    judge: Judge, catalogue: Catalogue, old: str, new: str, kind: str
) -> None:
    assert old in ROW_SUM

    assert failure_kind(judged(judge, catalogue, ROW_SUM.replace(old, new)).outcome) == kind


def test_a_schedule_beyond_the_limits_is_refused_before_it_is_compiled(
    judge: Judge, catalogue: Catalogue
) -> None:
    text = ROW_SUM + '\n    with schedule("llvm"):\n        vectorize(out.j)\n'

    judgement = judged(judge, catalogue, text)

    assert isinstance(judgement.outcome, Rejected)
    assert judgement.outcome.diagnostics[0].code == "S17"
    assert judgement.spent_ns == {}


def test_what_is_wrong_in_every_layer_is_told_at_once(judge: Judge, catalogue: Catalogue) -> None:
    text = (
        ROW_SUM.replace("[4, 12]", "[4, 13]")
        + """
    with schedule("llvm"):
        vectorize(out.q)
    with memory("llvm"):
        place(nothing, "local")
"""
    )

    outcome = judged(judge, catalogue, text).outcome

    assert isinstance(outcome, Rejected)
    assert [d.code for d in outcome.diagnostics if str(d.severity) == "error"] == ["C09", "S04", "M01"]


def test_speed_is_recorded_with_the_condition_of_the_machine(judge: Judge, catalogue: Catalogue) -> None:
    judgement = judged(judge, catalogue, ROW_SUM, QUICK)

    (conditions,) = judgement.conditions
    assert conditions.cores == tuple(sorted(os.sched_getaffinity(0)))[: judge.profile.threads]
    assert conditions.load is not None
    assert 1 <= conditions.tries <= QUICK.tries
    assert {MARKS[mark] for mark in conditions.marks} == set(judgement.flags) - {ONE_CHILD}
    assert Judgement.read(judgement.line(), "here") == judgement


def test_a_kernel_below_the_roofline_is_flagged(catalogue: Catalogue) -> None:
    slow = Peaks("llvm", 2, operations_per_s=1.0, bytes_per_s=((1, 1.0),), launch_ns=1.0)

    with Judge(load_profile("llvm"), compiler="c", peaks=slow) as judge:
        judgement = judged(judge, catalogue, ROW_SUM, QUICK)

    assert FASTER_THAN_ROOFLINE in judgement.flags
    assert judgement.roofline is not None
    assert judgement.roofline.memory_ns == pytest.approx(208e9)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "\0",
        "\ud800",
        "def f(",
        "(" * 5000,
        "x" * 70_000,
        "import os\nos._exit(0)",
        "def f(x: f32[4]):\n    pass",
    ],
    ids=["empty", "NUL", "half a surrogate", "cut off", "deep", "long", "a program", "another statement"],
)
def test_whatever_is_no_kernel_is_refused_and_can_be_stored(
    judge: Judge, catalogue: Catalogue, text: str
) -> None:
    judgement = judged(judge, catalogue, text)

    assert isinstance(judgement.outcome, Rejected)
    assert Judgement.read(judgement.line(), "here") == judgement


def test_a_correct_kernel_is_timed_beside_the_default(judge: Judge, catalogue: Catalogue) -> None:
    judgement = judged(judge, catalogue, ROW_SUM, QUICK)

    assert isinstance(judgement.outcome, Correct)
    (ring,) = judgement.outcome.rings
    assert [s.name for s in (ring.kernel, *ring.baselines)] == ["kernel", "default"]
    for series in (ring.kernel, *ring.baselines):
        assert len(series.samples) >= QUICK.batches
        assert min(series.samples) > 0
        assert 1 <= series.threads <= judge.profile.threads
    assert ONE_CHILD in judgement.flags
    assert set(judgement.baseline_costs) == {"default"}
    assert judgement.baseline_costs["default"].compile_ns > 0
    assert TIMED in {m.inputs for m in judgement.margins}


def test_a_final_verdict_has_several_rings_of_fresh_processes(judge: Judge, catalogue: Catalogue) -> None:
    judgement = judged(judge, catalogue, ROW_SUM, TimingPlan(rings=2, batches=2, batch_ns=1_000_000))

    assert isinstance(judgement.outcome, Correct)
    assert len(judgement.outcome.rings) == 2
    assert ONE_CHILD not in judgement.flags


def test_public_inputs_are_the_same_for_ever(catalogue: Catalogue) -> None:
    public = public_inputs(catalogue.workload(ROW_SUM_ID))

    assert [(c.name, c.seed) for c in public] == [("typical", 63516103345057), ("heavy", 153684618897847)]


@pytest.mark.parametrize("at", ["a folder is made", "a worker runs"])
def test_a_judge_that_is_killed_leaves_no_process_and_no_folder(tmp_path: Path, at: str) -> None:
    program = f"""
import os, sys, time
from pathlib import Path
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import Supervisor
server = [sys.executable, {str(FAKE_SERVER)!r}]
environment = {{name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}}
supervisor = Supervisor(server, environment, Path({str(tmp_path)!r}))
folder = supervisor.folder()
if {at!r} == "a worker runs":
    supervisor.start("sleep_for_ever", {{}}, folder=folder, limits=Limits())
print(supervisor.pid, flush=True)
time.sleep(60)
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as judge:
        assert judge.stdout is not None
        server = int(judge.stdout.readline())
        assert list(tmp_path.iterdir())
        judge.kill()

    end = time.monotonic() + 10
    while (Path(f"/proc/{server}").exists() or list(tmp_path.iterdir())) and time.monotonic() < end:
        time.sleep(0.01)
    assert not Path(f"/proc/{server}").exists()
    assert list(tmp_path.iterdir()) == []


def test_a_compiler_that_is_not_there_is_a_missing_prerequisite(catalogue: Catalogue) -> None:
    with (
        Judge(load_profile("llvm"), compiler="gcc") as judge,
        pytest.raises(PrerequisiteError, match="use one of"),
    ):
        judged(judge, catalogue, ROW_SUM)


def test_a_server_that_does_not_start_leaves_the_kernel_unjudged(catalogue: Catalogue) -> None:
    with Judge(load_profile("llvm"), compiler="c", server=[sys.executable, "-c", "pass"]) as judge:
        outcome = judged(judge, catalogue, ROW_SUM).outcome

    assert isinstance(outcome, Unjudged)


@pytest.mark.needs_tvm
def test_a_final_verdict_knows_the_size_of_the_code_and_a_search_does_not_wait_for_it(
    catalogue: Catalogue,
) -> None:
    with Judge(load_profile("llvm")) as judge:
        final = judged(judge, catalogue, ROW_SUM, TimingPlan(rings=2, batches=2, batch_ns=1_000_000))
        quick = judged(judge, catalogue, ROW_SUM, QUICK)

    assert final.cost is not None
    assert final.cost.code_bytes is not None
    assert 100 < final.cost.code_bytes < 100_000
    assert quick.cost is not None
    assert quick.cost.code_bytes is None
