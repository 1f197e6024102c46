"""Seals: what an edited line, a missing line and a line too many look like."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgekernelbench.records.seals import (
    Flaw,
    add_seal,
    find_flaws,
    last_seal,
    manifest_digest,
    root_seal,
    split_seal,
)

ROOT = root_seal(b'{"run": "one"}', "attempts.jsonl")
BODIES = [f'{{"schema":"attempt/1","number":{n}}}'.encode() for n in range(5)]


def write(path: Path, bodies: list[bytes] = BODIES, *, old: int = 0) -> list[bytes]:
    """Write a file whose first `old` lines are from before there were seals."""
    path.write_bytes(b"".join(body + b"\n" for body in bodies[:old]))
    for body in bodies[old:]:
        line, _ = add_seal(body, last_seal(path, ROOT))
        with path.open("ab") as stream:
            stream.write(line + b"\n")
    return path.read_bytes().splitlines()


def flaws(path: Path, lines: list[bytes], *, must_be_sealed: bool = True) -> list[tuple[int | None, str]]:
    path.write_bytes(b"".join(line + b"\n" for line in lines))
    return [(f.line, f.what) for f in find_flaws(path, ROOT, must_be_sealed=must_be_sealed)]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(st.text(max_size=9), st.text(max_size=9) | st.integers(), min_size=1), st.text())
def test_a_sealed_record_is_the_record_and_a_seal(values: dict[str, object], before: str) -> None:
    body = json.dumps(values).encode()
    line, seal = add_seal(body, before.encode("utf-8", "replace").decode())

    assert split_seal(line) == (body, seal)
    assert json.loads(line) == {**values, "seal": seal}
    assert len(seal) == 64


def test_what_was_written_has_no_flaw(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    assert flaws(path, write(path)) == []


def test_an_edited_line_is_named_and_no_other(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    lines = write(path)
    lines[2] = lines[2].replace(b'"number":2', b'"number":7')

    assert flaws(path, lines) == [(3, "was changed after it was written")]


@pytest.mark.parametrize("at", range(4))
def test_a_line_that_was_taken_out_is_missed_by_the_next(tmp_path: Path, at: int) -> None:
    path = tmp_path / "attempts.jsonl"
    lines = write(path)
    del lines[at]

    ((line, what),) = flaws(path, lines)
    assert line == at + 1
    assert what.startswith("does not follow the " + ("line before it" if at else "manifest"))


def test_lines_that_changed_places_are_seen(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    lines = write(path)
    lines[1], lines[2] = lines[2], lines[1]

    assert [line for line, _ in flaws(path, lines)] == [2, 3, 4]


def test_a_seal_that_was_taken_off_is_seen(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    lines = write(path)
    lines[1] = BODIES[1]

    assert flaws(path, lines)[0] == (2, "its seal was taken off")


def test_a_seal_that_was_made_anew_does_not_fit_the_next_line(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    lines = write(path)
    seal = split_seal(lines[1])[1]
    lines[2], _ = add_seal(BODIES[2].replace(b"2", b"7"), seal or "")

    assert [line for line, _ in flaws(path, lines)] == [4]


def test_lines_of_another_run_do_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    write(path)
    other = root_seal(b'{"run": "two"}', "attempts.jsonl")

    (flaw,) = find_flaws(path, other, must_be_sealed=True)
    assert (flaw.line, flaw.what.startswith("does not follow the manifest")) == (1, True)


def test_lines_from_before_there_were_seals_are_covered_by_the_first_seal(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    lines = write(path, old=3)

    assert flaws(path, lines, must_be_sealed=False) == []
    assert [line for line, _ in flaws(path, lines, must_be_sealed=True)] == [1, 2, 3]
    lines[1] = lines[1].replace(b'"number":1', b'"number":7')
    assert [line for line, _ in flaws(path, lines, must_be_sealed=False)] == [4]


def test_a_torn_last_line_is_no_flaw(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    write(path)
    path.write_bytes(path.read_bytes()[:-20])

    assert list(find_flaws(path, ROOT, must_be_sealed=True)) == []


def test_a_manifest_is_hashed_without_its_hash_and_layout() -> None:
    plain = manifest_digest(b'{"a": 1, "b": [2.5]}')

    assert manifest_digest(b'{\n "b": [2.5], "digest": "x", "a": 1}') == plain
    assert manifest_digest(b'{"a": 2, "b": [2.5]}') != plain
    with pytest.raises(ValueError, match="expected an object"):
        manifest_digest(b"[]")


def test_a_flaw_says_where() -> None:
    assert str(Flaw("attempts.jsonl", 3, "was changed")) == "attempts.jsonl:3: was changed"
    assert str(Flaw("manifest.json", None, "was changed")) == "manifest.json: was changed"
