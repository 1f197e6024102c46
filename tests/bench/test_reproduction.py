"""Judging stored texts once more."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tiny import make_catalogue, tiny_experiment, write_texts

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.progress import Silent
from edgekernelbench.bench.reproduction import (
    Agreement,
    Plan,
    Repetition,
    other_versions,
    repeatable,
    reproduce,
    same_machine,
)
from edgekernelbench.bench.run import continue_run, start_run
from edgekernelbench.evaluator.devices import find_device
from edgekernelbench.metrics.agreement import SpeedAgreement
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Cause, Unjudged
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> tuple[RunFolder, Catalogue]:
    """Make a run of four workloads: right, wrong, refused, without a text; the right one is timed."""
    root = tmp_path_factory.mktemp("run")
    known = load_catalogue(make_catalogue(root / "catalogue"))
    texts = write_texts(root / "texts", root / "catalogue")
    experiment = tiny_experiment(texts, root / "catalogue", compiler="c", k=1)
    few = experiment.model_copy(update={"workloads": experiment.workloads[:4], "timing": "one-child"})
    folder = start_run(root / "run", few, known)
    continue_run(folder, catalogue=known)
    return folder, known


def test_everything_with_a_text_can_be_repeated(run: tuple[RunFolder, Catalogue]) -> None:
    folder, _ = run
    planned = folder.manifest().planned

    assert repeatable(folder) == planned[:3]
    assert repeatable(folder, [planned[1]]) == (planned[1],)
    assert repeatable(folder, ["script"]) == planned[:3]
    assert repeatable(folder, [planned[2].split("/", 1)[1].rsplit("/", 1)[0]]) == (planned[2],)
    with pytest.raises(RecordError, match="there is nothing to repeat"):
        repeatable(folder, [planned[3]])
    with pytest.raises(RecordError, match=f"did you mean {planned[0]}"):
        repeatable(folder, [planned[0][:-1]])


def test_an_honest_run_agrees_on_its_own_inputs(run: tuple[RunFolder, Catalogue]) -> None:
    folder, known = run

    found = reproduce(folder, Plan(repeatable(folder)), Silent(), known)

    kinds = [one.repeated.outcome.kind for one in found]
    assert sorted(kinds) == ["correct", "rejected", "wrong"]
    # On a machine that is busy with other tests a speed may be far off; outcomes are not.
    assert all(replace(one, speed=None).agreement is Agreement.AGREES for one in found)
    assert all(one.repeated.inputs == one.stored.inputs for one in found)
    assert all(one.repeated.margins == one.stored.margins for one in found)
    timed = [one for one in found if one.speed is not None]
    assert [one.repeated.outcome.kind for one in timed] == ["correct"]


def test_fresh_inputs_are_others(run: tuple[RunFolder, Catalogue]) -> None:
    folder, known = run

    found = reproduce(folder, Plan(repeatable(folder)[:1], fresh=True, timed=False), Silent(), known)

    assert found[0].repeated.inputs != found[0].stored.inputs
    assert found[0].agreement is Agreement.AGREES
    assert found[0].speed is None


def test_a_result_that_was_edited_with_its_seal_made_anew_does_not_agree(
    run: tuple[RunFolder, Catalogue], tmp_path: Path
) -> None:
    folder, known = run
    forged = RunFolder.create(tmp_path / "forged", folder.manifest())
    wrong = next(j for j in folder.judgements().values() if j.outcome.kind == "wrong")
    right = next(j for j in folder.judgements().values() if j.outcome.kind == "correct")
    with forged.writing() as writer:
        for attempt in folder.attempts().values():
            if attempt.text:
                writer.add_artifact(folder.artifact(attempt.text))
            writer.add_attempt(attempt)
        writer.add_judgement(wrong.model_copy(update={"outcome": right.outcome}))

    found = reproduce(forged, Plan(repeatable(forged)), Silent(), known)

    assert [one.agreement for one in found] == [Agreement.DIFFERS]


def test_another_release_is_refused(run: tuple[RunFolder, Catalogue], tmp_path: Path) -> None:
    folder, _ = run
    other = make_catalogue(tmp_path / "other")
    (other / "VERSION").write_text("1\n", encoding="utf-8")
    with pytest.raises(RecordError, match="reproduce it with the release that began it"):
        reproduce(folder, Plan(repeatable(folder)), Silent(), load_catalogue(other))


def calm(judgement: Judgement) -> Judgement:
    """Give a judgement as a quiet machine would have made it."""
    conditions = tuple(c.model_copy(update={"marks": ()}) for c in judgement.conditions)
    return judgement.model_copy(update={"conditions": conditions})


def test_a_speed_out_of_its_interval_differs_on_the_same_machine_alone(
    run: tuple[RunFolder, Catalogue],
) -> None:
    folder, _ = run
    stored = next(j for j in folder.judgements().values() if j.outcome.kind == "correct")
    far = SpeedAgreement(2.0, 1.0, apart=0.69, allowed=0.1)

    assert Repetition(stored, calm(stored), far, speed_counts=True).agreement is Agreement.DIFFERS
    assert Repetition(stored, stored, far, speed_counts=False).agreement is Agreement.AGREES
    restless = stored.model_copy(
        update={"conditions": tuple(c.model_copy(update={"marks": ("load",)}) for c in stored.conditions)}
    )
    assert restless.conditions
    assert Repetition(stored, restless, far, speed_counts=True).agreement is Agreement.UNKNOWN
    assert Repetition(restless, calm(stored), far, speed_counts=True).agreement is Agreement.DIFFERS
    lost = stored.model_copy(update={"outcome": Unjudged(Cause.DISK, "full")})
    assert Repetition(stored, lost, None, speed_counts=True).agreement is Agreement.UNKNOWN


def test_the_machine_and_the_versions_are_compared(run: tuple[RunFolder, Catalogue]) -> None:
    manifest = run[0].manifest()
    device = find_device("llvm")

    assert same_machine(manifest, device)
    other = manifest.device.model_copy(update={"cpu": "another"})
    assert not same_machine(manifest.model_copy(update={"device": other}), device)
    assert other_versions(manifest) == {}
    changed = manifest.model_copy(update={"versions": {**manifest.versions, "python": "3.0"}})
    assert other_versions(changed)["python"][0] == "3.0"
    assert json.dumps(other_versions(changed))
