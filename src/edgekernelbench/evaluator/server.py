"""The fork server: a warm process that imported the compiler, never compiled, and forks a worker a request.

It is single-threaded, holds nothing of a workload, and is the only parent of workers: it keeps their
deadlines, kills whole process groups, and reaps. Started as `python -m edgekernelbench.evaluator.server`.
"""

import gc
import json
import os
import selectors
import shutil
import signal
import socket
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.evaluator.confine import become_subreaper, confine, mapped_bytes
from edgekernelbench.evaluator.messages import (
    MAX_LINE_BYTES,
    Ended,
    Expect,
    Extend,
    Kill,
    Order,
    Rest,
    Start,
    Wake,
    decode_order,
    encode,
)
from edgekernelbench.evaluator.resting import rest, wake

NS_PER_SECOND = 1_000_000_000

Role = Callable[[Path], None]
"""What a worker does, given its folder; it writes its reply there."""

MANY_FOLDERS = 256
"""So many folders are remembered before those that are gone are forgotten."""

EXIT_BROKEN = 70
"""Exit status of a worker whose role raised: the traceback is on its standard error."""


@dataclass(slots=True)
class _Worker:
    id: int
    pid: int
    pidfd: int
    started: int
    deadline: int
    timed_out: bool = False


class Server:
    """Forks, watches and reaps workers, as the judge at the other end of a socket orders."""

    def __init__(self, roles: Mapping[str, Role], channel: socket.socket) -> None:
        self._roles = roles
        self._channel = channel
        self._buffer = b""
        self._workers: dict[int, _Worker] = {}
        self._selector = selectors.DefaultSelector()
        self._mapped = 0
        self._folders: set[Path] = set()

    def run(self) -> None:
        """Serve until the judge closes the channel, then end all workers."""
        become_subreaper()
        self._mapped = mapped_bytes()
        gc.freeze()
        self._selector.register(self._channel, selectors.EVENT_READ, None)
        while True:
            for key, _ in self._selector.select(self._patience()):
                if key.data is None:
                    if not self._listen():
                        self._end_all()
                        return
                elif key.data in self._workers:
                    self._reap(self._workers[key.data])
            self._enforce()

    def _patience(self) -> float | None:
        if not self._workers:
            return None
        first = min(w.deadline for w in self._workers.values())
        return max(0.0, (first - time.monotonic_ns()) / NS_PER_SECOND)

    def _listen(self) -> bool:
        data = self._channel.recv(MAX_LINE_BYTES)
        if not data:
            return False
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            self._obey(decode_order(line))
        return True

    def _obey(self, order: Order) -> None:
        match order:
            case Expect(folder=folder):
                self._expect(Path(folder))
            case Start():
                self._fork(order)
            case Extend(id=number, seconds=seconds):
                if number in self._workers:
                    self._workers[number].deadline = time.monotonic_ns() + int(seconds * NS_PER_SECOND)
            case Rest(id=number):
                if number in self._workers:
                    self._kill_strays()
                    rest(self._workers[number].pid)
            case Wake(id=number):
                if number in self._workers:
                    wake(self._workers[number].pid)
            case Kill(id=number):
                if number in self._workers:
                    _kill_group(self._workers[number].pid)

    def _expect(self, folder: Path) -> None:
        if len(self._folders) >= MANY_FOLDERS:
            self._folders = {known for known in self._folders if known.exists()}
        self._folders.add(folder)

    def _fork(self, order: Start) -> None:
        started = time.monotonic_ns()
        pid = os.fork()
        if pid == 0:
            self._be_worker(order)
        pidfd = os.pidfd_open(pid)
        deadline = started + int(order.limits.deadline_s * NS_PER_SECOND)
        self._workers[order.id] = _Worker(order.id, pid, pidfd, started, deadline)
        self._selector.register(pidfd, selectors.EVENT_READ, order.id)

    def _be_worker(self, order: Start) -> None:
        """Run a role in the fork; never returns."""
        status = EXIT_BROKEN
        try:
            folder = Path(order.folder)
            self._channel.close()
            self._selector.close()
            for other in self._workers.values():
                os.close(other.pidfd)
            confine(folder, order.limits, mapped=self._mapped)
            self._roles[order.role](folder)
            status = 0
        except BaseException:  # the worker's top: whatever it was, the traceback is what is known
            traceback.print_exc()
        finally:
            with suppress(OSError, ValueError):
                sys.stderr.flush()
            os._exit(status)

    def _enforce(self) -> None:
        now = time.monotonic_ns()
        for worker in self._workers.values():
            if worker.deadline <= now and not worker.timed_out:
                worker.timed_out = True
                worker.deadline = now + NS_PER_SECOND
                _kill_group(worker.pid)
            elif worker.deadline <= now:
                # Killed and still not gone: it is in the kernel's hands; ask again in a second.
                worker.deadline = now + NS_PER_SECOND
                _kill_group(worker.pid)

    def _reap(self, worker: _Worker) -> None:
        _kill_group(worker.pid)  # before waiting: until then the group's number cannot be given away
        _, status, usage = os.wait4(worker.pid, 0)
        ended_at = time.monotonic_ns()
        del self._workers[worker.id]
        self._selector.unregister(worker.pidfd)
        os.close(worker.pidfd)
        strays = self._kill_strays()
        ended = Ended(
            id=worker.id,
            exit_code=os.WEXITSTATUS(status) if os.WIFEXITED(status) else None,
            signal=os.WTERMSIG(status) if os.WIFSIGNALED(status) else None,
            timed_out=worker.timed_out,
            wall_ns=ended_at - worker.started,
            peak_bytes=usage.ru_maxrss * 1024,
            strays=strays,
        )
        self._channel.sendall(encode(ended))

    def _kill_strays(self) -> int:
        """Kill children that are no workers: what a worker left behind in another session."""
        killed: set[int] = set()
        for _ in range(100):  # each round can uncover the children of those it killed
            strays = _children() - {w.pid for w in self._workers.values()}
            if not strays:
                break
            for pid in strays:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            for pid in strays:
                with suppress(ChildProcessError):
                    os.waitpid(pid, 0)
            killed |= strays
        return len(killed)

    def _end_all(self) -> None:
        for worker in self._workers.values():
            _kill_group(worker.pid)
        for worker in self._workers.values():
            with suppress(ChildProcessError):
                os.waitpid(worker.pid, 0)
        self._workers.clear()
        self._kill_strays()
        # The judge removes folders; what is left now is of a judge that was killed.
        for folder in self._folders:
            shutil.rmtree(folder, ignore_errors=True)


def _kill_group(pid: int) -> None:
    # The leader too, by its own number: it may not have made its group yet.
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _children() -> set[int]:
    me = os.getpid()
    text = Path(f"/proc/{me}/task/{me}/children").read_text(encoding="ascii")
    return {int(pid) for pid in text.split()}


def serve(roles: Mapping[str, Role], descriptor: int) -> None:
    """Serve the judge at the other end of a socket until it closes.

    Args:
        roles: What workers can be asked to do.
        descriptor: The socket, inherited.
    """
    # The judge ends the server by closing the channel; a Ctrl-C at the terminal is the judge's to handle.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    channel = socket.socket(fileno=descriptor)
    try:
        channel.sendall(b'{"ready": true}\n')
    except BrokenPipeError:
        return  # the judge was interrupted while this process was still importing
    Server(roles, channel).run()


def decline(error: PrerequisiteError, descriptor: int) -> None:
    """Tell the judge why there will be no server.

    Args:
        error: What is missing.
        descriptor: The socket, inherited.
    """
    text = json.dumps({"missing": error.missing, "remedy": error.remedy})
    with socket.socket(fileno=descriptor) as channel, suppress(BrokenPipeError):
        channel.sendall(text.encode() + b"\n")
