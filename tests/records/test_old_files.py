"""Records of every schema version still load."""

import json
from pathlib import Path

import pytest

from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.integrity import run_digest, run_flaws
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Unjudged, Wrong
from edgekernelbench.records.store import RunFolder, read_lines

OLD = Path(__file__).parent / "old"


def test_attempts_of_version_1_load() -> None:
    attempts = list(read_lines(OLD / "attempts-1.jsonl", Attempt))

    assert [a.ending for a in attempts] == list(Ending)
    assert attempts[0].usage.output_tokens == 300


def test_judgements_of_version_1_load() -> None:
    judgements = list(read_lines(OLD / "judgements-1.jsonl", Judgement))

    kinds = [type(j.outcome) for j in judgements]
    assert kinds == [Rejected, Crashed, Wrong, Correct, Unjudged]
    timed = judgements[3].outcome
    assert isinstance(timed, Correct)
    assert timed.rings[0].kernel.per_run == 200_050


def test_a_manifest_of_version_1_loads() -> None:
    manifest = Manifest.read((OLD / "manifest-1.json").read_text(encoding="utf-8"), "old")

    assert len(manifest.planned) == 5


@pytest.mark.parametrize(
    ("name", "model"), [("attempts-1.jsonl", Attempt), ("judgements-1.jsonl", Judgement)]
)
def test_what_is_written_now_is_still_that_version(name: str, model: type[Attempt] | type[Judgement]) -> None:
    for line in (OLD / name).read_text(encoding="utf-8").splitlines():
        assert json.loads(model.read(line, name).line()) == json.loads(line)


def test_a_sealed_run_of_version_2_loads_and_its_seals_hold() -> None:
    folder = RunFolder(OLD / "sealed-2")

    assert folder.manifest().version == "manifest/2"
    assert len(folder.attempts()) == len(folder.judgements()) == 2
    assert run_flaws(folder) == ()
    assert run_digest(folder) == "d65b1d9d58c80a51"
