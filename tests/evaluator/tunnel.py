"""A way to a tracker and a board that leads through other ports, as SSH makes one, and that can be cut.

The tracker's answers are passed on with the port of the tunnel in place of the board's. Connections of TVM's
and the second one of a session are told apart by how they begin.
"""

import json
import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from edgekernelbench.compiler.tvm.rpc import REQUEST
from edgekernelbench.evaluator.boards.address import LOOPBACK
from edgekernelbench.evaluator.boards.channel import GREETING

_WORD = struct.Struct("<i")


class Tunnel:
    """Passes connections on.

    Attributes:
        port: Where the tracker seems to be.
        is_barred: Whether the second connection of a session is refused.
        cut_after: Bytes to the board after which the second connection is cut; None cuts none.
        cut: Set when one was cut.
    """

    def __init__(self, tracker: int) -> None:
        self.is_barred = False
        self.cut_after: int | None = None
        self.cut = threading.Event()
        self._tracker = tracker
        self._board = (LOOPBACK, 0)
        self._queues = socket.create_server((LOOPBACK, 0))
        self._boards = socket.create_server((LOOPBACK, 0))
        self.port = int(self._queues.getsockname()[1])
        for listening, serve in ((self._queues, self._ask), (self._boards, self._pass_on)):
            threading.Thread(target=_serve, args=(listening, serve), daemon=True).start()

    def _ask(self, host: socket.socket) -> None:
        with host, socket.create_connection((LOOPBACK, self._tracker)) as tracker:
            asks, answers = host.makefile("rwb"), tracker.makefile("rwb")
            for source, target in ((asks, answers), (answers, asks)):
                target.write(source.read(4))
                target.flush()
            question = asks.read(_WORD.unpack(asks.read(4))[0])
            answers.write(_WORD.pack(len(question)) + question)
            answers.flush()
            answer = json.loads(answers.read(_WORD.unpack(answers.read(4))[0]))
            if json.loads(question)[0] == REQUEST:
                self._board = (answer[1][0], answer[1][1])
                answer[1][1] = self._boards.getsockname()[1]
            text = json.dumps(answer).encode()
            asks.write(_WORD.pack(len(text)) + text)
            asks.flush()

    def _pass_on(self, host: socket.socket) -> None:
        with host:
            first = host.recv(len(GREETING), socket.MSG_WAITALL)
            is_second = first == GREETING
            if is_second and self.is_barred:
                return
            with socket.create_connection(self._board) as board:
                board.sendall(first)
                back = threading.Thread(target=_pump, args=(board, host, None), daemon=True)
                back.start()
                if not _pump(host, board, self.cut_after if is_second else None):
                    for end in (host, board):
                        end.shutdown(socket.SHUT_RDWR)
                    self.cut.set()
                back.join()

    def close(self) -> None:
        for listening in (self._queues, self._boards):
            listening.close()


def _serve(listening: socket.socket, serve: Callable[[socket.socket], None]) -> None:
    with suppress(OSError):
        while True:
            connection, _ = listening.accept()
            threading.Thread(target=serve, args=(connection,), daemon=True).start()


def _pump(source: socket.socket, target: socket.socket, limit: int | None) -> bool:
    """Pass bytes on until there are no more; false where the limit was reached."""
    passed = 0
    with suppress(OSError):
        while data := source.recv(1 << 16):
            passed += len(data)
            if limit is not None and passed > limit:
                return False
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    return True


@contextmanager
def tunnel(tracker: int) -> Iterator[Tunnel]:
    """Open a tunnel to a tracker and to the boards that it gives."""
    made = Tunnel(tracker)
    try:
        yield made
    finally:
        made.close()
