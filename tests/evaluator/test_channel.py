"""The second connection: only who has the token gets it, and nothing that is sent ends more than it."""

import socket
import struct
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress

import pytest

from edgekernelbench.compiler.tvm.rpc import free_port
from edgekernelbench.evaluator.boards.channel import GREETING, TOKEN_BYTES, accept, attend, connect, new_token
from edgekernelbench.evaluator.boards.wire import Bytes, decode, encode, parts, receive

PATIENCE_S = 30.0


@contextmanager
def waiting(
    token: bytes, patience_s: float = PATIENCE_S
) -> Iterator[tuple[tuple[str, int], Future[socket.socket | None]]]:
    """Let a session wait for its host."""
    with socket.create_server(("127.0.0.1", 0)) as listening, ThreadPoolExecutor(1) as threads:
        yield listening.getsockname(), threads.submit(accept, listening, token, patience_s)


def end_sending(connection: socket.socket) -> None:
    with suppress(OSError):  # the other side may have hung up already
        connection.shutdown(socket.SHUT_WR)


def is_hung_up_on(connection: socket.socket) -> bool:
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_the_host_with_the_token_is_let_in() -> None:
    token = new_token()
    with waiting(token) as (address, accepted):
        host = connect(address, token, PATIENCE_S)
        board = accepted.result(PATIENCE_S)
        assert host is not None
        assert board is not None
        with host, board:
            host.sendall(b"word")
            assert board.recv(4) == b"word"


@pytest.mark.parametrize(
    "said",
    [
        pytest.param(GREETING + bytes(TOKEN_BYTES), id="another token"),
        pytest.param(struct.pack("<ii", 0xFF271, 20) + bytes(TOKEN_BYTES), id="a conversation of TVM"),
        pytest.param(b"", id="nothing, and hangs up"),
    ],
)
def test_others_are_hung_up_on_and_the_host_is_let_in_after_them(said: bytes) -> None:
    token = new_token()
    with waiting(token) as (address, accepted):
        with socket.create_connection(address, PATIENCE_S) as stranger:
            stranger.sendall(said)
            end_sending(stranger)
            assert is_hung_up_on(stranger)
        host = connect(address, token, PATIENCE_S)
        board = accepted.result(PATIENCE_S)
        assert host is not None
        assert board is not None
        host.close()
        board.close()


def test_a_host_that_does_not_come_is_not_waited_for_longer_than_was_said() -> None:
    with waiting(new_token(), patience_s=0.05) as (_, accepted):
        assert accepted.result(PATIENCE_S) is None


def test_where_nobody_listens_or_nobody_welcomes_there_is_no_connection() -> None:
    token = new_token()
    assert connect(("127.0.0.1", free_port("127.0.0.1")), token, PATIENCE_S) is None
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        assert connect(deaf.getsockname(), token, 0.05) is None


def echo(frame: Bytes) -> list[Bytes]:
    fields, load = decode(frame)
    return parts({"heard": fields["do"]}, [load])


@pytest.fixture
def attended() -> Iterator[tuple[socket.socket, Future[None]]]:
    ours, theirs = socket.socketpair()
    with ours, ThreadPoolExecutor(1) as threads:
        yield ours, threads.submit(attend, theirs, echo)
        ours.close()


def test_frames_are_answered_one_by_one(attended: tuple[socket.socket, Future[None]]) -> None:
    host, ended = attended
    for word in ("one", "other"):
        host.sendall(encode({"do": word}, [b"load"]))
        answer = receive(host)
        assert answer is not None
        fields, load = decode(answer)
        assert (fields, bytes(load)) == ({"heard": word}, b"load")
    host.close()
    ended.result(PATIENCE_S)


@pytest.mark.parametrize(
    "sent",
    [
        pytest.param(encode({"do": "fill"}, [bytes(100)])[:-50], id="half a frame"),
        pytest.param(struct.pack("<II", 2**32 - 1, 0), id="a frame without end"),
        pytest.param(struct.pack("<II", 3, 0) + b"no!", id="no JSON"),
    ],
)
def test_what_is_no_frame_ends_the_connection_and_no_more(
    attended: tuple[socket.socket, Future[None]], sent: bytes
) -> None:
    host, ended = attended
    host.sendall(sent)
    end_sending(host)

    assert is_hung_up_on(host)
    ended.result(PATIENCE_S)
