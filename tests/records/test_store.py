"""The run folder."""

import resource
import signal
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.attempt import Attempt, Ending, attempt_id
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.manifest import DeviceFacts, Manifest
from edgekernelbench.records.outcome import (
    Cause,
    Correct,
    Crashed,
    Fault,
    Outcome,
    Phase,
    Rejected,
    Ring,
    Series,
    Unjudged,
    Wrong,
)
from edgekernelbench.records.store import Lines, RunFolder, read_lines

DEVICE = DeviceFacts(
    profile="llvm",
    device_class="server",
    threads=2,
    machine="x86_64",
    system="Linux",
    cpu="",
    cores=2,
    memory_bytes=1,
)
MANIFEST = Manifest(
    run="one",
    settings={"k": 1},
    catalogue="0" * 16,
    commit=None,
    dirty=False,
    versions={},
    device=DEVICE,
    environment={},
    planned=("direct/w/0",),
    started="2026-11-30T00:00:00Z",
)


def attempt(number: int, ending: Ending = Ending.ANSWERED) -> Attempt:
    name = attempt_id("direct", "w", number)
    return Attempt(id=name, agent="direct", workload="w", number=number, ending=ending, text=None)


def judgement(number: int, outcome: Outcome | Unjudged) -> Judgement:
    return Judgement(
        attempt=attempt_id("direct", "w", number),
        workload="w",
        device="llvm",
        device_class="server",
        compiler="null",
        threads=2,
        text=None,
        outcome=outcome,
    )


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return RunFolder.create(tmp_path / "run", MANIFEST)


def test_a_manifest_is_read_back(folder: RunFolder) -> None:
    found = RunFolder(folder.root).manifest()
    assert found.digest is not None
    assert found.model_copy(update={"digest": None}) == MANIFEST


def test_a_folder_that_holds_a_run_is_refused(folder: RunFolder) -> None:
    with pytest.raises(RecordError, match="holds a run already"):
        RunFolder.create(folder.root, MANIFEST)


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="not a run folder"):
        RunFolder(tmp_path).manifest()


SERIES = Series("kernel", 3, (Nanoseconds(7), Nanoseconds(8)), 2)


@pytest.mark.parametrize(
    "outcome",
    [
        Rejected((Diagnostic("C14", "a message", hint="a hint"),)),
        Crashed(Phase.COMPILE, 11, timed_out=False, detail="é"),
        Wrong(Fault.GUARD, "output 1", "ties", 4, None, "byte 3"),
        Correct(()),
        Correct((Ring(SERIES, (SERIES,)),)),
        Unjudged(Cause.DISK, "full"),
    ],
    ids=lambda outcome: outcome.kind,
)
def test_every_outcome_is_read_back(folder: RunFolder, outcome: Outcome | Unjudged) -> None:
    record = judgement(0, outcome)
    with folder.writing() as run:
        run.add_judgement(record)

    assert folder.judgements() == {record.attempt: record}


def test_what_is_done_is_what_resume_passes_over(folder: RunFolder) -> None:
    with folder.writing() as run:
        run.add_attempt(attempt(0))
        run.add_attempt(attempt(1, Ending.LOST))
        run.add_judgement(judgement(0, Unjudged(Cause.DEVICE, "lost")))

    assert folder.generated() == {"direct/w/0"}
    assert folder.judged() == frozenset()


def test_the_last_judgement_of_an_attempt_counts(folder: RunFolder) -> None:
    with folder.writing() as run:
        run.add_judgement(judgement(0, Unjudged(Cause.DEVICE, "lost")))
        run.add_judgement(judgement(0, Correct(())))

    assert folder.judged() == {"direct/w/0"}


def test_two_writers_are_refused(folder: RunFolder) -> None:
    with folder.writing(), pytest.raises(RecordError, match="another process"):
        folder.writing()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=30, deadline=None)
@given(cut=st.integers(0, 10_000))
def test_a_file_that_was_cut_anywhere_keeps_its_whole_lines(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "attempts.jsonl"
    path.unlink(missing_ok=True)
    lines = Lines(path)
    for number in range(5):
        lines.append(attempt(number))
    lines.close()
    data = path.read_bytes()
    kept = data[: cut % (len(data) + 1)]
    path.write_bytes(kept)

    before = list(read_lines(path, Attempt))
    again = Lines(path)
    again.append(attempt(9))
    again.close()

    assert before == [attempt(n) for n in range(kept.count(b"\n"))]
    assert list(read_lines(path, Attempt)) == [*before, attempt(9)]


def test_a_complete_line_that_is_no_record_is_named(tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    path.write_text(attempt(0).line() + '\n{"schema": "attempt/9"}\n', encoding="utf-8")

    with pytest.raises(RecordError, match=r"attempts\.jsonl:2: schema"):
        list(read_lines(path, Attempt))


def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path) -> None:
    lines = Lines(tmp_path / "attempts.jsonl")
    lines.append(attempt(0))
    size = lines.path.stat().st_size
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    old = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + 20, hard))
    try:
        with pytest.raises(OSError, match=r"part of the record|File too large"):
            lines.append(attempt(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, old)
    lines.append(attempt(2))

    assert [a.number for a in read_lines(lines.path, Attempt)] == [0, 2]
    lines.close()


def test_an_artifact_is_read_back_by_its_hash(folder: RunFolder) -> None:
    with folder.writing() as run:
        digest = run.add_artifact("def k():\n    é \ud800")
        assert run.add_artifact("def k():\n    é \ud800") == digest

    assert folder.artifact(digest) == "def k():\n    é \ud800"


def test_an_edited_artifact_is_refused(folder: RunFolder) -> None:
    with folder.writing() as run:
        digest = run.add_artifact("a text")
    (folder.root / "artifacts" / digest[:2] / digest).write_text("another", encoding="utf-8")

    with pytest.raises(RecordError, match="was changed"):
        folder.artifact(digest)


def test_a_missing_artifact_is_named(folder: RunFolder) -> None:
    with pytest.raises(RecordError, match="missing"):
        folder.artifact("0" * 64)


def test_descriptors_are_given_back(folder: RunFolder) -> None:
    before = len(list(Path("/proc/self/fd").iterdir()))
    for _ in range(20):
        with folder.writing() as run:
            run.add_attempt(attempt(0))

    assert len(list(Path("/proc/self/fd").iterdir())) == before
