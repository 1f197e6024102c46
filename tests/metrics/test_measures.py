"""Scores by name."""

from fractions import Fraction

import pytest

from edgekernelbench.metrics.measures import find_measure
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.outcome import Correct, Rejected


@pytest.mark.parametrize(
    ("word", "name", "is_speed"),
    [
        ("accepted", "Accepted@1", False),
        ("Correct@3", "Correct@3", False),
        ("fast", "Fast@1.0", True),
        ("fast@1.05", "Fast@1.05", True),
        ("sure-fast@2", "sure Fast@2.0", True),
    ],
)
def test_a_score_is_found_by_its_word(word: str, name: str, is_speed: bool) -> None:
    found = find_measure(word, baseline="default")

    assert found is not None
    assert (found.name, found.is_speed) == (name, is_speed)


@pytest.mark.parametrize("word", ["", "quick", "correct@0", "correct@1.5", "fast@0", "fast@-1", "fast@", "1"])
def test_other_words_name_no_score(word: str) -> None:
    assert find_measure(word, baseline="default") is None


def test_a_measure_gives_the_score() -> None:
    attempts = [Scored("a", "w", "p", n, Correct(()) if n else Rejected(())) for n in range(2)]
    found = find_measure("correct", baseline="default")

    assert found is not None
    assert found.score(attempts) == Fraction(1, 2)
