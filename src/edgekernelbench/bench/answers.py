"""Taking the answers of one run into another."""

from pathlib import Path

from edgekernelbench.records.attempt import Ending
from edgekernelbench.records.store import RunFolder, RunWriter, write_atomically
from edgekernelbench.records.trajectories import trajectory_path


def copy_answers(source: RunFolder, folder: RunFolder, writer: RunWriter) -> None:
    """Copy the attempts of a run that another one has not yet; those that were lost are left out.

    Args:
        source: The run with the answers.
        folder: The other one.
        writer: Adds to it.

    Raises:
        RecordError: When a record cannot be read.
    """
    there = folder.generated()
    planned = frozenset(folder.manifest().planned)
    for attempt in source.attempts().values():
        if attempt.ending is Ending.LOST or attempt.id in there or attempt.id not in planned:
            continue
        for digest in (*((attempt.text,) if attempt.text else ()), *attempt.steps):
            writer.add_artifact(source.artifact(digest))
        writer.add_attempt(attempt)
        _copy_trajectory(source.root, folder.root, attempt.id)


def _copy_trajectory(source: Path, root: Path, attempt: str) -> None:
    """Take along how an answer came about; runs of an older release have none."""
    path = trajectory_path(source, attempt)
    if path.is_file():
        target = trajectory_path(root, attempt)
        target.parent.mkdir(parents=True, exist_ok=True)
        write_atomically(target, path.read_bytes())
