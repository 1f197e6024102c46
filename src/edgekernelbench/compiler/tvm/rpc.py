"""TVM's RPC, as far as boards need it: a tracker, a server with functions of ours, a session.

The protocol knows no passwords: who reaches a server can do there what its user can.
"""

import json
import logging
import socket
import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, Self

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import import_tvm

REMEDY = "pip install 'edgekernelbench[boards]'"

TRACKER_MAGIC, REQUEST, SUMMARY = 0x2F271, 4, 6
"""How a conversation with TVM's tracker begins, and the questions for a board and for all that it knows."""

ANY_ADDRESS = ("0.0.0.0", "::", "")  # noqa: S104 - listened on where the command line says so

_WORD = struct.Struct("<i")

KEEPALIVE = ((socket.TCP_KEEPIDLE, 30), (socket.TCP_KEEPINTVL, 10), (socket.TCP_KEEPCNT, 3))
"""A host that vanished is noticed after a minute, and the board is free again."""


def _rpc() -> Any:
    import_tvm()
    try:
        from tvm import rpc  # noqa: PLC0415
        from tvm.rpc import server  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError(f"TVM's RPC cannot be imported ({error})", REMEDY) from error
    server.logger.setLevel(logging.ERROR)
    return rpc


class Reader(Protocol):
    """What bytes are read from."""

    def read(self, size: int, /) -> bytes:
        """Give so many bytes, fewer at the end."""
        ...


@dataclass(frozen=True, slots=True)
class Queue:
    """What a tracker knows of boards of one kind.

    Attributes:
        boards: Addresses of those that are registered.
        free: How many of them nobody has.
        waiting: How many requests wait.
    """

    boards: tuple[str, ...]
    free: int
    waiting: int


class Listener:
    """A server or a tracker of this process, at work in a thread.

    Attributes:
        port: Where it listens.
        socket: What a server listens on; a session, which is forked from here, has it too.
    """

    def __init__(self, state: Any) -> None:
        self.port: int = state.port
        self.socket: socket.socket | None = getattr(state, "sock", None)
        self._thread = state.thread

    def join(self) -> None:
        """Wait until it ends, which it does only when it is broken."""
        self._thread.join()


def start_tracker(host: str, port: int) -> Listener:
    """Start a tracker.

    Raises:
        PrerequisiteError: When what it needs is not installed.
        OSError: When the port cannot be had.
    """
    _rpc()
    try:
        from tvm.rpc import tracker  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError(f"TVM's tracker cannot be imported ({error})", REMEDY) from error
    port = port or free_port(host)
    return Listener(_listening(tracker.PopenTrackerServerState, host, port, silent=True))


def start_server(
    host: str, port: int, *, tracker: tuple[str, int], key: str, functions: Mapping[str, Callable[..., Any]]
) -> Listener:
    """Start a server that is registered with a tracker.

    Args:
        host: The address to listen on.
        port: The port; 0 for any that is free.
        tracker: Where the tracker is.
        key: The kind of board.
        functions: What a session can call, by name: of texts, numbers and bytes.

    Raises:
        PrerequisiteError: When what it needs is not installed.
        OSError: When the port cannot be had.
    """
    _rpc()
    import tvm_ffi  # noqa: PLC0415
    from tvm.rpc import server  # noqa: PLC0415

    for name, function in functions.items():
        tvm_ffi.register_global_func(name, function, override=True)
    port = port or free_port(host)
    state = _listening(
        server.PopenRPCServerState,
        host,
        port,
        tracker_addr=tracker,
        key=key,
        custom_addr=told_address(host),
        silent=True,
    )
    # Connections inherit what is set on the socket that accepts them.
    state.sock.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in KEEPALIVE:
        state.sock.setsockopt(socket.IPPROTO_TCP, option, value)
    return Listener(state)


def told_address(host: str) -> str | None:
    """Say under which address a server is registered that listens on one; None for where it is seen from."""
    return None if host in ANY_ADDRESS else host


