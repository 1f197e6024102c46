"""One number by itself."""

import pytest

from edgekernelbench.base.errors import SourceError
from edgekernelbench.lang.quantity import read_number


@pytest.mark.parametrize(
    ("text", "value"),
    [("HQ + 2 * HK", 15), ("(HQ + 1) // 2", 5), ("HQ ** 2 - 1", 80), ("HK", 3), ("0.5", 0.5)],
)
def test_a_number_is_worked_out(text: str, value: float) -> None:
    assert read_number(text, {"HQ": 9, "HK": 3}) == value


def test_an_unknown_capital_gives_none() -> None:
    assert read_number("HQ + N", {"HQ": 9}) is None


@pytest.mark.parametrize("text", ["x + 1", "HQ(3)", "1 / 0", "HQ if 1 else 2"])
def test_what_is_no_number_is_refused(text: str) -> None:
    with pytest.raises(SourceError):
        read_number(text, {"HQ": 9})
