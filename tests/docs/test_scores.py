"""The worked examples of "What the scores mean" are what the code computes."""

import math
import re
from statistics import fmean, stdev

import numpy as np
import pytest
from tests.docs.pages import DOCS

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.bench.verdicts import FINAL_RINGS
from edgekernelbench.evaluator.compare import expect
from edgekernelbench.evaluator.judge import COMPILE_DEADLINE_S, DEADLINE_FACTOR, LEAST_DEADLINE_S
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.ir.dtype import DType
from edgekernelbench.metrics.agreement import CONFIDENCE, LEAST_SPREAD, allowed_apart
from edgekernelbench.metrics.difference import paired_difference
from edgekernelbench.metrics.headline import Headline, headline
from edgekernelbench.metrics.intervals import RESAMPLES, clustered_interval
from edgekernelbench.metrics.measures import correct as correct_measure
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.portable import joined
from edgekernelbench.metrics.randomization import DRAWS
from edgekernelbench.metrics.speed import CONFIDENCE as SURE_CONFIDENCE
from edgekernelbench.metrics.speed import PROCESS_SPREAD, sure_log_speedup
from edgekernelbench.metrics.speed_difference import paired_speed
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.metrics.success import correct_at_k
from edgekernelbench.records.outcome import (
    Correct,
    Crashed,
    Fault,
    Outcome,
    Phase,
    Rejected,
    Ring,
    Series,
    Wrong,
)
from edgekernelbench.reports.comparisons import SURE
from edgekernelbench.workloads.limits import RMS_RATIO
from edgekernelbench.workloads.reference import OutputFacts

PAGE = (DOCS / "explanation" / "scores.md").read_text(encoding="utf-8")
REJECTED = Rejected((Diagnostic("C14", "no"),))
WRONG = Wrong(Fault.VALUES, "output 0", "typical", 1, 2.0, "")
CRASHED = Crashed(Phase.RUN, 11, timed_out=False, detail="")


def timed(kernel_ms: float, baseline_ms: float) -> Ring:
    def series(name: str, ms: float) -> Series:
        return Series(name, 1, (Nanoseconds(round(ms * 1_000_000)),), 2)

    return Ring(series("kernel", kernel_ms), (series("default", baseline_ms),))


def correct(kernel_ms: float, baseline_ms: float) -> Correct:
    return Correct((timed(kernel_ms, baseline_ms),))


def another() -> list[Scored]:
    rows: dict[tuple[str, str], tuple[Outcome, Outcome]] = {
        ("A", "small"): (correct(1, 1), correct(1, 1)),
        ("A", "large"): (correct(1, 1), correct(1, 1)),
        ("B", "only"): (correct(1, 1), WRONG),
    }
    return scored("another", rows)


def attempts() -> list[Scored]:
    rows: dict[tuple[str, str], tuple[Outcome, Outcome]] = {
        ("A", "small"): (REJECTED, correct(2.0, 3.0)),
        ("A", "large"): (correct(4.0, 4.1), correct(5.0, 4.0)),
        ("B", "only"): (WRONG, CRASHED),
    }
    return scored("agent", rows)


def scored(agent: str, rows: dict[tuple[str, str], tuple[Outcome, Outcome]]) -> list[Scored]:
    return [
        Scored(agent, f"{pattern}@{name}", pattern, number, outcome)
        for (pattern, name), outcomes in rows.items()
        for number, outcome in enumerate(outcomes)
    ]


@pytest.fixture
def row() -> Headline:
    row = headline(attempts())
    assert isinstance(row, Headline)
    return row


@pytest.mark.parametrize("name", ["Accepted@1", "Correct@1", "Correct@2", "Fast@1.0", "sure Fast@1.0"])
def test_the_table_by_hand_has_the_scores_of_the_code(row: Headline, name: str) -> None:
    (score,) = (score for score in row.scores if score.name == name)
    said = PAGE.partition(f"- **{name}**")[2].split("\n")[0]

    assert score.value is not None
    assert f"{score.value.numerator}/{score.value.denominator}" in said
    assert f"{100 * float(score.value):.1f} %" in said


def test_the_interval_by_hand_is_that_of_the_code(row: Headline) -> None:
    (score,) = (score for score in row.scores if score.name == "Correct@1")

    assert score.interval is not None
    low, high = 100 * score.interval.low, 100 * score.interval.high
    assert f"It reaches from {low:.0f} to {high:.0f} %" in PAGE
    assert f"{RESAMPLES:,} times" in PAGE


@pytest.mark.parametrize(("word", "patterns"), [("two", 2), ("thirty-one", 31)])
def test_patterns_that_all_succeed_show_the_interval_that_is_said(word: str, patterns: int) -> None:
    found = re.search(
        rf"{word}(?: patterns)? that both succeed show \[(\d+), 100\]|{word} show \[(\d+), 100\]", PAGE
    )
    assert found is not None
    said = int(found[1] or found[2])
    exact = 100 * 0.025 ** (1 / patterns)  # Clopper and Pearson
    interval = clustered_interval({f"p{n}": [1.0] for n in range(patterns)})
    assert interval is not None
    assert said == round(exact)
    assert 100 * interval.low == pytest.approx(exact, abs=1.5)
    assert interval.high == 1


