"""The run folder: append-only JSON lines, artifacts by content hash, one writer at a time.

```text
RUN/
├── manifest.json      everything needed to repeat the run
├── attempts.jsonl     one line an attempt, written when it ends
├── judgements.jsonl   one line a judgement
├── artifacts/ab/ab…   texts, prompts, replies, by SHA-256
└── lock               held while a process writes
```
"""

import fcntl
import hashlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self, TypeVar

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Unjudged
from edgekernelbench.records.schema import Record
from edgekernelbench.records.seals import add_seal, last_seal, manifest_digest, root_seal, split_seal

R = TypeVar("R", bound=Record)

ATTEMPTS = "attempts.jsonl"
JUDGEMENTS = "judgements.jsonl"


def write_atomically(path: Path, data: bytes) -> None:
    """Write a file so that a reader sees all of it or none.

    Args:
        path: The file; its folder exists.
        data: The contents.
    """
    draft = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    with draft.open("xb") as stream:
        stream.write(data)
        stream.flush()
        os.fsync(stream.fileno())
    draft.replace(path)
    _sync_folder(path.parent)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


class Lines:
    """A file of JSON lines that is only appended to.

    A line counts once its line break is on the disk: what a killed writer left after the last line break
    is dropped when the file is opened again. Every line is sealed to the one before it.
    """

    def __init__(self, path: Path, root: str = "") -> None:
        """Open a file for adding to it.

        Args:
            path: The file; it is made when it does not exist.
            root: What its first line is sealed to.
        """
        self.path = path
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o644)
        self._drop_torn_line()
        self._seal = last_seal(path, root)

    def append(self, record: Record) -> None:
        """Add one record, with one write, and wait until it is on the disk.

        Raises:
            OSError: When the disk is full; the file is then as it was.
        """
        sealed, seal = add_seal(record.line().encode(), self._seal)
        data = sealed + b"\n"
        before = os.fstat(self._handle).st_size
        try:
            written = os.write(self._handle, data)
        except OSError:
            os.ftruncate(self._handle, before)
            raise
        if written != len(data):
            os.ftruncate(self._handle, before)
            raise OSError(28, "only a part of the record could be written", str(self.path))
        os.fsync(self._handle)
        self._seal = seal

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _drop_torn_line(self) -> None:
        size = os.fstat(self._handle).st_size
        keep = _end_of_last_line(self._handle, size)
        if keep != size:
            os.ftruncate(self._handle, keep)
            os.fsync(self._handle)


def _end_of_last_line(handle: int, size: int) -> int:
    step = 65536
    end = size
    while end > 0:
        start = max(0, end - step)
        found = os.pread(handle, end - start, start).rfind(b"\n")
        if found >= 0:
            return start + found + 1
        end = start
    return 0


def read_lines(path: Path, model: type[R]) -> Iterator[R]:
    """Read a file of JSON lines; what a killed writer left after the last line break is passed over.

    Args:
        path: The file; one that does not exist is empty.
        model: The type of its records.

    Yields:
        The records, in order.

    Raises:
        RecordError: When a complete line is not such a record, with file and line.
    """
    if not path.exists():
        return
    with path.open("rb") as stream:
        for number, line in enumerate(stream, 1):
            if not line.endswith(b"\n"):
                return
            body, _ = split_seal(line[:-1])
            yield model.read(body.decode("utf-8", "replace"), f"{path.name}:{number}")


def _sealed_manifest(manifest: Manifest) -> bytes:
    """Write a manifest with its own hash in it."""
    plain = manifest.model_dump_json(by_alias=True).encode()
    sealed = manifest.model_copy(update={"digest": manifest_digest(plain)})
    return sealed.model_dump_json(by_alias=True, indent=1).encode()


