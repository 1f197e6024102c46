"""What commands print."""

import io
import sys

import pytest

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.span import Span
from edgekernelbench.cli.output import diagnostics_as_json, folded, print_json, print_lines, say


def test_results_and_remarks_go_to_different_places(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(["a  ", "b"])
    say("remark")
    assert capsys.readouterr() == ("a\nb\n", "remark\n")


def test_half_a_surrogate_is_printed_as_an_escape(capsys: pytest.CaptureFixture[str]) -> None:
    print_lines(["x\udcff"])
    print_json({"x": "\udcff"})
    assert capsys.readouterr().out == 'x\\udcff\n{\n "x": "\\udcff"\n}\n'


def test_a_diagnostic_as_json_has_its_place() -> None:
    (row,) = diagnostics_as_json([Diagnostic("C14", "no", Span(2, 3, 2, 9), hint="so")])
    assert (row["code"], row["severity"], row["line"], row["column"], row["hint"]) == (
        "C14",
        "error",
        2,
        3,
        "so",
    )


class Terminal(io.StringIO):
    """Standard output as a terminal has it."""

    def isatty(self) -> bool:
        return True


TEXT = "a sentence of some words " * 8


@pytest.mark.parametrize("width", [40, 80, 200])
def test_sentences_are_broken_on_a_terminal_alone(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    for stream, whole in ((Terminal(), False), (io.StringIO(), True)):
        monkeypatch.setattr(sys, "stdout", stream)
        print_lines([TEXT], fold=True)
        lines = stream.getvalue().splitlines()
        assert (lines == [TEXT.rstrip()]) == (whole or width == 200)
        assert " ".join(" ".join(lines).split()) == TEXT.rstrip()
        assert whole or all(len(line) <= width for line in lines)


def test_code_is_not_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    stream = Terminal()
    monkeypatch.setattr(sys, "stdout", stream)
    print_lines([TEXT])
    assert stream.getvalue() == TEXT.rstrip() + "\n"


@pytest.mark.parametrize(
    ("line", "parts"),
    [
        ("name     ready  what it is good for", ["name     ready  what it is", "                good for"]),
        ("  advice that is long enough to break", ["  advice that is long enough", "    to break"]),
        ("x" * 40, ["x" * 40]),
        ("short", ["short"]),
    ],
)
def test_rows_go_on_under_their_last_column(line: str, parts: list[str]) -> None:
    assert folded(line, 28) == parts


def test_what_the_encoding_lacks_is_printed_as_an_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    print_lines(["3 µs – fast"])
    sys.stdout.flush()
    assert raw.getvalue() == b"3 \\xb5s \\u2013 fast\n"
