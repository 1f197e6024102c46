"""A stranger's process seen from outside: it is ordered, awaited, stopped, looked at and ended.

The clock is read here. The process is stopped while its next inputs are written, and stopped again when it
says that it is done, before its outputs are read: what a thread of it would still do then is not done.
"""

import fcntl
import os
import select
import signal
import struct
import subprocess
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.evaluator.timing import allowed_cores, thread_uses, waiting_time, working_threads

F_SETPIPE_SZ, F_GETPIPE_SZ = 1031, 1032
PAGE_BYTES, WORD_BYTES = 4096, 8
ORDER_BYTES = 1 << 20
"""Room of the pipe of orders: a whole round is in it before the process goes on."""

NO_ROOM, NO_FILTER = 81, 82
"""What the runner ends with when it cannot begin."""


class StrangerLost(Exception):  # noqa: N818 - it is how a process ended, no fault of ours
    """The process ended instead of answering.

    Attributes:
        signal: The signal that ended it; None when it exited.
        detail: In words.
    """

    def __init__(self, number: int | None, detail: str) -> None:
        super().__init__(detail)
        self.signal = number
        self.detail = detail


def calls_within(room: int, pointers: int, given: int) -> int:
    """Say for how many calls an order fits into a pipe: it fills whole pages, and one that was begun before.

    Args:
        room: Bytes of the pipe.
        pointers: Buffers a call.
        given: Bytes of inputs that come with a call.
    """
    return max(0, room - 2 * PAGE_BYTES) // ((pointers + 1) * WORD_BYTES + given)


@dataclass(frozen=True, slots=True)
class Turn:
    """What one order showed.

    Attributes:
        ns: From when the process was let go to when its answer was here.
        threads: How many of its threads worked.
        cores: On which cores they were allowed to.
        waited_ns: How long threads waited for a core, all together.
    """

    ns: int
    threads: int
    cores: tuple[int, ...]
    waited_ns: int


def add_turns(turns: Sequence[Turn]) -> Turn:
    """Add up what several orders showed; at least one."""
    cores = {core for turn in turns for core in turn.cores}
    return Turn(
        ns=sum(turn.ns for turn in turns),
        threads=max(turn.threads for turn in turns),
        cores=tuple(sorted(cores)),
        waited_ns=sum(turn.waited_ns for turn in turns),
    )


class Stranger:
    """A process that runs a stranger's kernel."""

    def __init__(self, program: Path, handle: int, size: int, pointers: int, threads: int) -> None:
        """Start it, stopped from its first moment of leisure on.

        Args:
            program: The runner.
            handle: Descriptor of its shared memory.
            size: Bytes of that.
            pointers: How many buffers a call takes.
            threads: How many threads it may have.
        """
        orders, self._orders = os.pipe()
        self._answers, answers = os.pipe()
        with suppress(OSError):  # what a system does not give is not needed for short rounds
            fcntl.fcntl(self._orders, F_SETPIPE_SZ, ORDER_BYTES)
        self._room = fcntl.fcntl(self._orders, F_GETPIPE_SZ)
        self._has_begun = False
        words = [handle, size, orders, answers, pointers, threads]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - it was built here, and gives up its rights itself
                [str(program), *map(str, words)],
                pass_fds=(handle, orders, answers),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                env=_environment(threads),
                cwd="/",
            )
        finally:
            os.close(orders)
            os.close(answers)

    def call(self, offsets: Sequence[Sequence[int]]) -> None:
        """Let it make some calls, and stop it.

        Args:
            offsets: For each call, where it finds its buffers.

        Raises:
            StrangerLost: When it ends instead.
        """
        self._order(offsets)
        self._go()
        self._await()
        self._stop()

    def takes(self, pointers: int, given: int) -> int:
        """Say how many calls with their inputs fit into the pipe, where they wait for the process to go on.

        Args:
            pointers: Buffers a call.
            given: Bytes of inputs a call.
        """
        return calls_within(self._room, pointers, given)

    def timed(self, offsets: Sequence[Sequence[int]], given: Sequence[tuple[int, bytes]] = ()) -> Turn:
        """Do the same with the clock running; it must have made a call before.

        Args:
            offsets: For each call, where it finds its buffers.
            given: For each call, bytes that are put down when its turn comes, all of one length, and where;
                nothing where its inputs are there already.
        """
        self._order(offsets, given)
        before = thread_uses(self._process.pid)
        start = time.perf_counter_ns()
        self._go()
        self._await()
        ns = time.perf_counter_ns() - start
        self._stop()
        after = thread_uses(self._process.pid)
        working = working_threads(before, after)
        return Turn(ns, len(working), allowed_cores(working), waiting_time(before, after))

    def _order(self, offsets: Sequence[Sequence[int]], given: Sequence[tuple[int, bytes]] = ()) -> None:
        given = given or [(0, b"")] * len(offsets)
        parts = [struct.pack("<2q", len(offsets), len(given[0][1]) if given else 0)]
        for call, (place, inputs) in zip(offsets, given, strict=True):
            parts += [struct.pack(f"<{len(call) + 1}q", *call, place), inputs]
        data = b"".join(parts)
        try:
            while data:
                data = data[os.write(self._orders, data) :]
        except BrokenPipeError:
            raise self._lost() from None

    def _go(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGCONT)

    def _await(self) -> None:
        if not self._has_begun:
            if os.read(self._answers, 1) != b"r":
                raise self._lost()
            self._has_begun = True
        if os.read(self._answers, 1) != b"d":
            raise self._lost()

    def _stop(self) -> None:
        """Stop all its threads; returns when none of them runs any more."""
        with suppress(ProcessLookupError):
            os.kill(self._process.pid, signal.SIGSTOP)
        _, status = os.waitpid(self._process.pid, os.WUNTRACED)
        if not os.WIFSTOPPED(status):
            self._process.returncode = os.waitstatus_to_exitcode(status)
            raise self._lost()
        if select.select([self._answers], [], [], 0)[0]:
            # It would be taken for the answer to what is asked next, before any of that is done.
            raise StrangerLost(None, "it answered more often than it was asked")

    def _lost(self) -> StrangerLost:
        code = self._process.wait()
        if code == NO_FILTER and not self._has_begun:
            raise PrerequisiteError("this system cannot confine a process (seccomp)", "use a Linux that can")
        if code == NO_ROOM and not self._has_begun:
            return StrangerLost(None, "the process could not map its buffers")
        if code == -signal.SIGSYS:
            return StrangerLost(signal.SIGSYS, "a system call that kernels do not have ended it")
        if code < 0:
            return StrangerLost(-code, f"the signal {signal.Signals(-code).name} ended it")
        return StrangerLost(None, f"it exited with {code} and gave no answer")

    def close(self) -> None:
        """End it."""
        if self._process.returncode is None:
            self._process.kill()
            self._process.wait()
        os.close(self._orders)
        os.close(self._answers)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _environment(threads: int) -> dict[str, str]:
    count = str(threads)
    kept = {name: os.environ[name] for name in ("GOMP_SPINCOUNT", "LD_LIBRARY_PATH") if name in os.environ}
    # Nothing is bound to cores: the affinity of the process is that of all workers.
    return {**kept, "OMP_NUM_THREADS": count, "OMP_THREAD_LIMIT": count, "OMP_DYNAMIC": "false"}
