"""The rough count."""

from edgekernelbench.agents.tokens import estimate_tokens


def test_four_characters_are_a_token_and_a_rest_is_one_more() -> None:
    assert [estimate_tokens(text) for text in ("", "a", "abcd", "abcde")] == [0, 1, 1, 2]
