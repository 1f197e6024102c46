"""`ekb reproduce`, on a run with a right and a refused text."""

from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.cli.test_run import TEXT, WORKLOAD

from edgekernelbench.cli.main import run as run_command
from edgekernelbench.cli.status import Status

ATTEMPT = f"scripted-good/{WORKLOAD.id}/0"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("reproduce")
    for name, text in {"good": TEXT, "bad": TEXT.replace("return ", "return no")}.items():
        path = root / name / f"{WORKLOAD.id}.kir"
        path.parent.mkdir(parents=True)
        path.write_text(text, encoding="utf-8")
    words = ("--texts", str(root / "good"), "--texts", str(root / "bad"), "--compiler", "c")
    options = ("--workload", WORKLOAD.id, "--timing", "none", "-o", str(root / "run"))
    assert run_command(["run", *words, *options]) == Status.YES
    return root / "run"


@pytest.fixture
def copied(made: Path, tmp_path: Path) -> Path:
    for path in made.rglob("*"):
        if path.is_file() and path.name != "lock":
            target = tmp_path / "run" / path.relative_to(made)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    return tmp_path / "run"


def test_an_honest_run_agrees(made: Path, ekb: Ekb) -> None:
    done = ekb("reproduce", str(made))
    assert done.status == Status.YES, done.out
    assert "records: 2 attempts, 2 judgements, digest " in done.out
    assert "all seals hold" in done.out
    assert f"{ATTEMPT}\n  correct, and again correct: agrees\n" in done.out
    assert "rejected C08, and again rejected C08: agrees" in done.out
    assert done.out.endswith("2 judged again: 2 agree\n")


def test_one_attempt_is_repeated_on_fresh_inputs_as_json(made: Path, ekb: Ekb) -> None:
    done = ekb("reproduce", str(made), ATTEMPT, "--fresh", "--json")
    assert done.status == Status.YES
    assert done.json["inputs"] == "fresh"
    assert [row["attempt"] for row in done.json["attempts"]] == [ATTEMPT]
    assert done.json["records"]["flaws"] == []


def test_a_sample_is_the_same_for_the_same_seed(made: Path, ekb: Ekb) -> None:
    words = ("reproduce", str(made), "--sample", "1", "--json")
    drawn = [ekb(*words, "--seed", seed).json["attempts"][0]["attempt"] for seed in ("3", "3", "0")]
    assert drawn[0] == drawn[1] != drawn[2]


def test_an_edited_outcome_is_named_by_its_line_and_contradicted(copied: Path, ekb: Ekb) -> None:
    path = copied / "judgements.jsonl"
    lines = path.read_text(encoding="utf-8").splitlines()
    (at,) = (n for n, line in enumerate(lines) if '"kind":"correct"' in line)
    lines[at] = lines[at].replace('"rings":[],"kind":"correct"', '"diagnostics":[],"kind":"rejected"')
    path.write_text("".join(line + "\n" for line in lines), encoding="utf-8")

    done = ekb("reproduce", str(copied))

    assert done.status == Status.NO
    assert f"judgements.jsonl:{at + 1}: was changed after it was written" in done.out
    assert "rejected, and now correct: differs" in done.out
    assert "2 judged again: 1 agree, 1 differ" in done.out
    report = ekb("report", str(copied))
    assert report.status == Status.NO
    assert f"judgements.jsonl:{at + 1}: was changed after it was written" in report.out
    assert ekb("reproduce", str(copied), "--records-only").status == Status.NO


def test_an_edited_text_is_named_before_anything_is_judged(copied: Path, ekb: Ekb) -> None:
    found = next(p for p in (copied / "artifacts").rglob("*") if p.is_file())
    found.write_text("def other(): ...", encoding="utf-8")
    done = ekb("reproduce", str(copied), "--records-only")
    assert done.status == Status.NO
    assert f"artifact {found.name} was changed after it was stored" in done.out.replace("\n  ", " ")


def test_what_the_run_has_not_is_named(made: Path, ekb: Ekb) -> None:
    done = ekb("reproduce", str(made), ATTEMPT[:-3])
    assert done.status == Status.USAGE
    assert "did you mean" in done.err


def test_an_edited_trajectory_is_named(copied: Path, ekb: Ekb) -> None:
    found = next(p for p in (copied / "trajectories").rglob("*.jsonl"))
    found.write_text(found.read_text(encoding="utf-8").replace("a", "b", 1), encoding="utf-8")
    done = ekb("reproduce", str(copied), "--records-only")
    assert done.status == Status.NO
    said = done.out.replace("\n  ", " ")
    assert f"{found.relative_to(copied)}: was changed after it was written" in said
