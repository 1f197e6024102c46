"""Cheats in plain C, each with the outcome that it must get; its first line says which."""

import platform
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cheats.support import ROW_SUM, SCALE

from edgekernelbench.compiler.control.canonical import plain_source
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue
from edgekernelbench.workloads.schema import Workload

FOLDER = Path(__file__).parent / "control"
CHEATS = sorted((*FOLDER.glob("*.c"), *FOLDER.glob("sums/*.c")))
"""Those in `sums` are for a workload without weights, where calls find their inputs in memory."""
QUICK = TimingPlan(batches=2, batch_ns=1_000_000, tries=1)
PROFILE = load_profile("llvm")
HEAD = re.compile(r"/\* (always|when timed): (.*?)(?:; (.*))? \*/")
DAWDLE_NS = 50_000
"""What 200,000 turns of an empty loop take at the very least: four a nanosecond."""


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    limits = Limits(deadline_s=60.0, run_s=3.0, memory_bytes=1 << 30, file_bytes=128 << 20)
    with Judge(PROFILE, compiler="c", limits=limits) as judge:
        yield judge


def judged(judge: Judge, tiny: Catalogue, name: str, timing: TimingPlan | None) -> Judgement:
    workload = tiny.workload(ROW_SUM if name.startswith("sums/") else SCALE)
    text = (FOLDER / f"{name}.c").read_text(encoding="utf-8")
    inputs = choose_inputs(b"what nobody knows", workload)
    return judge.judge(Submission(workload, text, inputs, timing, language="c"))


@pytest.mark.parametrize("path", CHEATS, ids=lambda path: path.stem)
def test_a_cheat_gets_its_outcome(path: Path, judge: Judge, tiny: Catalogue) -> None:
    head = HEAD.match(path.read_text(encoding="utf-8"))
    assert head is not None, f"{path.name} does not say what it must come to"
    when, expected, note = head.groups()
    if note and note.startswith("x86-64") and platform.machine() != "x86_64":
        pytest.skip(f"{path.name} holds machine code of x86-64")
    name = str(path.relative_to(FOLDER).with_suffix(""))
    found = judged(judge, tiny, name, QUICK if when == "when timed" else None)
    assert failure_kind(found.outcome) in expected.split(" or "), found.outcome


def test_what_is_kept_from_call_to_call_does_not_pay(judge: Judge, tiny: Catalogue) -> None:
    """The kernel is quick on what it has seen; were inputs repeated, its median would be far below."""
    outcome = judged(judge, tiny, "knows_each_buffer_by_its_address", QUICK).outcome
    assert isinstance(outcome, Correct)
    assert outcome.rings[0].kernel.per_run > DAWDLE_NS


def test_a_record_says_how_it_was_built(judge: Judge, tiny: Catalogue) -> None:
    control = judged(judge, tiny, "right", None).control
    assert control is not None
    assert control.language == "c"
    assert "-O3" in control.flags
    assert control.compiler


@pytest.mark.parametrize("workload", load_catalogue().select((), suite="quick"), ids=lambda w: w.id)
def test_the_quick_suite_through_our_own_c_is_correct(workload: Workload, judge: Judge) -> None:
    """The honest battery of the control: what our C back end writes of the default lowering."""
    kernel = default_lowering(verify_compute(workload.kernel()), "llvm", PROFILE)
    nest = build_nest(verify_compute(kernel), "llvm", PROFILE)
    text = plain_source(nest, threads=PROFILE.threads, stack_limit=PROFILE.stack_bytes)
    inputs = choose_inputs(b"what nobody knows", workload)
    outcome = judge.judge(Submission(workload, text, inputs, language="c")).outcome
    assert failure_kind(outcome) == "correct", outcome
