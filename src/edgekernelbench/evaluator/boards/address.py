"""How a device is named on a command line, and what a board has to be called."""

import re
from dataclasses import dataclass

from edgekernelbench.base.errors import CatalogueError

PREFIX = "rpc:"
LOOPBACK = "127.0.0.1"
TRACKER_PORT = 9190
"""TVM's own default."""

_FORM = re.compile(
    r"rpc:(?P<key>[A-Za-z0-9][\w.-]*)(?:@(?P<host>[^@:\s]+|\[[^\]]+\])(?::(?P<port>\d{1,5}))?)?"
)


@dataclass(frozen=True, slots=True)
class BoardAddress:
    """Where boards of one kind are asked for.

    Attributes:
        key: The kind, as boards are registered.
        host: Where the tracker is.
        port: Its port.
    """

    key: str
    host: str = LOOPBACK
    port: int = TRACKER_PORT

    def __str__(self) -> str:
        place = "" if (self.host, self.port) == (LOOPBACK, TRACKER_PORT) else f"@{self.host}:{self.port}"
        return f"{PREFIX}{self.key}{place}"

    @property
    def tracker(self) -> str:
        """Name the tracker."""
        return f"{self.host}:{self.port}"


def is_board(device: str) -> bool:
    """Whether the name of a device means a board."""
    return device.startswith(PREFIX)


def parse_address(device: str) -> BoardAddress:
    """Read `rpc:KEY` or `rpc:KEY@HOST:PORT`.

    Raises:
        CatalogueError: When it is neither.
    """
    found = _FORM.fullmatch(device)
    port = int(found["port"] or TRACKER_PORT) if found else 0
    if found is None or not 0 < port < 65536:
        raise CatalogueError(f"expected rpc:KEY or rpc:KEY@HOST:PORT, found {device!r}")
    return BoardAddress(found["key"], found["host"] or LOOPBACK, port)


def parse_tracker(text: str) -> tuple[str, int]:
    """Read `HOST`, or `HOST:PORT`.

    Raises:
        CatalogueError: When it is neither.
    """
    host, _, port = text.partition(":")
    if not host or (port and not (port.isdecimal() and 0 < int(port) < 65536)):
        raise CatalogueError(f"expected HOST or HOST:PORT, found {text!r}")
    return host, int(port or TRACKER_PORT)
