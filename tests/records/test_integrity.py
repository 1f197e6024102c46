"""A run whose records were edited."""

import json
from pathlib import Path

import pytest
from tests.records.test_store import MANIFEST, attempt, judgement

from edgekernelbench.records.attempt import Ending
from edgekernelbench.records.integrity import artifact_flaws, is_sealed, run_digest, run_flaws
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Unjudged
from edgekernelbench.records.store import RunFolder
from edgekernelbench.records.trajectories import hash_file, trajectory_path

OLD = Path(__file__).parent / "old"


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    folder = RunFolder.create(tmp_path / "run", MANIFEST)
    with folder.writing() as run:
        text = run.add_artifact("def k(): ...")
        prompt = run.add_artifact("a prompt")
        for number in range(3):
            run.add_attempt(attempt(number).model_copy(update={"text": text, "steps": (prompt,)}))
            run.add_judgement(judgement(number, Correct(())).model_copy(update={"text": text}))
    return folder


def said(folder: RunFolder) -> list[str]:
    return [str(flaw) for flaw in (*run_flaws(folder), *artifact_flaws(folder))]


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


def test_a_run_as_it_was_written_has_no_flaw(folder: RunFolder) -> None:
    assert is_sealed(folder)
    assert said(folder) == []


def test_a_run_that_is_resumed_goes_on_with_its_chain(folder: RunFolder) -> None:
    before = run_digest(folder)
    for number in (3, 4):
        with folder.writing() as run:
            run.add_attempt(attempt(number))
    assert run_flaws(folder) == ()
    assert run_digest(folder) != before


def test_what_is_made_or_judged_a_second_time_is_named(folder: RunFolder) -> None:
    """Lines are added by our own writer, so that all seals hold; of two lines the last one counts."""
    with folder.writing() as run:
        run.add_attempt(folder.attempts()[attempt(1).id])
        run.add_judgement(folder.judgements()[attempt(1).id])
    name = attempt(1).id
    assert said(folder) == [
        f"attempts.jsonl:4: {name} had an end already: nothing is made or judged twice",
        f"judgements.jsonl:4: {name} had an end already: nothing is made or judged twice",
    ]


def test_what_was_lost_may_be_made_and_judged_again(folder: RunFolder) -> None:
    made, found = folder.attempts()[attempt(1).id], folder.judgements()[attempt(1).id]
    new = made.model_copy(update={"id": "a/w@n1-f32/7"})
    again = found.model_copy(update={"attempt": new.id})
    with folder.writing() as run:
        run.add_attempt(new.model_copy(update={"ending": Ending.LOST}))
        run.add_judgement(again.model_copy(update={"outcome": Unjudged(Cause.MODEL, "no answer")}))
        run.add_attempt(new)
        run.add_judgement(again)
    assert said(folder) == []


def test_an_edited_outcome_is_named(folder: RunFolder) -> None:
    edit(
        folder.root / "judgements.jsonl", '"rings":[],"kind":"correct"', '"diagnostics":[],"kind":"rejected"'
    )
    assert said(folder) == ["judgements.jsonl:1: was changed after it was written"]


def test_an_edited_manifest_is_named(folder: RunFolder) -> None:
    edit(folder.root / "manifest.json", '"llvm"', '"cuda"')
    assert said(folder)[0] == "manifest.json: was changed after it was written"


def test_a_manifest_with_its_hash_made_anew_no_longer_fits_the_lines(folder: RunFolder) -> None:
    values = json.loads(folder.manifest_path.read_text(encoding="utf-8"))
    values["planned"] = []
    changed = RunFolder.create(folder.root.parent / "changed", Manifest.read(json.dumps(values), "x"))
    folder.manifest_path.write_bytes(changed.manifest_path.read_bytes())

    found = said(folder)

    assert len(found) == 2
    assert found[0].startswith("attempts.jsonl:1: does not follow the manifest")


def test_an_edited_text_is_named(folder: RunFolder) -> None:
    digest = folder.attempts()["direct/w/0"].text or ""
    (folder.root / "artifacts" / digest[:2] / digest).write_text("def other(): ...", encoding="utf-8")
    assert said(folder)[0] == f"attempt direct/w/0: artifact {digest} was changed after it was stored"


def test_a_missing_prompt_is_named(folder: RunFolder) -> None:
    digest = folder.attempts()["direct/w/0"].steps[0]
    (folder.root / "artifacts" / digest[:2] / digest).unlink()
    assert said(folder) == [f"attempt direct/w/{n}: artifact {digest} is missing" for n in range(3)]


def test_a_judgement_of_another_text_is_named(folder: RunFolder) -> None:
    with folder.writing() as run:
        run.add_judgement(judgement(0, Rejected(())).model_copy(update={"text": "0" * 64}))
    assert "judgement of direct/w/0: is about another text than the attempt has" in said(folder)


def test_a_run_of_an_older_release_has_no_seals_and_is_read(tmp_path: Path) -> None:
    names = {"manifest-1.json": "manifest.json", "attempts-1.jsonl": "attempts.jsonl"}
    for old, new in names.items():
        (tmp_path / new).write_bytes((OLD / old).read_bytes())
    folder = RunFolder(tmp_path)

    assert not is_sealed(folder)
    assert run_flaws(folder) == ()
    with folder.writing() as run:
        run.add_attempt(attempt(7))
    assert run_flaws(folder) == ()
    edit(tmp_path / "attempts.jsonl", "direct", "indirect")
    assert len(run_flaws(folder)) == 1


def test_an_edited_or_missing_trajectory_is_named(folder: RunFolder) -> None:
    path = trajectory_path(folder.root, "direct/w/5")
    path.parent.mkdir(parents=True)
    path.write_text("a step\n", encoding="utf-8")
    with folder.writing() as run:
        run.add_attempt(attempt(5).model_copy(update={"trajectory": hash_file(path)}))
    assert said(folder) == []

    path.write_text("another step\n", encoding="utf-8")
    assert said(folder) == ["trajectories/direct/w/5.jsonl: was changed after it was written"]
    path.unlink()
    assert said(folder) == ["trajectories/direct/w/5.jsonl: is missing"]
