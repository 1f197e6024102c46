"""One flat row an attempt."""

import csv
import io
import re
from pathlib import Path

import pytest
from tests.reports.support import WRONG, correct, make_rows, rejected
from tests.reports.test_costs import judged, timed

from edgekernelbench.records.attempt import Attempt, Ending, Usage
from edgekernelbench.records.outcome import Outcome
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.attempt_rows import COLUMNS, attempt_rows, attempts_as_csv
from edgekernelbench.reports.runs import read_attempts, score_run

W = [f"conv/p{n}@s-f32" for n in range(4)]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    rows: dict[str, dict[str, Outcome | None]] = {
        "a": {W[0]: correct(50, 100), W[1]: WRONG, W[2]: rejected("C14"), W[3]: None}
    }
    return make_rows(tmp_path / "run", rows, settings={"track": "write"})


def test_every_planned_attempt_has_a_row(run: Path) -> None:
    rows = list(attempt_rows(read_attempts(run)))

    assert [row["workload"] for row in rows] == W
    assert [row["outcome"] for row in rows] == ["correct", "wrong", "rejected", "unjudged"]
    assert [row["kind"] for row in rows][1:3] == ["wrong values", "rejected C14"]
    assert [row["correct"] for row in rows] == [True, False, False, None]
    assert [row["accepted"] for row in rows] == [True, True, False, None]
    assert [row["sets"] for row in rows] == [1, 0, 0, 0]
    assert all(list(row) == list(COLUMNS) for row in rows)


def test_only_what_is_correct_has_times(run: Path) -> None:
    first, *others = attempt_rows(read_attempts(run))

    assert first["speedup"] == pytest.approx(2.0)
    assert first["sure_speedup"] == pytest.approx(2.0 / 1.078, rel=1e-3)
    assert (first["kernel_ns"], first["reference_ns"], first["vendor_ns"]) == (50, 100, None)
    assert all(row["speedup"] is None and row["kernel_ns"] is None for row in others)


def test_a_row_says_when_its_reference_took_another_time_than_the_others(tmp_path: Path) -> None:
    rows: dict[str, dict[str, Outcome | None]] = {
        "a": {W[0]: correct(50, 100), W[1]: correct(50, 100), W[2]: WRONG},
        "b": {W[0]: correct(70, 180), W[1]: correct(20, 104), W[2]: correct(50, 100)},
    }
    read = read_attempts(make_rows(tmp_path / "run", rows))
    assert [row["reference_apart"] for row in attempt_rows(read)] == [True, False, None, True, False, False]
    assert score_run(read).apart == 2


def test_costs_vendor_and_usage_are_there(run: Path) -> None:
    with RunFolder(run).writing() as writer:
        writer.add_judgement(judged(timed(50, 75)).model_copy(update={"attempt": f"a/{W[3]}/0"}))
        writer.add_attempt(
            Attempt(
                id=f"a/{W[3]}/0",
                agent="a",
                workload=W[3],
                number=0,
                ending=Ending.ANSWERED,
                text="ab" * 32,
                usage=Usage(calls=2, output_tokens=300),
            )
        )
    row = list(attempt_rows(read_attempts(run)))[3]

    assert (row["vendor"], row["vendor_ns"]) == ("torch", 75)
    assert row["vendor_speedup"] == pytest.approx(1.5)
    assert (row["workspace_bytes"], row["code_bytes"], row["compile_ns"]) == (1048, 2048, 10_000_000)
    assert (row["ending"], row["calls"], row["output_tokens"]) == ("answered", 2, 300)
    assert row["text"] == "ab" * 32


def test_csv_is_read_back(run: Path) -> None:
    text = attempts_as_csv([read_attempts(run), read_attempts(run)])

    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == 8
    assert rows[0]["workload"] == W[0]
    assert float(rows[0]["speedup"]) == pytest.approx(2.0)
    assert rows[3]["speedup"] == ""


@pytest.mark.parametrize(
    "name", ["=HYPERLINK(A1)", "+1+1", "-2+3", "@SUM(A1)", "\t=1", "a;=1+1", "  =cmd|' /C calc'!A0", "b;\n@x"]
)
def test_no_name_is_a_formula_in_a_spreadsheet(name: str, tmp_path: Path) -> None:
    folder = make_rows(tmp_path / "run", {name: {W[0]: correct(50, 100)}}, settings={"track": "write"})
    (row,) = csv.DictReader(io.StringIO(attempts_as_csv([read_attempts(folder)])))

    cells = [piece for cell in row.values() for piece in re.split(r"[;\t\r\n]", cell)]
    assert [c for c in cells if c.strip()[:1] in tuple("=+@")] == []
    assert [float(c) for c in cells if c.startswith("-")] == []
    assert name.lstrip()[:2] in row["agent"] or name[-2:] in row["agent"]


def test_numbers_are_as_they_were(run: Path) -> None:
    read = read_attempts(run)
    plain = [{n: "" if v is None else str(v) for n, v in row.items()} for row in attempt_rows(read)]

    assert list(csv.DictReader(io.StringIO(attempts_as_csv([read])))) == plain
