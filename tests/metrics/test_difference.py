"""Two agents, workload by workload."""

from fractions import Fraction

import pytest

from edgekernelbench.metrics.difference import paired_difference, shared_workloads
from edgekernelbench.metrics.measures import correct, fast
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Unjudged

GOOD, BAD = Correct(()), Rejected(())


def row(agent: str, *workloads: str) -> list[Scored]:
    """Make attempts from `pattern@name=10`: one digit an attempt, 1 for correct."""
    rows = []
    for text in workloads:
        name, _, digits = text.partition("=")
        pattern = name.partition("@")[0]
        rows += [Scored(agent, name, pattern, n, GOOD if d == "1" else BAD) for n, d in enumerate(digits)]
    return rows


A = row("a", "p@1=10", "p@2=00", "q@1=11", "r@1=00")
B = row("b", "p@1=11", "p@2=10", "q@1=11", "r@1=10")


def test_the_difference_is_that_of_the_means() -> None:
    found = paired_difference(A, B, correct())

    assert found is not None
    assert (found.first, found.second) == (Fraction(3, 8), Fraction(3, 4))
    assert found.value == Fraction(3, 8)
    assert (found.workloads, found.patterns, found.better, found.worse) == (4, 3, 3, 0)


def test_patterns_are_turned_and_weighed_as_wholes() -> None:
    found = paired_difference(A, B, correct())

    # Patterns differ by 1 (two workloads), 0 and 1/2: two of four ways to turn p and r are as far from zero.
    assert found is not None
    assert found.p_value == 0.5
    assert found.interval is not None
    assert found.interval.clusters == 3
    # Three patterns say little: an unseen one may be as much worse, or as much better, as can be.
    assert found.interval.low < 0
    assert 0.6 < found.interval.high < 1


def test_turned_round_it_has_the_other_sign() -> None:
    one, other = paired_difference(A, B, correct()), paired_difference(B, A, correct())

    assert one is not None
    assert other is not None
    assert other.value == -one.value
    assert other.p_value == one.p_value
    assert (other.better, other.worse) == (one.worse, one.better)


def test_the_interval_leaves_zero_out_where_the_p_value_is_below_5_percent() -> None:
    for patterns in (5, 6):
        names = [f"p{n}@1" for n in range(patterns)]
        found = paired_difference(
            row("a", *(f"{n}=0" for n in names)), row("b", *(f"{n}=1" for n in names)), correct()
        )
        assert found is not None
        assert found.p_value == 2 / 2**patterns
        assert found.interval is not None
        assert (found.interval.low > 0) == (found.p_value < 0.05)


def test_an_agent_does_not_differ_from_itself() -> None:
    found = paired_difference(A, A, correct())

    assert found is not None
    assert found.value == 0
    assert found.p_value == 1.0


def test_only_shared_workloads_count() -> None:
    less = [a for a in B if a.workload != "q@1"] + row("b", "s@9=00")
    found = paired_difference(A, less, correct())

    assert shared_workloads(A, less) == {"p@1", "p@2", "r@1"}
    assert found is not None
    assert (found.workloads, found.first) == (3, Fraction(1, 6))


def test_different_numbers_of_attempts_are_shares_of_each() -> None:
    found = paired_difference(row("a", "p@1=110", "q@1=000"), row("b", "p@1=1", "q@1=0"), correct())

    assert found is not None
    assert found.value == Fraction(1, 6)


def test_one_pattern_has_no_interval_and_no_p_value() -> None:
    found = paired_difference(row("a", "p@1=0", "p@2=0"), row("b", "p@1=1", "p@2=1"), correct())

    assert found is not None
    assert found.value == 1
    assert found.interval is None
    assert found.p_value is None


@pytest.mark.parametrize(
    "second",
    [
        row("b", "z@1=1"),
        [*B[1:], Scored("b", B[0].workload, B[0].pattern, 0, Unjudged(Cause.MODEL, ""))],
    ],
    ids=["no workload shared", "an attempt unjudged"],
)
def test_what_is_not_known_is_no_difference(second: list[Scored]) -> None:
    assert paired_difference(A, second, correct()) is None


def test_what_was_not_timed_has_no_speed() -> None:
    assert paired_difference(A, B, fast(1.0, baseline="default", sure=False)) is None
    assert paired_difference(A, B, correct(3)) is None
