"""What the two sides of a cell say to each other: lines of JSON on a socket."""

import base64
import json
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

USER = 1000
"""The agent's user and group inside; outside they are nobody, or whoever started the run."""
MAX_LINE_BYTES = 64 << 20
RECEIVED_BYTES = 1 << 16


@dataclass(frozen=True, slots=True)
class Bind:
    """A file or folder of this machine that the agent sees.

    Attributes:
        source: Where it is.
        target: Where the agent sees it.
        device: Whether it is a device, which may be written to.
    """

    source: str
    target: str
    device: bool = False


@dataclass(frozen=True, slots=True)
class Place:
    """Where an agent works.

    Attributes:
        confined: Whether it sees only what is listed here; else it sees this machine.
        binds: What it sees of this machine, parents first.
        empty: Folders of this machine that it sees empty, though they lie in what it sees.
        baits: Files put where it has no business, to see whether it reads them.
        links: Symbolic links, target by name.
        files: Small files that exist for it alone, by path.
        rooms: Folders that it may write to, each with its limit in bytes.
        doors: How many listening sockets it finds on its loopback.
    """

    confined: bool
    binds: tuple[Bind, ...] = ()
    empty: tuple[str, ...] = ()
    baits: tuple[Bind, ...] = ()
    links: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    rooms: Mapping[str, int] = field(default_factory=dict)
    doors: int = 0


@dataclass(frozen=True, slots=True)
class Work:
    """What is started there.

    Attributes:
        command: Its words.
        environment: All of its environment.
        folder: Its working folder.
        files: Files that it finds, by path; those that start with `#!` can be run.
        file_bytes: The largest file that it can write.
        processes: How many processes it can have.
        collect: Patterns of files that are handed out when it has ended.
        collect_bytes: At most so much of them.
    """

    command: tuple[str, ...]
    environment: Mapping[str, str]
    folder: str
    files: Mapping[str, str] = field(default_factory=dict)
    file_bytes: int = 1 << 30
    processes: int = 1024
    collect: tuple[str, ...] = ()
    collect_bytes: int = 16 << 20


def send(channel: socket.socket, message: Mapping[str, object], descriptors: tuple[int, ...] = ()) -> None:
    """Say one thing; descriptors go with its first byte.

    Raises:
        OSError: When the other side is gone.
    """
    data = json.dumps(message).encode() + b"\n"
    sent = socket.send_fds(channel, [data], list(descriptors)) if descriptors else 0
    channel.sendall(data[sent:])


class Listener:
    """Hears what the other side says."""

    def __init__(self, channel: socket.socket) -> None:
        self.channel = channel
        self.descriptors: list[int] = []
        self._pending = b""

    @property
    def holds_one(self) -> bool:
        """Whether a whole message was received with the one before."""
        return b"\n" in self._pending

    def hear(self) -> dict[str, Any] | None:
        """Wait for one message.

        Returns:
            The message; None when the other side is gone, or says what is none.
        """
        parts = [self._pending]
        size = len(self._pending)
        while b"\n" not in parts[-1]:
            try:
                data, found, _, _ = socket.recv_fds(self.channel, RECEIVED_BYTES, 16)
            except OSError:
                return None
            self.descriptors += found
            size += len(data)
            if not data or size > MAX_LINE_BYTES:
                return None
            parts.append(data)
        line, _, self._pending = b"".join(parts).partition(b"\n")
        try:
            message = json.loads(line)
        except (ValueError, RecursionError):
            return None
        return message if isinstance(message, dict) else None


def place_from(row: Mapping[str, Any]) -> Place:
    """Read a place back."""
    binds, baits = (tuple(Bind(**bind) for bind in row[name]) for name in ("binds", "baits"))
    return Place(**{**row, "binds": binds, "baits": baits, "empty": tuple(row["empty"])})


def work_from(row: Mapping[str, Any]) -> Work:
    """Read an order of work back."""
    return Work(**{**row, "command": tuple(row["command"]), "collect": tuple(row["collect"])})


def as_json(order: Place | Work) -> dict[str, Any]:
    """Give an order as plain values."""
    return asdict(order)


def packed(data: bytes) -> str:
    """Write bytes as text."""
    return base64.b64encode(data).decode("ascii")


def unpacked(text: str) -> bytes:
    """Read them back.

    Raises:
        ValueError: When the text is no such thing.
    """
    return base64.b64decode(text, validate=True)
