"""How far a run is, on standard error."""

import io

import pytest
from rich.console import Console

from edgekernelbench.bench.progress import PLAIN, Bar, Silent, rate_text


def lines(total: int, kinds: list[str], done: int = 0) -> list[str]:
    stream = io.StringIO()
    with Bar(Console(file=stream, width=200)) as bar:
        bar.begin("judging", total, done)
        for kind in kinds:
            bar.advance(kind)
    return stream.getvalue().splitlines()


def test_a_pipe_gets_a_line_now_and_then() -> None:
    shown = lines(40, ["correct"] * 39 + ["wrong"])

    assert shown[0] == "judging: 2/40 (correct 2)"
    assert shown[-1] == "judging: 40/40 (correct 39, wrong 1)"
    assert len(shown) == 20


def test_every_outcome_is_shown() -> None:
    kinds = ["rejected C14", "rejected P02", "correct", "wrong values", "crashed run", "unjudged model"]

    shown = lines(6, kinds)[-1]

    assert shown == "judging: 6/6 (rejected 2, correct 1, wrong 1, crashed 1, unjudged 1)"


def test_a_resumed_stage_says_what_was_done_before() -> None:
    shown = lines(3, ["correct"], done=2)

    assert shown == ["judging: 2 of 3 were done before", "judging: 3/3 (correct 1)"]


def test_a_terminal_gets_a_bar_with_rate_and_time_left() -> None:
    stream = io.StringIO()
    with Bar(Console(file=stream, width=200, force_terminal=True)) as bar:
        bar.begin("writing", 2, 0)
        bar.advance("answered")
        bar.advance("no-text")

    text = stream.getvalue()
    assert "writing" in text
    assert "2/2" in text
    assert "answered 1, no-text 1" in text


def test_before_a_stage_there_is_nothing_to_advance() -> None:
    stream = io.StringIO()
    with Bar(Console(file=stream)) as bar:
        bar.advance("correct")

    assert stream.getvalue() == ""


def test_silence_is_silent() -> None:
    Silent().begin("x", 1, 0)
    Silent().advance("y")


@pytest.mark.parametrize(
    ("rate", "text"), [(1123.4, "1,123"), (100, "100"), (48.53, "48.5"), (0.1234, "0.123")]
)
def test_a_rate_is_written_without_powers(rate: float, text: str) -> None:
    assert rate_text(rate) == text


@pytest.mark.parametrize("reason", ["asked for", "a terminal that cannot"])
def test_plain_progress_is_lines_on_a_terminal_too(reason: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PLAIN if reason == "asked for" else "TERM", "dumb")
    stream = io.StringIO()
    with Bar(Console(file=stream, width=40, force_terminal=True)) as bar:
        bar.begin("judging", 2, 0)
        bar.advance("correct")
        bar.advance("wrong values")

    assert stream.getvalue() == "judging: 1/2 (correct 1)\njudging: 2/2 (correct 1, wrong 1)\n"
