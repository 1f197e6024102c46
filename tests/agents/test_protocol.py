"""What is left of a budget, in words."""

import pytest

from edgekernelbench.agents.protocol import Left


@pytest.mark.parametrize(
    ("left", "text"),
    [
        (Left(), "no limit"),
        (Left(submissions=1), "1 submission"),
        (Left(submissions=0), "0 submissions"),
        (Left(submissions=20, tokens=12345), "20 submissions, 12,345 tokens"),
        (Left(money=0.5, seconds=61.4), "0.5000 of money, 61 s"),
    ],
)
def test_what_is_left_is_said_in_words(left: Left, text: str) -> None:
    assert str(left) == text
