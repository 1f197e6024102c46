"""The courier: a process of the host that has TVM's session with a board, and carries frames.

Started as `python -m edgekernelbench.evaluator.boards.courier DESCRIPTOR`. One kind of frame is for itself,
all others are answered by the board. A board that vanished leaves it waiting in TVM for ever; then the judge
ends it.
"""

import os
import signal
import socket
import sys
import time
from contextlib import suppress
from threading import Thread

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.rpc import Session
from edgekernelbench.evaluator.boards.wire import FRAME, Bytes, Fields, decode, encode, receive

WATCH_S = 2.0
CONNECT = "connect"
"""Kind of the frame that asks for a session; the answer says where the board was reached, and its token."""


class Courier:
    """Carries between a judge and a board."""

    def __init__(self) -> None:
        self._session: Session | None = None

    def answer(self, frame: Bytes) -> bytes:
        """Do what a frame asks for, or let the board do it."""
        fields, _ = decode(frame)
        if fields["do"] == CONNECT:
            return encode(self._connect(fields))
        return self._carry(frame)

    def _connect(self, fields: Fields) -> Fields:
        self._session = Session.request(fields["host"], fields["port"], fields["key"])
        if not self._session.has(FRAME):
            raise PrerequisiteError(
                f"the board {fields['key']} speaks the language of another release",
                "install the same release on both",
            )
        offer, _ = decode(self._carry(encode({"do": "offer"})))
        return {"address": list(self._session.address), "token": offer["token"]}

    def _carry(self, frame: Bytes) -> bytes:
        if self._session is None:
            raise OSError("there is no session with a board")
        return bytes(self._session.call(FRAME, bytes(frame)))


def _watch(judge: int) -> None:
    """End with the judge, also while TVM waits for a board that says nothing."""
    while os.getppid() == judge:
        time.sleep(WATCH_S)
    os._exit(1)


def main() -> None:
    """Carry until the judge closes the channel, or is gone."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    courier = Courier()
    with socket.socket(fileno=int(sys.argv[1])) as channel, suppress(OSError):
        while (frame := receive(channel)) is not None:
            channel.sendall(_answer(courier, frame))


def _answer(courier: Courier, frame: Bytes) -> bytes:
    try:
        return courier.answer(frame)
    except PrerequisiteError as error:
        return encode({"unable": error.missing, "remedy": error.remedy})
    except OSError as error:
        return encode({"gone": str(error)})


if __name__ == "__main__":
    main()
