"""Reading what a person names."""

import pytest

from edgekernelbench.base.errors import RecordError
from edgekernelbench.cli.files import parse_sizes


def test_sizes_are_numbers_or_names_of_types() -> None:
    assert parse_sizes(["N=8", "EPS=1e-5", "T=f16", "Z=-3"]) == {"N": 8, "EPS": 1e-5, "T": "f16", "Z": -3}


@pytest.mark.parametrize("word", ["N", "N=", "=8", ""])
def test_a_word_of_another_form_is_refused(word: str) -> None:
    with pytest.raises(RecordError, match="NAME=VALUE"):
        parse_sizes([word])
