"""Attacks on what is stored: outcomes, texts, plans and seals edited after the fact."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.cli.conftest import Done
from tests.cli.test_run import TEXT, WORKLOAD

from edgekernelbench.cli.main import run
from edgekernelbench.cli.status import Status
from edgekernelbench.records.outcome import Correct
from edgekernelbench.records.store import RunFolder

WRONG = TEXT.replace("return ", "return no")
ATTEMPT = f"scripted-bad/{WORKLOAD.id}/0"

Attack = Callable[[Path], None]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one right and one refused text."""
    root = tmp_path_factory.mktemp("records")
    for name, text in {"good": TEXT, "bad": WRONG}.items():
        path = root / name / f"{WORKLOAD.id}.kir"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    words = ("--texts", str(root / "good"), "--texts", str(root / "bad"), "--compiler", "c")
    options = ("--workload", WORKLOAD.id, "--timing", "none", "-o", str(root / "run"))
    assert run(["run", *words, *options]) == Status.YES
    return root / "run"


def the_outcome_is_made_correct(root: Path) -> None:
    path = root / "judgements.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    at = next(number for number, line in enumerate(lines) if ATTEMPT in line)
    found = json.loads(lines[at])
    found["outcome"] = {"rings": [], "kind": "correct"}
    lines[at] = json.dumps(found) + "\n"
    path.write_text("".join(lines), encoding="utf-8")


def a_failure_is_taken_out(root: Path) -> None:
    for name in ("attempts.jsonl", "judgements.jsonl"):
        path = root / name
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        path.write_text("".join(line for line in lines if ATTEMPT not in line), encoding="utf-8")


def the_text_is_exchanged_for_a_better_one(root: Path) -> None:
    attempt = RunFolder(root).attempts()[ATTEMPT]
    assert attempt.text is not None
    (root / "artifacts" / attempt.text[:2] / attempt.text).write_text(TEXT, encoding="utf-8")


def the_plan_is_made_smaller(root: Path) -> None:
    path = root / "manifest.json"
    found = json.loads(path.read_text(encoding="utf-8"))
    found["planned"] = [name for name in found["planned"] if name != ATTEMPT]
    path.write_text(json.dumps(found), encoding="utf-8")


def lines_change_places(root: Path) -> None:
    path = root / "judgements.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join(reversed(lines)), encoding="utf-8")


ATTACKS: tuple[Attack, ...] = (
    the_outcome_is_made_correct,
    a_failure_is_taken_out,
    the_text_is_exchanged_for_a_better_one,
    the_plan_is_made_smaller,
    lines_change_places,
)


@pytest.fixture
def copy(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made, tmp_path / "run", ignore=shutil.ignore_patterns("lock"))
    return tmp_path / "run"


def reproduce(root: Path, capsys: pytest.CaptureFixture[str], *options: str) -> Done:
    capsys.readouterr()
    status = run(["reproduce", str(root), *options])
    out, err = capsys.readouterr()
    return Done(status, out, err)


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.__name__)
def test_an_edited_run_is_no_longer_what_was_written(
    copy: Path, capsys: pytest.CaptureFixture[str], attack: Attack
) -> None:
    assert reproduce(copy, capsys, "--records-only").status == Status.YES
    attack(copy)
    done = reproduce(copy, capsys, "--records-only")
    assert done.status != Status.YES
    assert "all seals hold" not in done.out


def test_a_forger_who_makes_all_seals_anew_is_found_by_judging_again(
    made: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    old = RunFolder(made)
    forged = RunFolder.create(tmp_path / "forged", old.manifest())
    for name in ("artifacts", "trajectories"):
        shutil.copytree(made / name, forged.root / name, dirs_exist_ok=True)
    with forged.writing() as writer:
        for attempt in old.attempts().values():
            writer.add_attempt(attempt)
        for name, judgement in old.judgements().items():
            better = judgement.model_copy(update={"outcome": Correct(())}) if name == ATTEMPT else judgement
            writer.add_judgement(better)
    assert "all seals hold" in reproduce(forged.root, capsys, "--records-only").out

    done = reproduce(forged.root, capsys)

    assert done.status == Status.NO
    assert f"{ATTEMPT}\n  correct, and now rejected C08: differs" in done.out
