"""The judge's end of the line to a board: questions, files, and how long to wait for an answer."""

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import RUNTIME_ONLY
from edgekernelbench.evaluator.boards.address import BoardAddress
from edgekernelbench.evaluator.boards.wire import BoardLost
from edgekernelbench.evaluator.supervisor import ServerLost

COURIER = "edgekernelbench.evaluator.boards.courier"

SLACK_S = 20.0
"""What a board may take beyond what it was given: a network has its moments."""

CONNECT_S = 60.0
"""How long to wait for a board that is registered and that somebody else has."""

SLOWEST_BYTES_S = 500_000
"""Files travel at least at this rate."""

MAX_ANSWER_BYTES = 4 << 20


class Line:
    """A session with one board; once it is lost it stays so.

    Attributes:
        lost: Whether the board does not answer any more.
        busy_ns: How long it was asked something and had not answered yet.
    """

    def __init__(self, address: BoardAddress, patience_s: float = CONNECT_S) -> None:
        """Wait in the tracker's queue for a board.

        Raises:
            PrerequisiteError: When something is missing on this machine.
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
        self._pending = b""
        self.lost = False
        self.busy_ns = 0
        order = {"do": "connect", "host": address.host, "port": address.port, "key": address.key}
        try:
            self._send(order, patience_s)
        except (ServerLost, PrerequisiteError):
            self.close()
            raise

    def ask(self, question: Mapping[str, object], patience_s: float = 0.0) -> dict[str, Any]:
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
        text = json.dumps(question)
        answer: dict[str, Any] = json.loads(self._send({"do": "ask", "text": text}, patience_s)["text"])
        if "missing" in answer:
            raise PrerequisiteError(f"the board says: {answer['missing']}", str(answer["remedy"]))
        if "lost" in answer:
            raise ServerLost(f"the board says: {answer['lost']}")
        if "errno" in answer:
            raise OSError(answer["errno"], f"the board says: {answer['error']}")
        return answer

    def put(self, path: Path, name: str) -> None:
        """Bring a file to the board.

        Raises:
            BoardLost: When the board does not answer.
            OSError: When the board has no room for it.
        """
        order = {"do": "put", "path": str(path), "name": name}
        answer = self._send(order, path.stat().st_size / SLOWEST_BYTES_S)
        if "errno" in answer:
            raise OSError(answer["errno"], f"the board says: {os.strerror(answer['errno'])}", name)

    def get(self, name: str, path: Path, size: int) -> None:
        """Fetch a file from the board into one that is here, in its place.

        Raises:
            BoardLost: When the board does not answer.
            ServerLost: When it no longer has the file whole.
        """
        order = {"do": "get", "name": name, "path": str(path), "size": size}
        answer = self._send(order, size / SLOWEST_BYTES_S)
        if "short" in answer:
            raise ServerLost(f"the board gave {answer['short']} of {size} bytes of {name}")

    def _send(self, order: Mapping[str, object], patience_s: float) -> dict[str, Any]:
        if self.lost:
            raise BoardLost("the board was lost before")
        begun = time.monotonic_ns()
        until = time.monotonic() + patience_s + SLACK_S
        try:
            self._channel.sendall(json.dumps(order).encode() + b"\n")
            line = self._receive(until)
        except OSError as error:
            raise self._lose(str(error)) from error
        finally:
            self.busy_ns += time.monotonic_ns() - begun
        answer: dict[str, Any] = json.loads(line)
        if "missing" in answer:
            raise PrerequisiteError(str(answer["missing"]), str(answer["remedy"]))
        if "gone" in answer:
            raise self._lose(str(answer["gone"]))
        return answer

    def _receive(self, until: float) -> bytes:
        while b"\n" not in self._pending:
            ready, _, _ = select.select([self._channel], [], [], max(0.0, until - time.monotonic()))
            if not ready:
                raise OSError("it gave no answer in time")
            data = self._channel.recv(1 << 16)
            if not data:
                raise OSError("the courier ended")
            self._pending += data
        line, self._pending = self._pending.split(b"\n", 1)
        return line

    def _lose(self, why: str) -> BoardLost:
        self.lost = True
        self._end()
        return BoardLost(f"the board does not answer any more: {why}")

    def _end(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End the session; the board is free for others."""
        self.lost = True
        self._end()
        self._channel.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
