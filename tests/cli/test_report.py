"""`ekb report`."""

import csv
import io
import json
from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.reports.support import make_run

from edgekernelbench.cli.status import Status


def test_a_finished_run_has_a_table(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("report", str(make_run(tmp_path / "run")))
    assert (done.status, done.err) == (Status.YES, "")
    assert "Correct@1" in done.out
    assert done.out.endswith(f"run folder: {tmp_path / 'run'}\n")


def test_an_unfinished_run_is_a_no(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("report", str(make_run(tmp_path / "run", without=2)))
    assert done.status == Status.NO
    assert "`ekb resume`" in done.out.replace("\n ", "")


def test_several_runs_are_one_json_list(tmp_path: Path, ekb: Ekb) -> None:
    runs = [str(make_run(tmp_path / name)) for name in ("a", "b")]
    assert [row["folder"] for row in ekb("report", *runs, "--json").json] == runs


def test_tables_are_printed_as_markdown(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("report", str(make_run(tmp_path / "run")), "--markdown")
    assert (done.status, done.err) == (Status.YES, "")
    assert done.out.startswith("### demo\n")
    assert "| agent | Accepted@1 |" in done.out


def test_attempts_are_printed_as_csv(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("report", str(make_run(tmp_path / "run", without=1)), "--csv")
    assert done.status == Status.NO
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert [row["outcome"] for row in rows][-2:] == ["correct", "unjudged"]


def test_one_form_is_named(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("report", str(make_run(tmp_path / "run")), "--csv", "--json")
    assert (done.status, done.out) == (Status.USAGE, "")
    assert "name one" in done.err


@pytest.mark.parametrize("form", [(), ("--markdown",), ("--csv",), ("--json",)])
def test_changed_records_are_named_in_every_form(tmp_path: Path, form: tuple[str, ...], ekb: Ekb) -> None:
    run = make_run(tmp_path / "run")
    path = run / "judgements.jsonl"
    path.write_text(path.read_text().replace('"C14"', '"C08"'), encoding="utf-8")
    done = ekb("report", str(run), *form)
    assert done.status == Status.NO
    assert "judgements.jsonl:2: was changed after it was written" in done.out + done.err


def test_a_page_is_written_and_says_what_is_in_it(tmp_path: Path, ekb: Ekb) -> None:
    file = tmp_path / "page.html"
    done = ekb("report", str(make_run(tmp_path / "run")), "--html", str(file))
    assert (done.status, done.out) == (Status.YES, f"{file}: 6 of 6 attempts judged, 0.6 MB\n")
    assert file.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_a_page_of_an_unfinished_run_is_a_no(tmp_path: Path, ekb: Ekb) -> None:
    file = tmp_path / "page.html"
    done = ekb("report", str(make_run(tmp_path / "run", without=2)), "--html", str(file), "--json")
    assert done.status == Status.NO
    assert (done.json["judged"], done.json["planned"]) == (4, 6)


def test_a_page_of_changed_records_is_a_no_and_says_so(tmp_path: Path, ekb: Ekb) -> None:
    run, file = make_run(tmp_path / "run"), tmp_path / "page.html"
    records = run / "judgements.jsonl"
    records.write_text(records.read_text(encoding="utf-8").replace("C14", "C15"), encoding="utf-8")
    done = ekb("report", str(run), "--html", str(file))
    assert done.status == Status.NO
    assert "were changed after they were written" in done.err
    assert "No score of them can be believed" in file.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--watch"], "name its file with --html"),
        (["--html", "page.html", "--csv"], "name one"),
        (["--html", "no/such/page.html"], "its folder does not exist"),
    ],
)
def test_options_that_do_not_belong_together_are_refused(
    tmp_path: Path, ekb: Ekb, options: list[str], words: str
) -> None:
    done = ekb("report", str(make_run(tmp_path / "run")), *options)
    assert done.status == Status.USAGE
    assert words in done.err


def test_the_page_of_a_run_on_several_devices_holds_all_of_them(tmp_path: Path, ekb: Ekb) -> None:
    root = tmp_path / "both"
    make_run(root / "llvm")
    make_run(root / "opencl")
    fields = {"schema": "runs/1", "folders": ["llvm", "opencl"]}
    (root / "runs.json").write_text(json.dumps(fields), encoding="utf-8")
    file = tmp_path / "page.html"

    done = ekb("report", str(root), "--html", str(file), "--json")

    assert done.status == Status.YES, done.err
    one = ekb("report", str(root / "llvm"), "--html", str(tmp_path / "one.html"), "--json")
    assert done.json["planned"] == 2 * one.json["planned"]
