"""What is never in one table."""

import re
from pathlib import Path

import pytest
from pydantic import JsonValue
from tests.reports.support import correct, make_rows

from edgekernelbench.base.errors import RecordError
from edgekernelbench.reports.comparability import refuse_other_kinds, speed_obstacles
from edgekernelbench.reports.runs import RunAttempts, read_attempts

ROW = {"a": {"conv/conv2d@a-f32": correct(1, 2)}}


def two(
    tmp_path: Path,
    *,
    settings: dict[str, JsonValue] | None = None,
    catalogue: str = "0123456789abcdef",
    device: dict[str, object] | None = None,
) -> tuple[RunAttempts, RunAttempts]:
    other = make_rows(tmp_path / "two", ROW, settings=settings, catalogue=catalogue, device=device)
    return read_attempts(make_rows(tmp_path / "one", ROW)), read_attempts(other)


def test_runs_of_one_kind_are_let_through(tmp_path: Path) -> None:
    runs = two(tmp_path, settings={"k": 3, "suite": "full"})

    refuse_other_kinds(runs)
    assert speed_obstacles(runs) == ()


def test_another_track_is_refused_with_both_sides(tmp_path: Path) -> None:
    one, other = two(tmp_path, settings={"track": "optimise"})

    with pytest.raises(RecordError) as refused:
        refuse_other_kinds((one, other))
    said = str(refused.value)
    assert f"the track is write in {one.folder}, optimise in {other.folder}" in said
    assert "`ekb run --again RUN`" in said


@pytest.mark.parametrize(
    ("name", "device", "settings", "catalogue"),
    [
        ("release", {}, {}, "ffff"),
        ("device", {"profile": "opencl"}, {}, "0123456789abcdef"),
        ("device class", {"device_class": "edge"}, {}, "0123456789abcdef"),
        ("reference", {}, {"reference": "R1"}, "0123456789abcdef"),
    ],
)
def test_other_questions_are_refused(
    tmp_path: Path, name: str, device: dict[str, object], settings: dict[str, JsonValue], catalogue: str
) -> None:
    runs = two(tmp_path, settings=settings, catalogue=catalogue, device=device)

    with pytest.raises(RecordError, match=f"the {name} is "):
        refuse_other_kinds(runs)


@pytest.mark.parametrize(
    ("device", "settings", "reason"),
    [
        ({"cpu": "Another"}, {}, "the processor is A processor in .*one, Another in .*two"),
        ({"threads": 4}, {}, "the threads is 2 in"),
        ({}, {"compiler": "c"}, "the compiler is tvm in"),
        ({}, {"timing": "final"}, "the timing is one-child in"),
        ({}, {"timing": "none"}, "nothing was timed in .*two$"),
    ],
)
def test_speeds_ask_for_more_in_common(
    tmp_path: Path, device: dict[str, object], settings: dict[str, JsonValue], reason: str
) -> None:
    runs = two(tmp_path, settings=settings, device=device)

    refuse_other_kinds(runs)
    (found,) = speed_obstacles(runs)
    assert re.search(reason, found)