def test_the_geometric_mean_by_hand_is_that_of_the_code(row: Headline) -> None:
    assert row.speedup is not None
    mean, count = row.speedup
    assert f"= {mean:.2f}, over {count} attempts" in PAGE


def test_the_sure_bounds_by_hand_are_those_of_the_code() -> None:
    one = sure_log_speedup([timed(1.0, 1.5)], "default")
    assert one is not None
    assert f"divided by {1.5 / math.exp(one):.3f}" in PAGE
    assert f"{100 * PROCESS_SPREAD:.1f} %" in PAGE

    ratios = [1.10, 1.12, 1.08, 1.11, 1.09]
    five = sure_log_speedup([timed(1.0, ratio) for ratio in ratios], "default")
    logs = [math.log(ratio) for ratio in ratios]
    assert five is not None
    assert len(ratios) == FINAL_RINGS
    for number in (f"{fmean(logs):.4f}", f"{stdev(logs):.4f}", f"{t_quantile(SURE_CONFIDENCE, 4):.3f}"):
        assert number in PAGE
    assert f"= {math.exp(five):.3f}." in PAGE


def test_the_comparison_by_hand_is_that_of_the_code() -> None:
    found = paired_difference(attempts(), another(), correct_measure())

    assert found is not None
    assert f"their mean {found.value}: {100 * float(found.value):+.1f} points" in PAGE
    assert found.interval is not None
    low, high = 100 * found.interval.low, 100 * found.interval.high
    assert f"It reaches from {low:.0f} to {high:+.0f} points" in PAGE
    assert f"p is {found.p_value}." in PAGE


def test_the_speed_by_hand_is_that_of_the_code() -> None:
    found = paired_speed(attempts(), another(), "default")

    assert found is not None
    assert f"= {found.ratio:.2f} times as fast on two workloads of one pattern" in PAGE
    assert (found.workloads, found.patterns, found.faster, found.slower) == (2, 1, 1, 1)
    assert found.low is None
    allowed = allowed_apart([[0.0], [0.0]], [[0.0], [0.0]], processes=2)
    assert f"= {math.exp(allowed):.3f}.\n" in PAGE
    alone = allowed_apart([[0.0]], [[0.0]], processes=1)
    assert f"with one set {100 * math.expm1(alone):.1f} %" in PAGE


def test_portable_by_hand_is_that_of_the_code() -> None:
    good = correct(1, 1)
    second: dict[tuple[str, str], tuple[Outcome, Outcome]] = {
        ("A", "small"): (REJECTED, good),
        ("A", "large"): (good, good),
        ("B", "only"): (WRONG, WRONG),
    }
    third = {**second, ("A", "small"): (REJECTED, WRONG)}
    found = joined({"llvm": attempts(), "opencl": scored("agent", second), "cuda": scored("agent", third)})

    value = correct_at_k(found, 1)
    assert value is not None
    said = PAGE.partition("- **Portable@1**")[2].split("\n")[0]
    assert said.endswith(f"The mean is {value}, {100 * float(value):.1f} %.")


def test_the_constants_of_comparing_are_those_of_the_code() -> None:
    assert 2**13 <= DRAWS < 2**14
    assert f"up to 13 patterns that differ, {DRAWS:,} drawn ones" in PAGE
    assert f"p below {SURE};" in PAGE
    assert f"{100 * LEAST_SPREAD:.1f} % for each process" in PAGE
    assert f"The confidence is {100 * CONFIDENCE:.0f} % over all" in PAGE


def test_the_tolerance_by_hand_is_that_of_the_code() -> None:
    facts = OutputFacts("out", DType.F32, DType.F32, additions=24, scale=2.5, tolerance_lsb=0)
    five = np.array([5.0])

    found = expect(facts, five, five)

    assert not isinstance(found.allowed, float)
    assert f"Allowed is {found.allowed[0]:.2e}".replace("e-0", "e-") in PAGE
    assert f"= {found.rms_declared:.2e}".replace("e-0", "e-") in PAGE
    assert f"{RMS_RATIO:.0f} times that, {found.rms:.2e}".replace("e-0", "e-") in PAGE


def test_deadline_and_batch_are_those_of_the_code() -> None:
    assert f"within {COMPILE_DEADLINE_S:.0f} s" in PAGE
    assert f"deadline of {LEAST_DEADLINE_S:.0f} s (more, where {DEADLINE_FACTOR} times" in PAGE
    assert f"at least {TimingPlan().batch_ns // 1_000_000} ms" in PAGE
