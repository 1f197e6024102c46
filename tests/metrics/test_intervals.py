"""Intervals by a bootstrap over patterns."""

from edgekernelbench.metrics.intervals import clustered_interval, interval_of
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.success import correct_at_k
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Unjudged


def test_workloads_of_one_pattern_do_not_narrow_the_interval() -> None:
    few = {f"p{n}": [float(n % 2)] for n in range(10)}
    many = {name: values * 20 for name, values in few.items()}

    assert clustered_interval(few) == clustered_interval(many)


def test_more_patterns_narrow_the_interval() -> None:
    def width(patterns: int) -> float:
        interval = clustered_interval({f"p{n}": [float(n % 2)] for n in range(patterns)})
        assert interval is not None
        return interval.high - interval.low

    assert width(200) < width(20) / 2


def test_the_same_seed_gives_the_same_interval() -> None:
    values = {f"p{n}": [float(n % 3 == 0)] for n in range(12)}

    assert clustered_interval(values, seed=4) == clustered_interval(values, seed=4)


def test_one_pattern_has_no_interval() -> None:
    assert clustered_interval({"p": [0.0, 1.0]}) is None


def test_the_interval_of_a_score_holds_the_score() -> None:
    attempts = [
        Scored("direct", f"w{n}", f"p{n // 2}", 0, Correct(()) if n % 2 else Rejected(())) for n in range(40)
    ]

    interval = interval_of(attempts, lambda group: correct_at_k(group, 1))

    assert interval is not None
    assert interval.low <= 0.5 <= interval.high
    assert interval.clusters == 20


def test_an_unknown_score_has_no_interval() -> None:
    attempts = [Scored("direct", f"w{n}", f"p{n}", 0, Unjudged(Cause.DISK, "")) for n in range(4)]

    assert interval_of(attempts, lambda group: correct_at_k(group, 1)) is None
