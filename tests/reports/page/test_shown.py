"""Texts from outside, made harmless to look at."""

from hypothesis import given, settings
from hypothesis import strategies as st

from edgekernelbench.reports.page.shown import shown


def test_what_has_no_shape_is_named() -> None:
    assert shown("a\x1b[31mb\u202ec\u200bd\x00\ufeff\x7f\u2028") == (
        "a⟨U+001B⟩[31mb⟨U+202E⟩c⟨U+200B⟩d⟨U+0000⟩⟨U+FEFF⟩⟨U+007F⟩⟨U+2028⟩"
    )


def test_words_of_any_script_stay() -> None:
    text = "größer 内核 ядро नमस्ते\n\tα → β"
    assert shown(text) == text


def test_half_surrogates_can_be_written() -> None:
    assert shown("\ud800").encode() == "⟨U+D800⟩".encode()


def test_a_long_text_says_how_much_is_missing() -> None:
    assert shown("abcdef", 4) == "abcd\n⟨2 more characters⟩"


@settings(max_examples=200, deadline=None)
@given(st.text(st.characters(codec=None)))
def test_nothing_without_a_shape_is_left(text: str) -> None:
    for char in shown(text):
        assert char in "\n\t" or char.isprintable() or char.isspace()
