"""`ekb report`."""

from pathlib import Path

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
