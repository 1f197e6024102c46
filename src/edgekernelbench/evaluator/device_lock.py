"""One measurement at a time on a device, whatever process makes it."""

import fcntl
import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def hold_device(target: str, folder: Path | None = None) -> Iterator[None]:
    """Wait until no other process measures on this machine's device, and keep others waiting meanwhile.

    The lock goes with the process that holds it: a killed judge leaves none behind.

    Args:
        target: `llvm`, `cuda` or `opencl`: one device each on this machine.
        folder: Where the lock file is; None for the folder of temporary files, which all users share.
    """
    path = (folder or Path(tempfile.gettempdir())) / f"edgekernelbench-{target}.lock"
    handle = os.open(path, os.O_RDONLY | os.O_CREAT | os.O_NOFOLLOW, 0o644)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield
    finally:
        os.close(handle)
