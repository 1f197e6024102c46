"""One measurement at a time on a device, whatever process makes it."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

EVERYBODYS = Path("/tmp")  # noqa: S108 - the one folder that every process of a machine agrees on


@contextmanager
def hold_device(device: str, folder: Path | None = None) -> Iterator[None]:
    """Wait until no other process measures on this machine's device, and keep others waiting meanwhile.

    The lock goes with the process that holds it: a killed judge leaves none behind.

    Args:
        device: `environment.part_of` a profile: `cpu` or `gpu`.
        folder: Where the lock file is; None for the folder of temporary files that all users share, whatever
            `TMPDIR` says.
    """
    shared = EVERYBODYS if EVERYBODYS.is_dir() else Path(tempfile.gettempdir())
    handle = _open((folder or shared) / f"edgekernelbench-{device}.lock")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)


def _open(path: Path) -> int:
    # Systems that protect files in shared folders refuse to "create" what another user has created.
    try:
        return os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except FileNotFoundError:
        return os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
