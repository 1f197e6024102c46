"""`ekb compare`."""

import json
from pathlib import Path

import pytest
from pydantic import JsonValue
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


def test_speeds_are_compared_beside_the_scores_or_alone(runs: tuple[str, str], ekb: Ekb) -> None:
    said = "speed: the second is 1.00 times as fast"
    assert said in ekb("compare", *runs).out
    alone = ekb("compare", *runs, "--metric", "speed")
    assert (alone.status, said in alone.out, "Correct@1" in alone.out) == (Status.YES, True, False)
    found = ekb("compare", *runs, "-m", "speed", "--json").json["comparisons"][0]["speed"]
    assert (found["ratio"], found["workloads"], found["faster"]) == (1.0, 5, 0)


def test_a_limit_in_points_is_refused_where_there_are_no_points(runs: tuple[str, str], ekb: Ekb) -> None:
    done = ekb("compare", *runs, "-m", "speed", "--fail-under", "0")
    assert done.status == Status.USAGE
    assert "--fail-under is in points of a score, and speed is none" in done.err


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


def on_two_devices(root: Path, **good: int) -> str:
    """Make a run on several devices: how many patterns are right on each."""
    for number, (device, count) in enumerate(good.items()):
        settings: dict[str, JsonValue] = {"profile": device, "also": [d for d in good if d != device]}
        settings |= {"answers_of": next(iter(good))} if number else {}
        make_rows(root / device, {"a": row(count)}, settings=settings, device={"profile": device})
    names = {"schema": "runs/1", "folders": list(good)}
    (root / "runs.json").write_text(json.dumps(names), encoding="utf-8")
    return str(root)


def test_runs_on_several_devices_are_compared_on_each_and_by_portable(tmp_path: Path, ekb: Ekb) -> None:
    old = on_two_devices(tmp_path / "old", llvm=6, opencl=2)
    new = on_two_devices(tmp_path / "new", llvm=7, opencl=8)
    found = ekb("compare", old, new, "--json").json["comparisons"]

    assert [c["conditions"]["device"] for c in found] == ["llvm", "opencl", "llvm, opencl"]
    assert [c["scores"]["Correct@1"]["difference"] for c in found[:2]] == [1 / 8, 6 / 8]
    assert found[2]["scores"]["Portable@1"]["difference"] == 5 / 8
    alone = ekb("compare", old, new, "-m", "portable", "--fail-under", "63")
    assert alone.status == Status.NO
    assert "Portable@1 of a in" in alone.err
    report = ekb("report", old)
    assert "one text on llvm (server), opencl (server)" in report.out
    assert len(ekb("report", old, "--csv").out.splitlines()) == 17


def test_runs_on_one_device_have_no_portable(runs: tuple[str, str], ekb: Ekb) -> None:
    done = ekb("compare", *runs, "-m", "portable")
    assert (done.status, done.out) == (Status.USAGE, "")
    assert "Portable@1 is of runs on several devices alone" in done.err


def test_a_run_on_several_devices_is_reproduced_on_one(tmp_path: Path, ekb: Ekb) -> None:
    run = on_two_devices(tmp_path / "run", llvm=6, opencl=2)
    done = ekb("reproduce", run)
    assert done.status == Status.USAGE
    assert f"name one of {run}/llvm, {run}/opencl" in done.err
