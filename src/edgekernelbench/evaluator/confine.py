"""What a worker does first: leave the server's group, give up its files, accept its limits."""

import ctypes
import os
import resource
import signal
from contextlib import suppress
from pathlib import Path

from edgekernelbench.evaluator.messages import STDERR, Limits
from edgekernelbench.evaluator.offline import go_offline

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36


def become_subreaper() -> None:
    """Let orphans of workers become children of this process, so that they can be found and killed."""
    _prctl(PR_SET_CHILD_SUBREAPER, 1)


def _prctl(option: int, value: int) -> None:
    ctypes.CDLL(None, use_errno=True).prctl(option, value, 0, 0, 0)


def mapped_bytes() -> int:
    """Give the size of this process's address space."""
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[0]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


def confine(folder: Path, limits: Limits, *, mapped: int) -> None:
    """Confine this freshly forked process.

    Args:
        folder: Its own folder, which becomes the working directory.
        limits: What it may use.
        mapped: Address space that it inherited, which does not count.
    """
    os.setsid()
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    os.chdir(folder)
    os.umask(0o077)
    _redirect("/dev/null", os.O_RDONLY, 0)
    _redirect("/dev/null", os.O_WRONLY, 1)
    _redirect(STDERR, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 2)
    if limits.cpus:
        os.sched_setaffinity(0, limits.cpus)
    if not limits.network:
        go_offline()
    _be_the_first_to_go()
    cores = len(os.sched_getaffinity(0))
    _limit(resource.RLIMIT_CORE, 0)
    _limit(resource.RLIMIT_NOFILE, limits.files)
    _limit(resource.RLIMIT_FSIZE, limits.file_bytes)
    # Far above the deadline: it stops what outlives a server that was killed.
    _limit(resource.RLIMIT_CPU, int(limits.deadline_s * cores * 4) + 60)
    _limit(resource.RLIMIT_AS, mapped + limits.memory_bytes)


def _be_the_first_to_go() -> None:
    """Let the system end this process, and not the judge, when memory runs out."""
    with suppress(OSError):  # containers may not show it
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _limit(kind: int, value: int) -> None:
    hard = resource.getrlimit(kind)[1]
    allowed = value if hard == resource.RLIM_INFINITY else min(value, hard)
    resource.setrlimit(kind, (allowed, allowed))


def _redirect(path: str, flags: int, descriptor: int) -> None:
    opened = os.open(path, flags, 0o600)
    os.dup2(opened, descriptor)
    os.close(opened)
