"""The courier: a process of the host that holds the session with one board, and does as the judge says.

Started as `python -m edgekernelbench.evaluator.boards.courier DESCRIPTOR`. A board that vanished leaves it
waiting in TVM for ever; then the judge ends it.
"""

import json
import os
import signal
import socket
import sys
import time
from pathlib import Path
from threading import Thread
from typing import Any

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.rpc import Session
from edgekernelbench.evaluator.boards.blocks import BLOCK_BYTES, blocks, digests
from edgekernelbench.evaluator.boards.wire import ASK, GET, PUT

WATCH_S = 2.0


class Courier:
    """Carries between a judge and a board."""

    def __init__(self) -> None:
        self._session: Session | None = None

    def do(self, order: dict[str, Any]) -> dict[str, Any]:
        """Do one thing, and say what came of it."""
        match order["do"]:
            case "connect":
                self._session = Session.request(order["host"], order["port"], order["key"])
                return {}
            case "ask":
                return {"text": self._board().call(ASK, order["text"])}
            case "put":
                return self._put(Path(order["path"]), order["name"])
            case "get":
                return self._get(order["name"], Path(order["path"]), order["size"])
            case other:
                raise ValueError(f"no order {other!r}")

    def _board(self) -> Session:
        if self._session is None:
            raise OSError("there is no session with a board")
        return self._session

    def _ask(self, **question: object) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._board().call(ASK, json.dumps(question)))
        return answer

    def _put(self, path: Path, name: str) -> dict[str, Any]:
        """Bring the blocks of a file that the board has not."""
        answer = self._ask(do="lay", name=name, size=path.stat().st_size, digests=digests(path))
        if "missing_blocks" not in answer:
            return answer
        missing = set(answer["missing_blocks"])
        for number, block in enumerate(blocks(path)):
            failed = self._board().call(PUT, name, number * BLOCK_BYTES, block) if number in missing else 0
            if failed:
                return {"errno": int(failed)}
        return {}

    def _get(self, name: str, path: Path, size: int) -> dict[str, Any]:
        """Fetch the blocks of a file that are not the same here."""
        answer = self._ask(do="digests", name=name)
        theirs, ours = answer.get("digests", []), digests(path)
        if len(theirs) != len(ours):
            return {"short": len(theirs) * BLOCK_BYTES}
        handle = os.open(path, os.O_WRONLY | os.O_NOFOLLOW)
        try:
            for number in (n for n, pair in enumerate(zip(theirs, ours, strict=True)) if pair[0] != pair[1]):
                offset = number * BLOCK_BYTES
                wanted = min(BLOCK_BYTES, size - offset)
                piece = bytes(self._board().call(GET, name, offset, wanted))
                if len(piece) != wanted:
                    return {"short": offset + len(piece)}
                os.pwrite(handle, piece, offset)
        finally:
            os.close(handle)
        return {}


def _watch(judge: int) -> None:
    """End with the judge, also while TVM waits for a board that says nothing."""
    while os.getppid() == judge:
        time.sleep(WATCH_S)
    os._exit(1)


def main() -> None:
    """Do as the judge says until it closes the channel."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    courier = Courier()
    with socket.socket(fileno=int(sys.argv[1])) as channel, channel.makefile("rwb") as lines:
        for line in lines:
            try:
                answer = courier.do(json.loads(line))
            except PrerequisiteError as error:
                answer = {"missing": error.missing, "remedy": error.remedy}
            except OSError as error:
                answer = {"gone": str(error)}
            lines.write(json.dumps(answer).encode() + b"\n")
            lines.flush()


if __name__ == "__main__":
    main()
