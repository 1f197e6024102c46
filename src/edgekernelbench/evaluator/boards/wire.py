"""What host and board say to each other: frames, each answered by one.

```text
judge ── frames ───────────────────────────────▶ session on the board ── fork server ──▶ worker
  └──── frames ──▶ courier ── TVM's RPC ────────▶      (where the first way is barred)
```
A frame is JSON, and bytes of files behind it. TVM's RPC opens a session and carries 20 to 50 MB a second; so
the judge makes a second connection to the port of that same server, which the session accepts (`channel.py`).
The courier, a process of its own, keeps TVM's session: a board that says nothing any more is left behind by
ending it.
"""

import json
import select
import socket
import struct
import time
from collections.abc import Sequence
from typing import Any

from edgekernelbench.base.errors import EkbError
from edgekernelbench.evaluator.supervisor import ServerLost

FRAME = "edgekernelbench.frame/2"
"""Name under which a board's answers to frames are registered with TVM."""

MOST_JSON_BYTES = 8 << 20
MOST_LOAD_BYTES = 4 << 20
"""Bytes of files in one frame; more of them take several."""

_HEAD = struct.Struct("<II")

Fields = dict[str, Any]
Bytes = bytes | bytearray | memoryview


class BoardLost(ServerLost):
    """A board does not answer any more: nothing is known of the kernel that was on it."""


class FrameError(EkbError):
    """What was received is no frame, or one beyond the limits."""


class Room:
    """Memory that is used again and again: fresh memory costs more than what is done with it."""

    def __init__(self) -> None:
        """Take none yet."""
        self._bytes = bytearray()

    def take(self, size: int) -> memoryview:
        """Give so many bytes, which are the taker's until the next call."""
        if len(self._bytes) < size:
            self._bytes = bytearray(size)
        return memoryview(self._bytes)[:size]


def parts(fields: Fields, load: Sequence[Bytes] = ()) -> list[Bytes]:
    """Write a frame, in parts that are sent one after another.

    Args:
        fields: What is said.
        load: Bytes behind it, in pieces.
    """
    text = json.dumps(fields).encode()
    return [_HEAD.pack(len(text), sum(map(len, load))) + text, *load]


def encode(fields: Fields, load: Sequence[Bytes] = ()) -> bytes:
    """Write a frame in one."""
    return b"".join(parts(fields, load))


def decode(frame: Bytes) -> tuple[Fields, memoryview]:
    """Read a whole frame.

    Raises:
        FrameError: When it is none.
    """
    view = memoryview(frame)
    if len(view) < _HEAD.size:
        raise FrameError(f"expected a frame, found {len(view)} bytes")
    text, load = sizes(view[: _HEAD.size])
    if len(view) != _HEAD.size + text + load:
        raise FrameError(f"expected a frame of {_HEAD.size + text + load} bytes, found {len(view)}")
    try:
        fields = json.loads(bytes(view[_HEAD.size : _HEAD.size + text]))
    except (ValueError, RecursionError) as error:
        raise FrameError("expected JSON in a frame") from error
    if not isinstance(fields, dict):
        raise FrameError("expected a JSON object in a frame")
    return fields, view[_HEAD.size + text :]


def sizes(head: Bytes) -> tuple[int, int]:
    """Read from the head of a frame how long its text and its load are.

    Raises:
        FrameError: When it is longer than frames may be.
    """
    text, load = _HEAD.unpack(head)
    if text > MOST_JSON_BYTES or load > MOST_LOAD_BYTES:
        limits = f"{MOST_JSON_BYTES} bytes of JSON and {MOST_LOAD_BYTES} of files"
        raise FrameError(f"expected a frame of at most {limits}, found {text} and {load}")
    return text, load


def receive(
    channel: socket.socket, until: float | None = None, room: Room | None = None
) -> memoryview | None:
    """Take a frame from a connection.

    Args:
        channel: The connection.
        until: The latest moment, on the monotonic clock; None waits as long as it takes.
        room: Where it is put; None for memory of its own.

    Returns:
        The frame as it came; None when the other side closed the connection between two frames.

    Raises:
        OSError: When the connection breaks, or the moment passes.
        FrameError: When it is longer than frames may be.
    """
    head = bytearray(_HEAD.size)
    got = _fill(channel, memoryview(head), until)
    if got == 0:
        return None
    frame = (room or Room()).take(_HEAD.size + (sum(sizes(head)) if got == _HEAD.size else 0))
    frame[: _HEAD.size] = head
    got += _fill(channel, frame[got:], until) if got == _HEAD.size else 0
    if got < len(frame):
        raise ConnectionError("the connection was closed in the middle of a frame")
    return frame


def _fill(channel: socket.socket, place: memoryview, until: float | None) -> int:
    got = 0
    while got < len(place):
        if until is not None and not waits(channel, until):
            raise TimeoutError("it gave no answer in time")
        size = channel.recv_into(place[got:])
        if not size:
            break
        got += size
    return got


def waits(channel: socket.socket, until: float) -> bool:
    """Wait for something to be received, or accepted; gives whether there is."""
    watched = select.poll()
    watched.register(channel, select.POLLIN)
    return bool(watched.poll(max(0.0, until - time.monotonic()) * 1000))
