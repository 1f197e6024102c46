"""The terminal table, read by people, and the same as JSON."""

import json
from dataclasses import replace
from pathlib import Path

from tests.conftest import Golden
from tests.reports.support import make_run

from edgekernelbench.evaluator.bounds import FASTER_THAN_ROOFLINE
from edgekernelbench.evaluator.judge import NONDETERMINISTIC, ONE_CHILD, STOPPED_EARLY
from edgekernelbench.evaluator.watch import MARKS
from edgekernelbench.reports.runs import RunScores, read_run
from edgekernelbench.reports.tables import FLAGS, flag_notes, runs_as_json, table_lines


def scored(folder: Path, *, without: int = 0) -> RunScores:
    return replace(read_run(make_run(folder, without=without)), folder="runs/demo", digest=16 * "d")


def test_the_table_of_a_finished_run_is_golden(tmp_path: Path, golden: Golden) -> None:
    golden("\n".join(table_lines([scored(tmp_path / "run")])))


def test_the_table_of_an_unfinished_run_is_golden(tmp_path: Path, golden: Golden) -> None:
    golden("\n".join(table_lines([scored(tmp_path / "run", without=1)])))


def test_the_json_of_a_run_is_golden(tmp_path: Path, golden: Golden) -> None:
    golden(json.dumps(runs_as_json([scored(tmp_path / "run")]), indent=1, ensure_ascii=False))


def test_several_runs_are_several_tables(tmp_path: Path) -> None:
    runs = [scored(tmp_path / "a"), scored(tmp_path / "b")]
    one, two = table_lines(runs[:1]), table_lines(runs)
    assert two == [*one, "", *one]


def test_speeds_against_references_that_stand_apart_are_counted_under_the_table(tmp_path: Path) -> None:
    run = replace(scored(tmp_path / "run"), apart=2)
    assert "2 speeds against a reference that took another time than beside other" in "\n".join(
        table_lines([run])
    )
    assert runs_as_json([run])[0]["references_apart"] == 2


def test_every_flag_of_a_judgement_is_a_sentence_under_the_table() -> None:
    known = {ONE_CHILD, STOPPED_EARLY, NONDETERMINISTIC, FASTER_THAN_ROOFLINE, *MARKS.values()}
    assert set(FLAGS) == known
    assert flag_notes({"measured-under-load": 3, "no-vendor": 2}) == [
        "3 speeds measured while the machine did something else",
        "2 judgements flagged no-vendor",
    ]
