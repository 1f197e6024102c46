"""Hearing what an agent writes, without letting it fill our memory."""

import time
from collections import deque
from threading import Lock, Thread
from typing import IO

PIECE = 1 << 16
HEAD_BYTES, TAIL_BYTES = 8 << 20, 1 << 20
"""What is kept of each stream: its beginning and its end."""
FLOOD_BYTES = 256 << 20
"""An agent that writes more is ended."""
GAP = "\n[… {:,} bytes …]\n"
END_S = 2.0


class Ear:
    """Reads a stream to its end, in a thread of its own.

    Attributes:
        last: When something was heard last, by the monotonic clock.
        size: How many bytes were heard.
    """

    def __init__(self, stream: IO[bytes]) -> None:
        self.last = time.monotonic()
        self.size = 0
        self._stream = stream
        self._head = bytearray()
        self._tail: deque[bytes] = deque()
        self._kept = 0
        self._lock = Lock()
        self._thread = Thread(target=self._listen, name="ear", daemon=True)
        self._thread.start()

    def _listen(self) -> None:
        try:
            while piece := self._stream.read1(PIECE):  # type: ignore[attr-defined] # of buffered streams
                self._keep(piece)
        except (OSError, ValueError):
            return  # it was closed from here

    def _keep(self, piece: bytes) -> None:
        with self._lock:
            self.last = time.monotonic()
            self.size += len(piece)
            room = HEAD_BYTES - len(self._head)
            self._head += piece[:room]
            rest = piece[room:]
            if rest:
                self._tail.append(rest)
                self._kept += len(rest)
            while self._kept - len(self._tail[0]) >= TAIL_BYTES if self._tail else False:
                self._kept -= len(self._tail.popleft())

    def text(self) -> str:
        """Give what was heard: all of it, or its beginning and its end."""
        self._thread.join(END_S)
        with self._lock:
            head, tail = bytes(self._head), b"".join(self._tail)
            lost = self.size - len(head) - len(tail)
        gap = GAP.format(lost) if lost else ""
        return head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")
