"""What commands print."""

import pytest

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.span import Span
from edgekernelbench.cli.output import diagnostics_as_json, print_json, print_lines, say


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