class RunFolder:
    """A run on the disk, open for reading; `writing()` opens it for one writer."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @classmethod
    def create(cls, root: Path, manifest: Manifest) -> Self:
        """Make a new run folder.

        Raises:
            RecordError: When the folder holds a run already.
        """
        folder = cls(root)
        (root / "artifacts").mkdir(parents=True, exist_ok=True)
        if folder.manifest_path.exists():
            raise RecordError(f"{root.name} holds a run already; resume it or name another folder")
        write_atomically(folder.manifest_path, _sealed_manifest(manifest))
        return folder

    @property
    def manifest_path(self) -> Path:
        """Where the manifest is."""
        return self.root / "manifest.json"

    def manifest(self) -> Manifest:
        """Read the manifest.

        Raises:
            RecordError: When there is none, or it cannot be read.
        """
        if not self.manifest_path.is_file():
            raise RecordError(f"{self.root.name} holds no manifest.json: it is not a run folder")
        text = self.manifest_path.read_bytes().decode("utf-8", "replace")
        return Manifest.read(text, f"{self.root.name}/manifest.json")

    def root_seal(self, name: str) -> str:
        """Give what the first line of a file of records is sealed to.

        Raises:
            RecordError: When the manifest cannot be read.
        """
        try:
            return root_seal(self.manifest_path.read_bytes(), name)
        except (OSError, ValueError) as error:
            raise RecordError(f"{self.root.name}/manifest.json: {error}") from None

    def attempts(self) -> dict[str, Attempt]:
        """Read the attempts by id; of an attempt that was made again, the last."""
        return {a.id: a for a in read_lines(self.root / ATTEMPTS, Attempt)}

    def judgements(self) -> dict[str, Judgement]:
        """Read the judgements by attempt; of an attempt that was judged again, the last."""
        return {j.attempt: j for j in read_lines(self.root / JUDGEMENTS, Judgement)}

    def generated(self) -> frozenset[str]:
        """Give the ids of attempts that need not be made again."""
        return frozenset(a.id for a in self.attempts().values() if a.ending is not Ending.LOST)

    def lost(self) -> frozenset[str]:
        """Give the ids of attempts that were lost at least once, whether they were made again or not."""
        return frozenset(a.id for a in read_lines(self.root / ATTEMPTS, Attempt) if a.ending is Ending.LOST)

    def judged(self) -> frozenset[str]:
        """Give the ids of attempts that have an outcome."""
        return frozenset(j.attempt for j in self.judgements().values() if not isinstance(j.outcome, Unjudged))

    def artifact(self, digest: str) -> str:
        """Read an artifact.

        Raises:
            RecordError: When it is missing, or its contents are not what its name says.
        """
        path = self._artifact_path(digest)
        if not path.is_file():
            raise RecordError(f"artifact {digest} is missing")
        data = path.read_bytes()
        if hashlib.sha256(data).hexdigest() != digest:
            raise RecordError(f"artifact {digest} was changed after it was stored")
        return data.decode("utf-8", "surrogatepass")

    def _artifact_path(self, digest: str) -> Path:
        return self.root / "artifacts" / digest[:2] / digest

    def writing(self) -> "RunWriter":
        """Open for writing.

        Raises:
            RecordError: When another process writes to it.
        """
        return RunWriter(self)


class RunWriter:
    """The one process that adds to a run."""

    def __init__(self, folder: RunFolder) -> None:
        self.folder = folder
        roots = {name: folder.root_seal(name) for name in (ATTEMPTS, JUDGEMENTS)}
        self._lock = os.open(folder.root / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(self._lock)
            raise RecordError(
                f"another process writes to {folder.root.name}; wait for it or end it"
            ) from None
        self._attempts = Lines(folder.root / ATTEMPTS, roots[ATTEMPTS])
        self._judgements = Lines(folder.root / JUDGEMENTS, roots[JUDGEMENTS])

    def add_attempt(self, attempt: Attempt) -> None:
        """Store an attempt."""
        self._attempts.append(attempt)

    def add_judgement(self, judgement: Judgement) -> None:
        """Store a judgement."""
        self._judgements.append(judgement)

    def add_artifact(self, text: str) -> str:
        """Store a text by its content.

        Returns:
            Its SHA-256, by which it is read back.
        """
        data = text.encode("utf-8", "surrogatepass")
        digest = hashlib.sha256(data).hexdigest()
        path = self.folder.root / "artifacts" / digest[:2] / digest
        if not path.exists():
            path.parent.mkdir(exist_ok=True)
            write_atomically(path, data)
        return digest

    def close(self) -> None:
        """Close the files and let others write."""
        self._attempts.close()
        self._judgements.close()
        os.close(self._lock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
