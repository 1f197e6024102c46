"""Trajectories on the disk: where they lie, writing them, reading them back, and ATIF's one document."""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.store import write_atomically
from edgekernelbench.records.trajectory import End, Head, Said, Step

FOLDER = "trajectories"


@dataclass(frozen=True, slots=True)
class Trajectory:
    """One attempt, step by step.

    Attributes:
        head: Who, on what, with which settings.
        steps: What was tried, in order.
        end: How it ended; None for a file that was cut off.
        texts: Every text of the file by its hash.
    """

    head: Head
    steps: tuple[Step, ...]
    end: End | None
    texts: dict[str, str] = field(repr=False)

    def text(self, said: Said) -> str:
        """Give a text in full, wherever it stands in the file.

        Raises:
            RecordError: When it stands nowhere.
        """
        found = said.text if said.text is not None else self.texts.get(said.digest)
        if found is None:
            raise RecordError(f"trajectory {self.head.session_id}: text {said.digest} is missing")
        return found


def trajectory_path(run: Path, attempt: str) -> Path:
    """Say where a run folder has the trajectory of an attempt: `trajectories/ATTEMPT.jsonl`."""
    return run / FOLDER / f"{attempt}.jsonl"


def hash_file(path: Path) -> str:
    """Give the SHA-256 of a trajectory as it lies on the disk: attempts name it."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_trajectory(path: Path, head: Head, steps: Iterable[Step], end: End | None) -> None:
    """Write a trajectory: all of it or nothing.

    Args:
        path: The file; folders are made.
        head: Its first line.
        steps: Its steps.
        end: Its last line; None for an attempt that was lost on the way.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [head.line(), *(step.line() for step in steps), *([] if end is None else [end.line()])]
    write_atomically(path, ("\n".join(lines) + "\n").encode())


def read_trajectory(path: Path) -> Trajectory:
    """Read a trajectory.

    Args:
        path: The file.

    Raises:
        RecordError: When it cannot be read, with the line.
    """
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise RecordError(f"{path.name}: not a trajectory: {error}") from None
    rows = [(f"{path.name}:{number}", line) for number, line in enumerate(lines, 1) if line]
    if not rows:
        raise RecordError(f"{path.name}: not a trajectory: it is empty")
    head = Head.read(rows[0][1], rows[0][0])
    end = End.read(rows[-1][1], rows[-1][0]) if '"final_metrics"' in rows[-1][1][:20] else None
    inner = rows[1:] if end is None else rows[1:-1]
    steps = tuple(Step.read(line, where) for where, line in inner)
    return Trajectory(head, steps, end, {said.digest: said.text for said in _said(steps) if said.text})


def read_run_trajectories(run: Path) -> Iterator[tuple[str, Trajectory]]:
    """Read every trajectory of a run folder.

    Yields:
        The id of each attempt with its trajectory, in order of the ids.
    """
    root = run / FOLDER
    for path in sorted(root.rglob("*.jsonl")) if root.is_dir() else ():
        trajectory = read_trajectory(path)
        yield trajectory.head.session_id, trajectory


def as_atif(trajectory: Trajectory) -> dict[str, object]:
    """Give a trajectory as the one document that ATIF v1.7 describes."""
    document: dict[str, object] = json.loads(trajectory.head.line())
    document["steps"] = [json.loads(step.line()) for step in trajectory.steps]
    if trajectory.end is not None:
        document |= json.loads(trajectory.end.line())
    return document


def _said(steps: Iterable[Step]) -> Iterator[Said]:
    for step in steps:
        ours = step.extra.ekb
        if ours.text is not None:
            yield ours.text
        for call in ours.calls:
            if call.door == "chat":
                yield from (message.content for message in call.messages)
                if call.grammar is not None:
                    yield call.grammar
            else:
                yield call.source
