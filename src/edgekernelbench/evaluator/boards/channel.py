"""The second connection to a board: the session accepts it where its server listens, and answers there.

While TVM's server waits for the session that it forked, nobody accepts connections to its port; the session
can, since it inherited the socket. So there is no second port to open, to forward or to guard. Whoever
connects proves with a token, which went through the session, that it is the same host.
"""

import hmac
import secrets
import socket
import time
from collections.abc import Callable, Sequence

from edgekernelbench.evaluator.boards.wire import Bytes, FrameError, Room, receive, waits

GREETING = b"EKB2"
"""No number that begins a conversation of TVM's: its server hangs up on it."""
TOKEN_BYTES = 32
WELCOME = b"welcome!"

ACCEPT_S = 5.0
"""How long a session waits for its host; then it goes on by TVM's RPC."""
GREET_S = 2.0
"""How long who connected may take to give the token."""

Answerer = Callable[[Bytes], Sequence[Bytes]]
"""Gives a frame, in parts, for a frame."""


def new_token() -> bytes:
    """Make what nobody can guess."""
    return secrets.token_bytes(TOKEN_BYTES)


def accept(listening: socket.socket, token: bytes, patience_s: float = ACCEPT_S) -> socket.socket | None:
    """Wait for the host; who gives another token is hung up on.

    Args:
        listening: Where it will connect.
        token: What it will give.
        patience_s: How long to wait.

    Returns:
        The connection; None when the host did not come.
    """
    until = time.monotonic() + patience_s
    while waits(listening, until):
        channel, _ = listening.accept()
        channel.settimeout(GREET_S)
        try:
            given = _exactly(channel, len(GREETING) + TOKEN_BYTES)
            if hmac.compare_digest(given, GREETING + token):
                channel.sendall(WELCOME)
                channel.settimeout(None)
                channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                return channel
        except OSError:
            pass  # it hung up, or had nothing to say
        channel.close()
    return None


def connect(address: tuple[str, int], token: bytes, patience_s: float = ACCEPT_S) -> socket.socket | None:
    """Connect to a session on a board.

    Args:
        address: Where its server was reached.
        token: What the session gave.
        patience_s: How long to wait for its welcome.

    Returns:
        The connection; None when there is none to be had.
    """
    try:
        channel = socket.create_connection(address, timeout=patience_s)
    except OSError:
        return None
    try:
        channel.sendall(GREETING + token)
        if _exactly(channel, len(WELCOME)) == WELCOME:
            channel.settimeout(None)
            channel.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return channel
    except OSError:
        pass
    channel.close()
    return None


def _exactly(channel: socket.socket, size: int) -> bytes:
    got = b""
    while len(got) < size:
        data = channel.recv(size - len(got))
        if not data:
            raise ConnectionError("it hung up")
        got += data
    return got


def attend(channel: socket.socket, answer: Answerer) -> None:
    """Answer frames until the host closes the connection, or sends what is none."""
    with channel:
        try:
            room = Room()
            while (frame := receive(channel, room=room)) is not None:
                for part in answer(frame):
                    channel.sendall(part)
        except (OSError, FrameError):
            return  # the host is gone, or not to be understood: its session ends with this connection