def _listening(make: Any, host: str, port: int, **more: Any) -> Any:
    try:
        return make(host, port, port + 1, **more)
    except ValueError:
        raise OSError(f"port {port} of {host} is taken; name another one with --port") from None


def free_port(host: str) -> int:
    """Find a port that nobody listens on."""
    with socket.socket(socket.AF_INET6 if ":" in host else socket.AF_INET) as probe:
        probe.bind((host, 0))
        return int(probe.getsockname()[1])


def ask_tracker(host: str, port: int, patience_s: float = 5.0) -> dict[str, Queue]:
    """Ask a tracker which boards it knows; TVM is not needed for it.

    Returns:
        What it knows, by kind.

    Raises:
        PrerequisiteError: When no tracker answers there.
    """
    try:
        known = _ask(host, port, [SUMMARY], patience_s)[1]
    except (OSError, ValueError) as error:
        raise PrerequisiteError(
            f"no tracker answers at {host}:{port} ({error})", "start one with `ekb device tracker`"
        ) from error
    found: dict[str, list[str]] = {}
    for one in known["server_info"]:
        found.setdefault(one["key"].partition(":")[2], []).append(":".join(map(str, one["addr"])))
    queues = known["queue_info"]
    nothing = {"free": 0, "pending": 0}
    return {
        key: Queue(tuple(sorted(found.get(key, ()))), **_counts(queues.get(key, nothing)))
        for key in sorted({*found, *queues})
    }


def _counts(queue: Mapping[str, int]) -> dict[str, int]:
    return {"free": queue["free"], "waiting": queue["pending"]}


def _ask(host: str, port: int, question: list[object], patience_s: float | None) -> list[Any]:
    """Ask a tracker one thing; None waits as long as it takes."""
    with (
        socket.create_connection((host, port), timeout=patience_s) as channel,
        channel.makefile("rwb") as data,
    ):
        data.write(_WORD.pack(TRACKER_MAGIC))
        data.flush()
        if _word(data) != TRACKER_MAGIC:
            raise ValueError("what answers is no tracker")
        text = json.dumps(question).encode()
        data.write(_WORD.pack(len(text)) + text)
        data.flush()
        answer: list[Any] = json.loads(data.read(_word(data)))
        return answer


def _word(data: Reader) -> int:
    read = data.read(_WORD.size)
    if len(read) < _WORD.size:
        raise ValueError("it hung up")
    return int(_WORD.unpack(read)[0])


class Session:
    """A session with one board, which nobody else has meanwhile.

    Attributes:
        address: Host and port at which the board was reached.
    """

    def __init__(self, session: Any, address: tuple[str, int]) -> None:
        self._session = session
        self._functions: dict[str, Any] = {}
        self.address = address

    @classmethod
    def request(cls, host: str, port: int, key: str) -> Self:
        """Wait in the tracker's queue for a board.

        Raises:
            OSError: When the tracker or the board cannot be reached.
        """
        rpc = _rpc()
        try:
            status, (there, at, match) = _ask(host, port, [REQUEST, key, "", 1], None)
            if status:
                raise OSError(f"the tracker refuses a board {key}")
            return cls(rpc.connect(there, at, match), (there, at))
        except (RuntimeError, ValueError) as error:
            raise OSError(_last_line(error)) from error

    def has(self, name: str) -> bool:
        """Whether the board has a function."""
        try:
            self._functions[name] = self._session.get_function(name)
        except (RuntimeError, AttributeError, ValueError):
            return False
        return True

    def call(self, name: str, *args: Any) -> Any:
        """Call a function of the board.

        Raises:
            OSError: When it fails, or the board is gone.
        """
        try:
            if name not in self._functions:
                self._functions[name] = self._session.get_function(name)
            return self._functions[name](*args)
        except (RuntimeError, ValueError, TypeError, AttributeError) as error:
            raise OSError(_last_line(error)) from error


def _last_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return text[-1] if text else type(error).__name__
