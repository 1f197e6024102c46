"""Server-sent events as they come: whole ones, with their bytes and what they say."""

import re
from dataclasses import dataclass

END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
"""What ends an event."""


@dataclass(frozen=True, slots=True)
class Event:
    """One event.

    Attributes:
        raw: Its bytes, with the blank line that ends it.
        data: What its `data:` lines say; empty for a comment.
    """

    raw: bytes
    data: str


class EventReader:
    """Cuts a stream of bytes into events."""

    def __init__(self) -> None:
        self._rest = b""

    def feed(self, piece: bytes) -> list[Event]:
        """Take a piece of the stream.

        Args:
            piece: Bytes as they came; an event may be spread over several pieces.

        Returns:
            The events that are whole now.
        """
        self._rest += piece
        events, start = [], 0
        for end in END.finditer(self._rest):
            raw = self._rest[start : end.end()]
            events.append(Event(raw, _data(raw)))
            start = end.end()
        self._rest = self._rest[start:]
        return events

    def rest(self) -> bytes:
        """Give what came after the last whole event."""
        return self._rest


def _data(raw: bytes) -> str:
    lines = raw.decode("utf-8", "replace").splitlines()
    said = [line.removeprefix("data:").removeprefix(" ") for line in lines if line.startswith("data:")]
    return "\n".join(said)
