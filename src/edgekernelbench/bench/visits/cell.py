"""A cell, seen from the run: opened, given work, watched, ended."""

import os
import select
import socket
import subprocess
import sys
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from edgekernelbench.base.errors import EkbError
from edgekernelbench.bench.visits.orders import USER, Listener, Place, Work, as_json, send, unpacked

COMMAND = (sys.executable, "-m", "edgekernelbench.bench.visits.inside")
PASSED_ON = ("PATH", "PYTHONPATH", "LANG", "LC_ALL")
NOBODY = 65534
"""Who an agent is outside when root starts the run."""
START_S = 30.0
"""Patience for a cell to open."""
MS_PER_S = 1000
REMEDY = "allow user namespaces on this machine, such as with sysctl kernel.unprivileged_userns_clone=1"
END_S = 10.0
"""Patience for a cell to hand out files once its agent is to end."""


class CannotConfine(EkbError):  # noqa: N818 - what this machine cannot do is the news
    """This machine does not let us make a cell; the message says what it refused."""


class Cell:
    """One place with its processes.

    Attributes:
        doors: Listening sockets on the agent's loopback, accepted from here.
        output: What the agent writes to standard output, and to standard error.
        collected: Files that were asked for, by path, once it has ended.
    """

    def __init__(self, place: Place) -> None:
        """Open it.

        Args:
            place: What the agent will see.

        Raises:
            CannotConfine: When this machine does not allow it.
        """
        self.doors: tuple[socket.socket, ...] = ()
        self.collected: dict[str, bytes] = {}
        self._ended: int | None = None
        self._over = False
        ours, theirs = socket.socketpair()
        self._channel = ours
        self._listener = Listener(ours)
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [*COMMAND, str(theirs.fileno())],
                env={name: os.environ[name] for name in PASSED_ON if name in os.environ},
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        with ExitStack() as failing:
            failing.callback(self.close)
            self._open(place)
            failing.pop_all()

    @property
    def output(self) -> tuple[IO[bytes], IO[bytes]]:
        """What the agent writes: standard output and standard error."""
        out, err = self._process.stdout, self._process.stderr
        if out is None or err is None:
            raise CannotConfine("a cell has no output")
        return out, err

    @property
    def over(self) -> bool:
        """Whether everything in it has ended."""
        return self._over

    @property
    def status(self) -> int | None:
        """The agent's exit status, negative for a signal; None when it was ended from here."""
        return self._ended

    def start(self, work: Work) -> None:
        """Let the agent begin.

        Raises:
            CannotConfine: When the cell is gone.
        """
        try:
            send(self._channel, as_json(work))
        except OSError as error:
            raise CannotConfine("the cell is gone before its agent began") from error

    def wait(self, seconds: float) -> bool:
        """Wait until everything in it has ended.

        Args:
            seconds: At most so long.

        Returns:
            Whether it has.
        """
        while not self._over:
            if not self._listener.holds_one and not self._readable(seconds):
                return False
            self._channel.settimeout(END_S)
            message = self._listener.hear()
            if message is None or "ended" in message:
                self._ended = None if message is None else message["ended"]
                self._over = True
            elif "file" in message:
                with suppress(ValueError):
                    self.collected[str(message["file"])] = unpacked(str(message["data"]))
        return True

    def _readable(self, seconds: float) -> bool:
        watched = select.poll()
        watched.register(self._channel, select.POLLIN)
        return bool(watched.poll(seconds * MS_PER_S))

    def end(self) -> None:
        """End everything in it, now; what it should hand out is taken along if it can be."""
        if not self._over:
            with suppress(OSError):
                send(self._channel, {"end": True})
            self.wait(END_S)

    def close(self) -> None:
        """End everything, and let go; a second time does nothing."""
        for door in self.doors:
            door.close()
        # The first process of a cell ends when the run hangs up, and with it all others.
        self._channel.close()
        try:
            self._process.wait(timeout=END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for stream in (self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()

    def _open(self, place: Place) -> None:
        self._channel.settimeout(START_S)
        send(self._channel, as_json(place))
        message = self._hear()
        if "unshared" in message:
            _say_who(int(message["unshared"]))
            send(self._channel, {"mapped": True})
            message = self._hear()
        if "failed" in message:
            raise CannotConfine(str(message["failed"]))
        self.doors = tuple(socket.socket(fileno=number) for number in self._listener.descriptors)

    def _hear(self) -> Mapping[str, Any]:
        message = self._listener.hear()
        if message is None:
            self._process.kill()
            said = self._process.communicate()[1].decode("utf-8", "replace").strip()
            raise CannotConfine(f"the cell did not open: {said[-400:] or 'it said nothing'}")
        return message

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def why_unconfined() -> str:
    """Say why agents cannot be confined here.

    Returns:
        What the system refused, with what helps; empty when they can.
    """
    try:
        with Cell(Place(confined=True)):
            return ""
    except CannotConfine as error:
        return f"{error}; {REMEDY}"


def _say_who(pid: int) -> None:
    """Say who the agent is outside: nobody, or whoever started the run, without any right of theirs."""
    root = os.geteuid() == 0
    user, group = (NOBODY, NOBODY) if root else (os.geteuid(), os.getegid())
    process = Path(f"/proc/{pid}")
    try:
        if not root:
            (process / "setgroups").write_text("deny", encoding="ascii")
        (process / "uid_map").write_text(f"{USER} {user} 1", encoding="ascii")
        (process / "gid_map").write_text(f"{USER} {group} 1", encoding="ascii")
    except OSError as error:
        raise CannotConfine(f"the agent's user cannot be set: {error}") from error
