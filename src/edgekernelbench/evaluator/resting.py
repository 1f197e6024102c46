"""Processes that are not timed at the moment are stopped: a thread that waits by spinning takes a core.

Pools of threads spin for a while before they sleep: OpenMP's at its barriers, TVM's for 300,000 rounds of
`sched_yield`, which is a tenth of a second. Where another process then wants as many threads as there are
cores, one of them waits for a slice of the scheduler while the others spin at a barrier: a run of 0.4 ms
was seen to take 40. A stopped process takes nothing, whatever its libraries do, and cannot disturb the
others on purpose either.
"""

import os
import signal
from contextlib import suppress
from pathlib import Path


def rest(leader: int) -> None:
    """Stop all threads of a process group, and of what its leader started elsewhere.

    Args:
        leader: The process that leads the group.
    """
    _tell(leader, signal.SIGSTOP)
    for pid in _descendants(leader):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGSTOP)


def wake(leader: int) -> None:
    """Let a process group that was put to rest go on; what left it stays where it is.

    To look for that would take time just when the group begins to be measured.

    Args:
        leader: The process that leads the group.
    """
    _tell(leader, signal.SIGCONT)


def _tell(leader: int, number: signal.Signals) -> None:
    # The leader too, by its own number: it may not have made its group yet.
    for tell in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            tell(leader, number)


def _descendants(pid: int) -> set[int]:
    """Find what a process started, and what that started; a process that ends meanwhile is passed over."""
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for task in _tasks(waiting.pop()):
            children = {int(child) for child in _read(task / "children").split()} - found
            found |= children
            waiting += children
    return found


def _tasks(pid: int) -> list[Path]:
    try:
        return list(Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return []


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="ascii")
    except (FileNotFoundError, ProcessLookupError):
        return ""
