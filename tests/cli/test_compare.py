"""`ekb compare`."""

from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.reports.support import make_rows
from tests.reports.test_comparisons import PATTERNS, row

from edgekernelbench.cli.status import Status


@pytest.fixture
def runs(tmp_path: Path) -> tuple[str, str]:
    rows = {"old": ("a", 6), "new": ("b", 5)}
    made = [make_rows(tmp_path / name, {agent: row(good)}) for name, (agent, good) in rows.items()]
    return str(made[0]), str(made[1])


def test_two_runs_have_a_table_that_names_its_seed(runs: tuple[str, str], ekb: Ekb) -> None:
    done = ekb("compare", *runs)

    assert (done.status, done.err) == (Status.YES, "")
    for word in ("Accepted@1", "Correct@1", "Fast@1.0", "sure Fast@1.0", "-12.5", "not told apart"):
        assert word in done.out
    assert "over 8 workloads of 8 patterns" in done.out.replace("\n  ", " ")
    assert done.out.endswith("seed 0\n")


def test_the_seed_decides_everything(runs: tuple[str, str], ekb: Ekb) -> None:
    words = ("compare", *runs, "--seed", "7", "--json")

    assert ekb(*words).out == ekb(*words).out
    assert ekb(*words).json["seed"] == 7


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (("-m", "correct", "--fail-under", "-13"), Status.YES),
        (("-m", "correct", "--fail-under", "-12.5"), Status.YES),
        (("-m", "correct", "--fail-under", "-12.4"), Status.NO),
        (("-m", "accepted", "--fail-under", "0"), Status.YES),
        (("-m", "correct", "--fail-under", "-13", "--sure"), Status.NO),
        (("-m", "fast", "--fail-under", "0"), Status.NO),
    ],
)
def test_a_difference_under_the_limit_is_a_no(
    runs: tuple[str, str], options: tuple[str, ...], status: Status, ekb: Ekb
) -> None:
    done = ekb("compare", *runs, *options)

    assert done.status == status
    assert ("points, under" in done.err) == (status is Status.NO)


def test_an_unknown_score_is_refused(runs: tuple[str, str], ekb: Ekb) -> None:
    done = ekb("compare", *runs, "--metric", "quick")
    assert done.status == Status.USAGE
    assert "no score 'quick'; there are accepted@k" in done.err


def test_other_tracks_are_refused(tmp_path: Path, runs: tuple[str, str], ekb: Ekb) -> None:
    other = make_rows(tmp_path / "other", {"b": row(5)}, settings={"track": "optimise"})
    done = ekb("compare", runs[0], str(other))
    assert (done.status, done.out) == (Status.USAGE, "")
    assert "these runs are never in one table: the track is write in" in done.err


def test_a_score_that_is_asked_for_and_unknown_is_a_no(
    tmp_path: Path, runs: tuple[str, str], ekb: Ekb
) -> None:
    untimed = str(make_rows(tmp_path / "untimed", {"b": row(5)}, settings={"timing": "none"}))
    assert ekb("compare", runs[0], untimed).status == Status.YES
    asked = ekb("compare", runs[0], untimed, "-m", "fast")
    assert asked.status == Status.NO
    assert "Fast@1.0: not compared, since nothing was timed in" in asked.out


def test_an_unjudged_attempt_is_a_no(tmp_path: Path, runs: tuple[str, str], ekb: Ekb) -> None:
    part = {**row(5), f"{PATTERNS[0]}@a-f32": None}
    done = ekb("compare", runs[0], str(make_rows(tmp_path / "part", {"b": part})))
    assert done.status == Status.NO
    assert "nothing could be compared" in done.out


def test_a_run_of_several_agents_is_enough(tmp_path: Path, ekb: Ekb) -> None:
    run = str(make_rows(tmp_path / "run", {"a": row(0), "b": row(8)}))
    found = ekb("compare", run, "-m", "correct", "--json").json["comparisons"]
    assert [(c["first"]["agent"], c["second"]["agent"]) for c in found] == [("a", "b")]
    assert found[0]["scores"]["Correct@1"]["verdict"] == "better"
    assert ekb("compare", run, "--agent", "a").status == Status.USAGE
