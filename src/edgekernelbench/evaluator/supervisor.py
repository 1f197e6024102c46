"""The judge's side of the fork server: start a worker, pass it the token, learn how it ended."""

import json
import os
import secrets
import select
import shutil
import socket
import stat
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from edgekernelbench.base.errors import EkbError, PrerequisiteError
from edgekernelbench.evaluator.messages import (
    DONE,
    GO,
    MAX_LINE_BYTES,
    PHASE,
    REPLY,
    REQUEST,
    STDERR,
    Ended,
    Expect,
    Extend,
    Kill,
    Limits,
    Order,
    Rest,
    Start,
    Wake,
    decode_ended,
    encode,
)
from edgekernelbench.records.outcome import Phase

MAX_REPLY_BYTES = 1 << 20
"""A longer reply is none."""

STDERR_TAIL_BYTES = 2000

START_DEADLINE_S = 120.0
"""Time for a server to import a compiler on a loaded machine."""

GRACE_S = 5.0
"""A server that has not reported a worker this long after its deadline is lost."""


class ServerLost(EkbError):  # noqa: N818 - the loss is the news
    """The fork server died or does not answer: nothing is known of the worker."""


class Worker:
    """A child at work, seen from the judge."""

    def __init__(self, supervisor: "Supervisor", number: int, folder: Path, limits: Limits) -> None:
        self.folder = folder
        self.nonce = secrets.token_hex(8)
        self._supervisor = supervisor
        self._number = number
        self._deadline = time.monotonic() + limits.deadline_s
        self._ended: Ended | None = None
        self._pending = b""
        self._closed = False
        os.mkfifo(folder / GO)
        os.mkfifo(folder / DONE)
        # Both ends are held open, so that no open waits and no end of file is seen.
        self._go = os.open(folder / GO, os.O_RDWR | os.O_NONBLOCK)
        self._done = os.open(folder / DONE, os.O_RDWR | os.O_NONBLOCK)

    @property
    def ended(self) -> Ended | None:
        """How it ended; None while it is known to be alive."""
        return self._ended

    def note_end(self, ended: Ended) -> None:
        """Take down how it ended."""
        self._ended = ended

    def extend(self, seconds: float) -> None:
        """Give it a new deadline, counted from now."""
        self._deadline = time.monotonic() + seconds
        self._supervisor.send(Extend(self._number, seconds))

    def wait(self) -> Ended:
        """Wait until it has ended, at the latest at its deadline.

        Raises:
            ServerLost: When the server does not say so in time.
        """
        while self._ended is None:
            self._supervisor.listen(None, self._deadline + GRACE_S)
        return self._ended

    def pass_token(self, message: Mapping[str, object]) -> dict[str, Any] | None:
        """Let it work until it answers, and put it to rest.

        Args:
            message: What to do.

        Returns:
            Its answer; None when it ended instead, or its answer cannot be read.

        Raises:
            ServerLost: When the server is lost.
        """
        if self._ended is None:
            self._supervisor.send(Wake(self._number))
        os.write(self._go, json.dumps(message).encode() + b"\n")
        while b"\n" not in self._pending:
            if self._ended is not None:
                return None
            if self._supervisor.listen(self._done, self._deadline + GRACE_S):
                self._pending += os.read(self._done, 65536)
            if len(self._pending) > MAX_LINE_BYTES:
                self.kill()
                return None
        self._supervisor.send(Rest(self._number))
        line, self._pending = self._pending.split(b"\n", 1)
        return _json_object(line)

    def kill(self) -> None:
        """End it now."""
        self._supervisor.send(Kill(self._number))

    def phase(self) -> Phase:
        """Say what it was doing last."""
        try:
            return Phase(_start_of(self.folder / PHASE, 32).decode("ascii", "replace"))
        except ValueError:
            return Phase.START

    def reply(self) -> dict[str, Any] | None:
        """Read its reply.

        Returns:
            The reply; None when there is none, it is too long, is no JSON object, or was not made for
            this request.
        """
        data = _start_of(self.folder / REPLY, MAX_REPLY_BYTES + 1)
        fields = _json_object(data) if len(data) <= MAX_REPLY_BYTES else None
        return fields if fields is not None and fields.get("nonce") == self.nonce else None

    def stderr_tail(self) -> str:
        """Read the end of what it wrote to standard error."""
        return _end_of(self.folder / STDERR, STDERR_TAIL_BYTES).decode("utf-8", "replace")

    def close(self) -> None:
        """End it if it is alive, and remove its folder; a second time does nothing."""
        if self._closed:
            return
        self._closed = True
        try:
            if self._ended is None and self._supervisor.alive:
                self.kill()
                self.wait()
        finally:
            os.close(self._go)
            os.close(self._done)
            self._supervisor.forget(self._number)
            shutil.rmtree(self.folder, ignore_errors=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _start_of(path: Path, size: int) -> bytes:
    """Read the first bytes of a file that a worker wrote; nothing when it is no ordinary file."""
    return _piece(path, lambda _: 0, size)


def _end_of(path: Path, size: int) -> bytes:
    return _piece(path, lambda whole: max(0, whole - size), size)


def _piece(path: Path, start: Callable[[int], int], size: int) -> bytes:
    # A worker may put a pipe there, on which a plain open would wait, or a link to what it may not read.
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW)
    except OSError:
        return b""
    try:
        facts = os.fstat(handle)
        return os.pread(handle, size, start(facts.st_size)) if stat.S_ISREG(facts.st_mode) else b""
    finally:
        os.close(handle)


