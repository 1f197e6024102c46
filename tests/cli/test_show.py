"""`ekb show`, on a trajectory of a real attempt."""

import json
from pathlib import Path

import pytest
from tests.agents.leka.bench import PARALLEL, START, fenced, plan, play

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.protocol import Track
from edgekernelbench.cli.main import run
from edgekernelbench.records.trajectories import trajectory_path, write_trajectory

ANSWERS = [fenced(START), "bandwidth", plan("schedule", "all cores"), fenced(PARALLEL)]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    made = play(ANSWERS, track=Track.WRITE, budget=Budget(submissions=2)).trajectory
    path = trajectory_path(tmp_path, made.head.session_id)
    assert made.end is not None
    write_trajectory(path, made.head, made.steps, made.end)
    return path


def test_an_overview_has_a_line_a_step(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(file)]) == 0

    out = capsys.readouterr().out
    assert "schedule  accepted" in out
    assert "gains by layer, on the way from the start to the answer: schedule 2.000" in out


def test_one_line_is_shown_in_full(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(file), "--step", "3"]) == 0
    out = capsys.readouterr().out
    assert "+        parallel(out.n)" in out
    assert "the gain belongs to: schedule" in out

    assert run(["show", str(file), "--step", "9"]) == 2
    assert "has 3 lines, there is no line 9" in capsys.readouterr().err


def test_all_lines_follow_each_other_where_nobody_can_press_enter(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(file), "--walk"]) == 0
    assert capsys.readouterr().out.count(" of 3: step") == 3


def test_json_is_a_document_of_atif(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(file), "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["schema_version"] == "ATIF-v1.7"
    assert document["final_metrics"]["total_steps"] == len(document["steps"]) == 3


def test_a_run_folder_lists_its_trajectories(
    file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(tmp_path)]) == 0
    assert capsys.readouterr().out.strip() == str(file)


def test_a_folder_without_any_is_answered(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["show", str(tmp_path)]) == 2
    assert "has no trajectories" in capsys.readouterr().err


def test_an_agent_that_names_no_settings_cannot_be_replayed(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["show", str(file), "--replay"]) == 2
    assert "cannot be replayed" in capsys.readouterr().err
