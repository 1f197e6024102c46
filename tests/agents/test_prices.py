"""Price tables."""

from pathlib import Path

import pytest

from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.agents.prices import Price, load_prices
from edgekernelbench.base.errors import RecordError


def table(folder: Path, text: str) -> Path:
    path = folder / "prices.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_table_gives_prices_by_name(tmp_path: Path) -> None:
    path = table(
        tmp_path, '["openai:m"]\ninput = 2\ncached = 0.5\noutput = 8.0\n\n[n]\ninput = 1\noutput = 1\n'
    )
    assert load_prices(path) == {"openai:m": Price(2, 0.5, 8.0), "n": Price(1, 1, 1)}


def test_cached_and_fresh_tokens_have_their_own_price() -> None:
    usage = Usage(input=1_000_000, cached=400_000, output=500_000)
    assert Price(input=2.0, cached=0.5, output=8.0).of(usage) == pytest.approx(1.2 + 0.2 + 4.0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[m]\ninput = 1\n", "'m' needs input and output"),
        ("[m]\ninput = 1\noutput = 1\nextra = 1\n", "'m' needs input and output"),
        ("[m]\ninput = -1\noutput = 1\n", "are numbers of at least 0"),
        ('[m]\ninput = "1"\noutput = 1\n', "are numbers of at least 0"),
        ("m = 3\n", "'m' needs input and output"),
        ("[m\n", "not a price table"),
    ],
)
def test_a_wrong_table_is_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        load_prices(table(tmp_path, text))