def _json_object(data: bytes) -> dict[str, Any] | None:
    try:
        fields = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return fields if isinstance(fields, dict) else None


class Supervisor:
    """A fork server and its workers.

    The server is started with the first worker, and anew after it was lost.
    """

    def __init__(self, command: Sequence[str], environment: Mapping[str, str], scratch: Path) -> None:
        """Name the server.

        Args:
            command: Starts it; the number of an inherited socket is added as the last word.
            environment: All that it and its workers see of the environment.
            scratch: Where folders of workers are made.
        """
        self._command = tuple(command)
        self._environment = dict(environment)
        self._scratch = scratch
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: socket.socket | None = None
        self._buffer = b""
        self._workers: dict[int, Worker] = {}
        self._count = 0

    @property
    def alive(self) -> bool:
        """Whether there is a server that answers."""
        return self._channel is not None

    @property
    def pid(self) -> int | None:
        """The process of the server; None before it was started."""
        return self._process.pid if self._process is not None else None

    def folder(self) -> Path:
        """Make a folder for a worker; should this process be killed, the server removes it.

        Raises:
            ServerLost: When no server can be started.
            PrerequisiteError: When the server says what it lacks.
        """
        self._ensure_server()
        folder = self._scratch / f"ekb-{secrets.token_hex(8)}"
        self.send(Expect(str(folder)))
        folder.mkdir(mode=0o700)
        return folder

    def start(self, role: str, request: Mapping[str, object], *, folder: Path, limits: Limits) -> Worker:
        """Fork a worker.

        Args:
            role: What it does.
            request: What it is told; a nonce is added, which its reply must hold.
            folder: Its folder, from `folder()`; removed when the worker is closed.
            limits: What it may use.

        Raises:
            ServerLost: When no server can be started.
            PrerequisiteError: When the server says what it lacks.
        """
        self._ensure_server()
        self._count += 1
        worker = Worker(self, self._count, folder, limits)
        self._workers[self._count] = worker
        text = json.dumps({**request, "nonce": worker.nonce})
        (folder / REQUEST).write_text(text, encoding="utf-8")
        self.send(Start(self._count, role, str(folder), limits))
        return worker

    def send(self, message: Order) -> None:
        """Order something.

        Raises:
            ServerLost: When the server is gone.
        """
        if self._channel is None:
            raise ServerLost("the fork server is gone")
        try:
            self._channel.sendall(encode(message))
        except OSError:
            self._lose()
            raise ServerLost("the fork server closed its channel") from None

    def listen(self, also: int | None, until: float) -> bool:
        """Wait for news of workers, or until a descriptor can be read.

        Args:
            also: The descriptor; None when only workers matter.
            until: The latest moment, on the monotonic clock.

        Returns:
            Whether the descriptor can be read.

        Raises:
            ServerLost: When the moment passes, or the server is gone.
        """
        if self._channel is None:
            raise ServerLost("the fork server is gone")
        watched = select.poll()
        watched.register(self._channel, select.POLLIN)
        if also is not None:
            watched.register(also, select.POLLIN)
        ready = {number for number, _ in watched.poll(max(0.0, until - time.monotonic()) * 1000)}
        if not ready:
            self._lose()
            raise ServerLost("the fork server did not report a worker in time")
        if self._channel is not None and self._channel.fileno() in ready:
            self._read_news()
        return also in ready

    def _read_news(self) -> None:
        if self._channel is None:
            raise ServerLost("the fork server is gone")
        data = self._channel.recv(65536)
        if not data:
            self._lose()
            raise ServerLost("the fork server ended")
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            ended = decode_ended(line)
            if ended.id in self._workers:
                self._workers[ended.id].note_end(ended)

    def forget(self, number: int) -> None:
        """Drop a worker that was closed."""
        self._workers.pop(number, None)

    def _ensure_server(self) -> None:
        if self._channel is not None and self._process is not None and self._process.poll() is None:
            return
        self._lose()
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603 - our own module
                [*self._command, str(theirs.fileno())],
                env=self._environment,
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                process_group=0,  # Ctrl-C at a terminal is for us, not for a server that is still importing
            )
        self._channel = ours
        self._await_greeting(ours)

    def _await_greeting(self, channel: socket.socket) -> None:
        """Wait until the server has imported what it needs, or says what is missing."""
        channel.settimeout(START_DEADLINE_S)
        said = b""
        try:
            while not said.endswith(b"\n") and len(said) < MAX_LINE_BYTES:
                data = channel.recv(MAX_LINE_BYTES)
                if not data:
                    break
                said += data
        except OSError:
            said = b""
        greeting = _json_object(said) or {}
        if "missing" in greeting:
            self._lose()
            raise PrerequisiteError(str(greeting["missing"]), str(greeting["remedy"]))
        if "ready" not in greeting:
            self._lose()
            raise ServerLost("the fork server did not start; its message stands above")
        channel.settimeout(None)

    def _lose(self) -> None:
        if self._channel is not None:
            self._channel.close()
            self._channel = None
        if self._process is not None:
            try:
                self._process.wait(timeout=GRACE_S)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
            self._process = None
        self._buffer = b""

    def close(self) -> None:
        """End the server and its workers."""
        for worker in tuple(self._workers.values()):
            worker.close()
        self._lose()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
