"""Student's t."""

import pytest

from edgekernelbench.metrics.student import t_cdf, t_quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "expected"),
    [(0.95, 1, 6.3138), (0.95, 2, 2.9200), (0.95, 4, 2.1318), (0.975, 9, 2.2622), (0.95, 30, 1.6973)],
)
def test_quantiles_are_those_of_the_printed_tables(probability: float, freedom: int, expected: float) -> None:
    assert t_quantile(probability, freedom) == pytest.approx(expected, abs=5e-5)


def test_the_distribution_is_symmetric() -> None:
    assert t_cdf(-1.3, 7) == pytest.approx(1 - t_cdf(1.3, 7))
    assert t_quantile(0.5, 3) == pytest.approx(0, abs=1e-9)


@pytest.mark.parametrize(("probability", "freedom"), [(0.0, 3), (1.0, 3), (0.5, 0)])
def test_what_has_no_quantile_is_refused(probability: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        t_quantile(probability, freedom)
