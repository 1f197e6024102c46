"""Runs of the same answers on several devices."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import JsonValue
from tests.conftest import Golden
from tests.reports.support import WRONG, correct, make_rows

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.outcome import Outcome
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.portable import Portable, portable_scores
from edgekernelbench.reports.portable_tables import add_portable, portable_lines
from edgekernelbench.reports.runs import RunAttempts, read_attempts

W = [f"conv/p{n}@s-f32" for n in range(3)]
GOOD = correct(50, 100)
DEVICES = ("llvm", "opencl", "cuda")


def several(root: Path, rows: Mapping[str, Mapping[str, Mapping[str, Outcome | None]]]) -> list[RunAttempts]:
    """Make a run on several devices, by device and agent; the first asks the agents."""
    runs = []
    for number, (device, own) in enumerate(rows.items()):
        settings: dict[str, JsonValue] = {"profile": device, "also": [d for d in rows if d != device]}
        settings |= {"answers_of": next(iter(rows))} if number else {}
        folder = make_rows(root / device, own, settings=settings, device={"profile": device})
        runs.append(replace(read_attempts(folder), folder=f"runs/x/{device}"))
    return runs


def row(*outcomes: Outcome | None) -> dict[str, Outcome | None]:
    return dict(zip(W, outcomes, strict=True))


@pytest.fixture
def runs(tmp_path: Path) -> list[RunAttempts]:
    return several(
        tmp_path,
        {
            "llvm": {"a": row(GOOD, GOOD, WRONG), "b": row(GOOD, GOOD, GOOD)},
            "opencl": {"a": row(GOOD, WRONG, GOOD), "b": row(GOOD, None, GOOD)},
            "cuda": {"a": row(GOOD, GOOD, GOOD), "b": row(GOOD, GOOD, GOOD)},
        },
    )


def test_a_set_of_runs_is_found_in_any_order(runs: list[RunAttempts]) -> None:
    (found,) = portable_scores([runs[2], runs[0], runs[1]])

    assert found.devices[0] == "llvm"
    assert set(found.devices) == set(DEVICES)
    assert [agent for agent, _ in found.rows] == ["a", "b"]


def test_without_one_of_its_runs_there_is_no_score(runs: list[RunAttempts]) -> None:
    assert portable_scores(runs[:2]) == ()


def test_runs_on_one_device_have_none(tmp_path: Path) -> None:
    assert portable_scores([read_attempts(make_rows(tmp_path / "run", {"a": row(GOOD, GOOD, GOOD)}))]) == ()


def test_other_texts_are_refused(tmp_path: Path) -> None:
    runs = several(tmp_path, {"llvm": {"a": row(GOOD, GOOD, GOOD)}, "opencl": {"a": row(GOOD, GOOD, GOOD)}})
    name = f"a/{W[0]}/0"
    with RunFolder(tmp_path / "opencl").writing() as writer:
        writer.add_judgement(runs[1].judgements[name].model_copy(update={"text": "0" * 64}))
    changed = replace(read_attempts(tmp_path / "opencl"), folder="runs/x/opencl")
    with pytest.raises(RecordError, match=f"{name} is another text in some of runs/x/llvm, runs/x/opencl"):
        portable_scores([runs[0], changed])


@pytest.fixture
def found(runs: list[RunAttempts]) -> tuple[Portable, ...]:
    return portable_scores(runs)


def test_the_lines_are_golden(found: tuple[Portable, ...], golden: Golden) -> None:
    lines = portable_lines(found)
    assert all(len(line) <= 80 for line in lines)
    golden("\n".join(lines))


def test_the_json_is_golden(found: tuple[Portable, ...], golden: Golden) -> None:
    runs: list[dict[str, object]] = [{"folder": "runs/x/opencl"}, {"folder": "runs/other"}]
    golden(json.dumps(add_portable(runs, found), indent=1))
