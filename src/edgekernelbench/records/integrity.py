"""Whether the records of a run are what was written."""

import hashlib
import json
from collections.abc import Iterator

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.outcome import Unjudged
from edgekernelbench.records.seals import DIGEST, Flaw, find_flaws, last_seal, manifest_digest
from edgekernelbench.records.store import ATTEMPTS, JUDGEMENTS, RunFolder, read_lines
from edgekernelbench.records.trajectories import hash_file, trajectory_path

OLD = "manifest/1"
"""The version of manifests from before records had seals."""

UNSEALED = "the records have no seals, since an older release wrote them: a change would not show"
"""What a reader of such records must know."""


def is_sealed(folder: RunFolder) -> bool:
    """Whether the records of a run have seals: those of old runs have none.

    Raises:
        RecordError: When there is no manifest, or it cannot be read.
    """
    return has_seals(folder.manifest())


def has_seals(manifest: Manifest) -> bool:
    """Whether the records of a run with this manifest have seals."""
    return manifest.version != OLD


def run_flaws(folder: RunFolder) -> tuple[Flaw, ...]:
    """Look at manifest and lines; artifacts, which are many, are not read.

    Args:
        folder: A run folder, finished or not.

    Returns:
        What is not as it was written, in the order of the files.

    Raises:
        RecordError: When there is no manifest, or it cannot be read.
    """
    sealed = is_sealed(folder)
    flaws = [*_manifest_flaws(folder)] if sealed else []
    for name in (ATTEMPTS, JUDGEMENTS):
        flaws += find_flaws(folder.root / name, folder.root_seal(name), must_be_sealed=sealed)
    if not flaws:  # what was changed need not be a record any more
        flaws += [*_overruled(folder, ATTEMPTS, Attempt), *_overruled(folder, JUDGEMENTS, Judgement)]
    return tuple(flaws)


def _overruled(folder: RunFolder, name: str, model: type[Attempt | Judgement]) -> Iterator[Flaw]:
    """Look for what was made or judged again although it had an end: seals hold, and the last line counts."""
    ended: set[str] = set()
    for number, record in enumerate(read_lines(folder.root / name, model), 1):
        about = record.id if isinstance(record, Attempt) else record.attempt
        if about in ended:
            yield Flaw(name, number, f"{about} had an end already: nothing is made or judged twice")
        elif not _is_open(record):
            ended.add(about)


def _is_open(record: Attempt | Judgement) -> bool:
    """Whether a run goes on with it when it is resumed."""
    if isinstance(record, Attempt):
        return record.ending is Ending.LOST
    return isinstance(record.outcome, Unjudged)


def artifact_flaws(folder: RunFolder) -> tuple[Flaw, ...]:
    """Look at every text and trajectory that the records name, and whether judgements are of their attempts.

    Raises:
        RecordError: When a record cannot be read.
    """
    attempts = folder.attempts()
    flaws = []
    for attempt in attempts.values():
        for digest in (*((attempt.text,) if attempt.text else ()), *attempt.steps):
            try:
                folder.artifact(digest)
            except RecordError as error:
                flaws.append(Flaw(f"attempt {attempt.id}", None, str(error)))
        flaws += _trajectory_flaws(folder, attempt)
    for judgement in folder.judgements().values():
        made = attempts.get(judgement.attempt)
        if made is None or made.text != judgement.text:
            flaws.append(
                Flaw(f"judgement of {judgement.attempt}", None, "is about another text than the attempt has")
            )
    return tuple(flaws)


def _trajectory_flaws(folder: RunFolder, attempt: Attempt) -> Iterator[Flaw]:
    """Look at how an answer came about, where the attempt names the file's hash."""
    if attempt.trajectory is None:
        return
    path = trajectory_path(folder.root, attempt.id)
    name = str(path.relative_to(folder.root))
    if not path.is_file():
        yield Flaw(name, None, "is missing")
    elif hash_file(path) != attempt.trajectory:
        yield Flaw(name, None, "was changed after it was written")


def run_digest(folder: RunFolder) -> str:
    """Give one hash for all that a run says: a published table names it.

    Returns:
        The first 16 hexadecimal digits; it changes with every line that is added.

    Raises:
        RecordError: When the manifest cannot be read.
    """
    seals = [last_seal(folder.root / name, folder.root_seal(name)) for name in (ATTEMPTS, JUDGEMENTS)]
    return hashlib.sha256(" ".join(seals).encode()).hexdigest()[:16]


def _manifest_flaws(folder: RunFolder) -> Iterator[Flaw]:
    data = folder.manifest_path.read_bytes()
    if json.loads(data).get(DIGEST) != manifest_digest(data):
        yield Flaw(folder.manifest_path.name, None, "was changed after it was written")
