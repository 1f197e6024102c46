"""`ekb release`: what was frozen, and what of it is different now."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.cli.test_baseline import RECORDS

from edgekernelbench.bench import release
from edgekernelbench.records.release import ReleaseRecord


@pytest.fixture
def releases(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Releases are kept in a folder of this test, with none in it."""
    monkeypatch.setattr(release, "DATA", tmp_path / "releases")
    release._name_now.cache_clear()
    yield tmp_path / "releases"
    release._name_now.cache_clear()


def test_without_a_release_there_is_nothing_to_show(ekb: Ekb, releases: Path) -> None:
    done = ekb("release", "show")
    assert done.status == 3
    assert "ekb release freeze" in done.err
    assert release.release_name() == "2026.1+changed"


def test_what_was_frozen_is_unchanged_until_something_changes(
    ekb: Ekb, releases: Path, tmp_path: Path
) -> None:
    given = tmp_path / "given"
    given.mkdir()
    (given / "llvm.jsonl").write_text("".join(r.line() + "\n" for r in reversed(RECORDS)), encoding="utf-8")
    assert ekb("release", "freeze", "--baselines", str(given)).status == 0
    assert ekb("release", "verify").status == 0
    assert release.release_name() == "2026.1"
    shown = ekb("release", "show").out
    assert "331 patterns, 650 workloads" in shown
    assert "R1 on llvm: 1 of 2 by MetaSchedule, 32 trials a part" in shown

    path = releases / "2026.1" / "release.json"
    frozen = ReleaseRecord.read(path.read_text(encoding="utf-8"), path.name)
    other = frozen.model_copy(update={"hashes": {**frozen.hashes, "cards": "0" * 16}})
    path.write_text(other.model_dump_json(by_alias=True), encoding="utf-8")
    release._name_now.cache_clear()
    done = ekb("release", "verify", "--json")
    assert done.status == 1
    assert [row["what"] for row in done.json] == ["cards"]
    assert release.release_name() == "2026.1+changed"


def test_a_changed_reference_is_named(ekb: Ekb, releases: Path, tmp_path: Path) -> None:
    ekb("release", "freeze")
    (releases / "2026.1" / "llvm.jsonl").write_text(RECORDS[0].line() + "\n", encoding="utf-8")
    done = ekb("release", "verify")
    assert done.status == 1
    assert "references of llvm" in done.out


def test_another_library_of_the_vendor_is_said_and_changes_no_name(ekb: Ekb, releases: Path) -> None:
    ekb("release", "freeze")
    path = releases / "2026.1" / "release.json"
    frozen = ReleaseRecord.read(path.read_text(encoding="utf-8"), path.name)
    other = frozen.model_copy(update={"versions": {**frozen.versions, "onnxruntime": "1.0"}})
    path.write_text(other.model_dump_json(by_alias=True), encoding="utf-8")
    release._name_now.cache_clear()
    assert ekb("release", "verify").status == 1
    assert release.release_name() == "2026.1"
