"""The judge's end of the line to a board: questions, and how long to wait for an answer."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import RUNTIME_ONLY
from edgekernelbench.evaluator.boards.address import BoardAddress
from edgekernelbench.evaluator.boards.channel import ACCEPT_S, connect
from edgekernelbench.evaluator.boards.courier import CONNECT
from edgekernelbench.evaluator.boards.wire import (
    BoardLost,
    Bytes,
    Fields,
    FrameError,
    Room,
    decode,
    parts,
    receive,
    waits,
)
from edgekernelbench.evaluator.supervisor import ServerLost

COURIER = "edgekernelbench.evaluator.boards.courier"

SLACK_S = 20.0
"""What a board may take beyond what it was given: a network has its moments."""

CONNECT_S = 60.0
"""How long to wait for a board that is registered and that somebody else has."""

PARTING_S = 2.0
"""How long a session may take to end."""


@dataclass(slots=True)
class Traffic:
    """What went over a line.

    Attributes:
        trips: Questions that were answered.
        sent: Bytes that went to the board.
        received: Bytes that came from it.
    """

    trips: int = 0
    sent: int = 0
    received: int = 0


class Line:
    """A session with one board; once it is lost it stays so.

    Attributes:
        lost: Whether the board does not answer any more.
        busy_ns: How long it was asked something and had not answered yet.
        traffic: What went over it.
        sensed: What the board sensed with the last answer; None when that has nothing of it.
    """

    def __init__(self, address: BoardAddress, patience_s: float = CONNECT_S) -> None:
        """Wait in the tracker's queue for a board.

        Raises:
            PrerequisiteError: When something is missing on this machine, or the board has another release.
            BoardLost: When no board could be had.
        """
        ours, theirs = socket.socketpair()
        with theirs:
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-m", COURIER, str(theirs.fileno())],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                env={**os.environ, **RUNTIME_ONLY},
                process_group=0,
            )
        self._channel = ours
        self._room = Room()
        self._courier: socket.socket | None = None
        self.lost = False
        self.busy_ns = 0
        self.traffic = Traffic()
        self.sensed: Fields | None = None
        order = {"do": CONNECT, "host": address.host, "port": address.port, "key": address.key}
        try:
            there = self.ask(order, patience_s)
            self._shorten(tuple(there["address"]), bytes.fromhex(there["token"]))
        except (ServerLost, PrerequisiteError):
            self.close()
            raise

    @property
    def is_short(self) -> bool:
        """Whether it leads to the board without TVM's RPC."""
        return self._courier is not None

    def _shorten(self, address: tuple[str, int], token: bytes) -> None:
        """Make a second connection, past the courier; where there is none, all goes through TVM's RPC."""
        if not token:
            return
        until = time.monotonic() + ACCEPT_S + SLACK_S
        # That is answered when nobody came; else it fails when the session has ended.
        self._send(parts({"do": "attend"}), until)
        channel = connect(address, token)
        if channel is None:
            self._check(self._hear(until)[0])
        else:
            self._courier, self._channel = self._channel, channel

    def ask(self, question: Fields, patience_s: float = 0.0) -> Fields:
        """Ask the board something.

        Args:
            question: What, with its kind under `do`.
            patience_s: How long the board may take for it, beside what travelling takes.

        Returns:
            The answer.

        Raises:
            BoardLost: When the board does not answer.
            ServerLost: When its own machinery failed.
            PrerequisiteError: When the board lacks something.
            OSError: When the board's system refused something, such as room on a disk.
        """
        return self.exchange(question, (), patience_s)[0]

    def exchange(
        self, question: Fields, load: Sequence[Bytes] = (), patience_s: float = 0.0
    ) -> tuple[Fields, memoryview]:
        """Ask something, with bytes of files behind the question, or behind the answer; else like `ask`.

        Bytes behind the answer last until the next question.
        """
        if self.lost:
            raise BoardLost("the board was lost before")
        begun = time.monotonic_ns()
        until = time.monotonic() + patience_s + SLACK_S
        try:
            self._send(parts(question, load), until)
            answer, behind = self._hear(until)
        finally:
            self.busy_ns += time.monotonic_ns() - begun
        self._check(answer)
        self.sensed = answer.get("sensed")
        return answer, behind

    def _check(self, answer: Fields) -> None:
        if "gone" in answer:
            raise self._lose(str(answer["gone"]))
        if "unable" in answer:
            raise PrerequisiteError(str(answer["unable"]), str(answer["remedy"]))
        if "missing" in answer:
            raise PrerequisiteError(f"the board says: {answer['missing']}", str(answer["remedy"]))
        if "lost" in answer:
            raise ServerLost(f"the board says: {answer['lost']}")
        if "errno" in answer:
            raise OSError(answer["errno"], f"the board says: {answer['error']}")

    def _send(self, frame: Sequence[Bytes], until: float) -> None:
        try:
            for part in frame:
                self._channel.settimeout(max(0.1, until - time.monotonic()))
                self._channel.sendall(part)
        except OSError as error:
            raise self._lose(str(error)) from error
        self.traffic.sent += sum(map(len, frame))

    def _hear(self, until: float) -> tuple[Fields, memoryview]:
        try:
            frame = receive(self._channel, until, self._room)
            if frame is None:
                raise ConnectionError("the connection was closed")
            self.traffic.received += len(frame)
            self.traffic.trips += 1
            return decode(frame)
        except (OSError, FrameError) as error:
            raise self._lose(str(error)) from error

    def _lose(self, why: str) -> BoardLost:
        self.lost = True
        self._channel.close()
        self._process.kill()
        self._process.wait()
        return BoardLost(f"the board does not answer any more: {why}")

    def close(self) -> None:
        """End the session; the board is free for others."""
        self.lost = True
        self._channel.close()
        if self._courier is not None:
            waits(self._courier, time.monotonic() + PARTING_S)  # until the session has ended on the board
            self._courier.close()
        try:
            self._process.wait(PARTING_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
