"""TVM's MetaSchedule on tiny workloads: tried in children, judged like any kernel, R1 in the judge."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.bench.progress import Silent
from edgekernelbench.bench.tune import TunePlan, tune_workloads
from edgekernelbench.compiler.traced import Part
from edgekernelbench.evaluator.baselines import Bench, DefaultBaseline, UnfitError
from edgekernelbench.evaluator.environment import TUNER
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.references import TracedContender, TunedBaseline, read_tuned, traced_of
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.tuning import Session, Tuner
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Correct, Crashed, Phase
from edgekernelbench.records.tuned import TunedRecord
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

pytestmark = pytest.mark.needs_tvm

PROFILE = load_profile("llvm")
QUICK = TimingPlan(batches=2, batch_ns=1_000_000)
ROWS = "tiny/row_sum@r4-n12-f32"


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("catalogue")))


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(PROFILE) as judge:
        yield judge


@pytest.fixture(scope="module")
def tuned(catalogue: Catalogue, tmp_path_factory: pytest.TempPathFactory) -> dict[str, TunedRecord]:
    folder = tmp_path_factory.mktemp("baselines")
    plan = TunePlan(trials=3, rings=1)
    chosen = [catalogue.workload(ROWS)]
    return tune_workloads(folder, PROFILE, chosen, plan, resume=False, watcher=Silent())


def test_what_was_found_is_right_measured_and_accounted_for(tuned: dict[str, TunedRecord]) -> None:
    record = tuned[ROWS]
    (part,) = record.parts
    assert (record.outcome, record.rings) == ("correct", 1)
    assert part.trials == part.right + sum(
        n for kind, n in part.failed.items() if not kind.startswith("search")
    )
    assert part.trials <= 3
    assert part.trace
    assert record.ratio is not None
    assert (record.choice == "metaschedule") == (record.ratio > 1.0)
    assert record.versions["apache-tvm"]
    assert record.device.threads == PROFILE.threads


def test_a_tuned_workload_is_not_tuned_again(
    catalogue: Catalogue, tuned: dict[str, TunedRecord], tmp_path: Path
) -> None:
    (tmp_path / "llvm.jsonl").write_text(tuned[ROWS].line() + "\n", encoding="utf-8")
    plan, chosen = TunePlan(trials=3, rings=1), [catalogue.workload(ROWS)]
    again = tune_workloads(tmp_path, PROFILE, chosen, plan, resume=True, watcher=Silent())
    assert again[ROWS] == tuned[ROWS]
    assert len(read_tuned(tmp_path / "llvm.jsonl")) == 1


def test_r1_is_the_faster_of_the_two_and_records_say_which(
    catalogue: Catalogue, tuned: dict[str, TunedRecord]
) -> None:
    workload, bench = catalogue.workload(ROWS), Bench(PROFILE, "tvm")
    baselines = (DefaultBaseline(bench), TunedBaseline(bench, tuned))
    text = print_kernel(workload.kernel())
    with Judge(PROFILE, baselines=baselines, release="2026.1") as judge:
        found = judge.judge(Submission(workload, text, choose_inputs(b"secret", workload), QUICK))
    assert isinstance(found.outcome, Correct)
    assert [s.name for s in found.outcome.rings[0].baselines] == ["default", "r1"]
    assert found.reference is not None
    assert (found.reference.release, found.reference.kind) == ("2026.1", "R1")
    assert {found.reference.name, *found.reference.fallen} == {"default", "metaschedule"}


def test_a_workload_that_was_not_tuned_has_no_schedule(
    judge: Judge, catalogue: Catalogue, tuned: dict[str, TunedRecord]
) -> None:
    bench = Bench(PROFILE, "tvm")
    refused = tuned[ROWS].model_copy(update={"parts": (), "reason": "ordered: out"})
    cases: list[tuple[dict[str, TunedRecord], str]] = [
        ({}, "it was not tuned"),
        ({ROWS: refused}, "ordered: out"),
    ]
    for known, why in cases:
        contender = TracedContender(bench, known)
        with pytest.raises(UnfitError, match=why):
            contender.assignment(catalogue.workload(ROWS), judge.limits, judge.find_server)


def test_a_trace_that_does_not_fit_crashes_while_compiling(
    judge: Judge, catalogue: Catalogue, tuned: dict[str, TunedRecord]
) -> None:
    workload = catalogue.workload(ROWS)
    traced = traced_of(tuned[ROWS], workload)
    assert traced is not None
    broken = replace(traced, parts=(Part(traced.parts[0].stages, "[[], {}, 7]"),))
    inputs = choose_inputs(b"secret", workload)
    found = judge.judge(Submission(workload, broken.to_json(), inputs, traced=True))
    assert isinstance(found.outcome, Crashed)
    assert found.outcome.phase is Phase.COMPILE


def test_a_trace_of_another_text_is_not_used(catalogue: Catalogue, tuned: dict[str, TunedRecord]) -> None:
    other = tuned[ROWS].model_copy(update={"kernel": "0" * 16})
    assert traced_of(other, catalogue.workload(ROWS)) is None


def test_ordered_stages_are_left_to_the_default_lowering(judge: Judge) -> None:
    workload = load_catalogue().select(("sequence/cumsum",))[0].twin()
    found = Tuner(PROFILE, judge.find_server, judge.limits).tune(workload, trials=2, seed=0)
    assert found.traced is None
    assert found.reason.startswith("ordered: ")


def test_a_schedule_that_is_refused_costs_one_trial(judge: Judge, catalogue: Catalogue) -> None:
    server = judge.find_server(TUNER)
    with Session(catalogue.workload(ROWS), PROFILE, server, judge.limits) as session:
        assert session.measure(0, "[[], {}, 7]", None) == (None, "compile: refused")
        found, why = session.measure(0, "", None)
    assert found is not None
    assert why == ""
