"""What an agent hears of a judgement."""

import pytest
from tests.conftest import Golden

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.span import Span
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.bench.feedback import NothingLearnt, feedback_of
from edgekernelbench.records.judgement import CostRecord, Judgement
from edgekernelbench.records.outcome import (
    Cause,
    Correct,
    Crashed,
    Fault,
    Outcome,
    Phase,
    Rejected,
    Ring,
    Series,
    Unjudged,
    Wrong,
)

SOURCE = "def f(x: f32[4]):\n    return x"
RING = Ring(
    Series("kernel", 10, (Nanoseconds(2_000_000),), 2), (Series("default", 5, (Nanoseconds(3_000_000),), 2),)
)
WRONG = Wrong(Fault.VALUES, "output 0", "typical", 3, 7.5, "out, element 5: expected 1.0, found 2.0")
OUTCOMES: dict[str, Outcome] = {
    "rejected": Rejected(
        (Diagnostic("C01", "the block ends with return", Span(2, 5, 2, 13), hint="return y"),)
    ),
    "crashed": Crashed(Phase.RUN, 11, timed_out=False, detail="Segmentation fault"),
    "timed out": Crashed(Phase.RUN, 9, timed_out=True, detail=""),
    "wrong": WRONG,
    "correct": Correct(()),
    "timed": Correct((RING,)),
}


def judgement(outcome: Outcome | Unjudged) -> Judgement:
    return Judgement(
        attempt="",
        workload="w",
        device="llvm",
        device_class="server",
        compiler="c",
        threads=2,
        text=None,
        outcome=outcome,
        cost=CostRecord(code_bytes=100, workspace_bytes={"global": 4096, "local": 0}, compile_ns=1),
    )


@pytest.mark.parametrize("name", OUTCOMES)
@pytest.mark.parametrize("public", [True, False], ids=["public", "hidden"])
def test_feedback_reads(golden: Golden, name: str, public: bool) -> None:
    golden(feedback_of(judgement(OUTCOMES[name]), SOURCE, public=public).text)


def test_values_of_hidden_inputs_are_not_told() -> None:
    assert "expected 1.0" in feedback_of(judgement(WRONG), SOURCE, public=True).text
    assert "expected 1.0" not in feedback_of(judgement(WRONG), SOURCE, public=False).text


def test_a_measured_kernel_has_a_time_and_a_ratio() -> None:
    feedback = feedback_of(judgement(OUTCOMES["timed"]), SOURCE, public=False)

    assert feedback.correct
    assert feedback.time == 200_000
    assert feedback.ratio == pytest.approx(3.0)


def test_a_refusal_has_its_codes() -> None:
    feedback = feedback_of(judgement(OUTCOMES["rejected"]), SOURCE, public=True)

    assert not feedback.accepted
    assert feedback.codes == ("C01",)


def test_what_could_not_be_judged_is_no_feedback() -> None:
    with pytest.raises(NothingLearnt, match="disk: full"):
        feedback_of(judgement(Unjudged(Cause.DISK, "full")), SOURCE, public=True)
