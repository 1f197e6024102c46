"""Frames: what is written is read again, and what is too long is not taken."""

import socket
import struct
import threading
import time

import pytest

from edgekernelbench.evaluator.boards.wire import (
    MOST_JSON_BYTES,
    MOST_LOAD_BYTES,
    FrameError,
    decode,
    encode,
    receive,
)


def test_a_frame_is_read_as_it_was_written() -> None:
    fields, load = decode(encode({"do": "lay", "sizes": [1, 2]}, [b"abc", memoryview(b"de")]))

    assert fields == {"do": "lay", "sizes": [1, 2]}
    assert bytes(load) == b"abcde"


@pytest.mark.parametrize(
    "frame",
    [
        b"",
        b"1234567",
        encode({"do": "lay"})[:-1],
        encode({"do": "lay"}) + b"x",
        struct.pack("<II", 1, 0) + b"{",
        struct.pack("<II", 2, 0) + b"[]",
        struct.pack("<II", MOST_JSON_BYTES + 1, 0),
        struct.pack("<II", 2, MOST_LOAD_BYTES + 1) + b"{}",
    ],
)
def test_what_is_no_frame_is_refused(frame: bytes) -> None:
    with pytest.raises(FrameError):
        decode(frame)


@pytest.mark.parametrize(
    "lengths", [(MOST_JSON_BYTES + 1, 0), (2, MOST_LOAD_BYTES + 1), (2**32 - 1, 2**32 - 1)]
)
def test_what_is_too_long_is_not_waited_for(lengths: tuple[int, int]) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(struct.pack("<II", *lengths))
        with pytest.raises(FrameError, match="at most"):
            receive(ours)


def test_frames_come_whole_however_they_are_cut() -> None:
    frame = encode({"do": "fill"}, [bytes(range(256)) * 4000])
    ours, theirs = socket.socketpair()
    with ours, theirs:

        def send() -> None:
            for start in range(0, len(frame), 99_991):
                theirs.sendall(frame[start : start + 99_991])

        sender = threading.Thread(target=send)
        sender.start()
        assert bytes(receive(ours, time.monotonic() + 30) or b"") == frame
        sender.join()


def test_a_connection_may_end_between_frames_and_not_within_one() -> None:
    for sent in (b"", encode({"do": "fill"}, [b"1234"])[:-1], b"\1\0"):
        ours, theirs = socket.socketpair()
        with ours:
            with theirs:
                theirs.sendall(sent)
            if sent:
                with pytest.raises(ConnectionError, match="middle of a frame"):
                    receive(ours)
            else:
                assert receive(ours) is None


def test_who_says_nothing_is_not_waited_for_longer_than_was_said() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(b"\1")
        with pytest.raises(TimeoutError, match="no answer in time"):
            receive(ours, time.monotonic() + 0.05)
