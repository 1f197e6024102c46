"""Accepted@k and Correct@k."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.success import accepted_at_k, at_k, correct_at_k
from edgekernelbench.records.outcome import Cause, Correct, Outcome, Rejected, Unjudged


def scored(workload: str, number: int, outcome: Outcome | Unjudged) -> Scored:
    return Scored("direct", workload, workload.split("@", maxsplit=1)[0], number, outcome)


@pytest.mark.parametrize(
    ("successes", "attempts", "k", "expected"),
    [
        pytest.param(0, 5, 1, Fraction(0), id="none succeeded"),
        pytest.param(2, 5, 1, Fraction(2, 5), id="one draw is the share"),
        pytest.param(2, 5, 2, Fraction(7, 10), id="one minus 3 of 10 pairs"),
        pytest.param(5, 5, 3, Fraction(1), id="all succeeded"),
        pytest.param(1, 1, 2, None, id="undefined with too few attempts"),
    ],
)
def test_at_k_is_the_unbiased_estimate(
    successes: int, attempts: int, k: int, expected: Fraction | None
) -> None:
    assert at_k(successes, attempts, k) == expected


@given(st.integers(1, 30).flatmap(lambda n: st.tuples(st.just(n), st.integers(0, n), st.integers(1, n))))
def test_at_k_grows_with_k_and_with_successes(case: tuple[int, int, int]) -> None:
    attempts, successes, k = case
    here = at_k(successes, attempts, k)
    assert here is not None
    if successes < attempts:
        assert here <= (at_k(successes + 1, attempts, k) or 0)
    if k < attempts:
        assert here <= (at_k(successes, attempts, k + 1) or 0)


def test_impossible_counts_are_refused() -> None:
    with pytest.raises(ValueError, match="impossible counts"):
        at_k(3, 2, 1)


def test_a_refusal_counts_in_the_denominator_of_both() -> None:
    attempts = [scored("a@1", 0, Correct(())), scored("b@1", 0, Rejected(()))]

    assert correct_at_k(attempts, 1) == Fraction(1, 2)
    assert accepted_at_k(attempts, 1) == Fraction(1, 2)


def test_every_workload_weighs_the_same_whatever_its_number_of_attempts() -> None:
    attempts = [scored("a@1", 0, Correct(())), *(scored("b@1", n, Rejected(())) for n in range(3))]

    assert correct_at_k(attempts, 1) == Fraction(1, 2)


def test_an_unjudged_attempt_leaves_the_score_undefined() -> None:
    attempts = [scored("a@1", 0, Correct(())), scored("b@1", 0, Unjudged(Cause.DISK, "full"))]

    assert correct_at_k(attempts, 1) is None


def test_an_attempt_that_occurs_twice_is_refused() -> None:
    with pytest.raises(ValueError, match="occurs twice"):
        correct_at_k([scored("a@1", 0, Correct(())), scored("a@1", 0, Correct(()))], 1)
