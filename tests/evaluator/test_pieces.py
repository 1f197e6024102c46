"""Files in pieces: what is the same has one name, what is kept has a limit."""

import errno
import os
from pathlib import Path

import pytest

from edgekernelbench.evaluator.boards.pieces import (
    PIECE_BYTES,
    PieceStore,
    cut,
    cut_sheet,
    digest,
    offsets,
    write,
)
from edgekernelbench.evaluator.sheets import GUARD_BYTES, plan_layout
from edgekernelbench.ir.dtype import DType

ROOM = 1 << 24


def test_a_file_is_its_pieces(tmp_path: Path) -> None:
    data = os.urandom(2 * PIECE_BYTES + 7)
    (tmp_path / "file").write_bytes(data)
    sizes = cut(len(data))

    assert sizes == [PIECE_BYTES, PIECE_BYTES, 7]
    assert offsets(sizes) == [0, PIECE_BYTES, 2 * PIECE_BYTES]
    assert PieceStore(ROOM).names(tmp_path / "file", sizes) == [
        digest(data[place : place + size]) for place, size in zip(offsets(sizes), sizes, strict=True)
    ]


def test_a_sheet_is_cut_where_buffers_begin_and_end() -> None:
    layout = plan_layout([(DType.F32, (3,))], [(DType.F32, (PIECE_BYTES,))])
    sizes = cut_sheet(layout)

    assert sum(sizes) == layout.size
    assert max(sizes) == PIECE_BYTES
    edges = {0, *offsets(sizes)}
    for slot in (*layout.params, *layout.first, *layout.again):
        assert {slot.offset, slot.offset + slot.nbytes} <= edges
    assert sizes[:2] == [GUARD_BYTES, 12]


def test_pieces_that_are_known_get_the_name_that_their_digest_gives(tmp_path: Path) -> None:
    one, other = os.urandom(1000), os.urandom(1000)
    near = one[:500] + b"x" + one[501:]
    parts = [one, other, near, other, one]
    (tmp_path / "file").write_bytes(b"".join(parts))
    store = PieceStore(ROOM)
    store.add(one)

    assert store.names(tmp_path / "file", [1000] * 5) == [digest(part) for part in parts]


@pytest.mark.parametrize("sizes", [[4], [4, 4, 4], []])
def test_a_file_of_another_size_has_no_names(tmp_path: Path, sizes: list[int]) -> None:
    (tmp_path / "file").write_bytes(bytes(8))
    assert PieceStore(ROOM).names(tmp_path / "file", sizes) is None


def test_neither_a_pipe_nor_a_link_nor_nothing_is_a_file(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "target").write_bytes(bytes(8))
    (tmp_path / "link").symlink_to(tmp_path / "target")
    store = PieceStore(ROOM)

    assert [store.names(tmp_path / name, [8]) for name in ("pipe", "link", "nothing")] == [None] * 3
    assert store.names(tmp_path / "target", [8]) is not None


def test_the_oldest_pieces_go_when_there_is_no_room(tmp_path: Path) -> None:
    store = PieceStore(100)
    first, second, third = (bytes([n]) * 40 for n in range(3))
    for piece in (first, second, first, third):
        store.add(piece)
    (tmp_path / "file").write_bytes(first + second)

    assert store.get(digest(first)) == first
    assert store.get(digest(second)) is None
    assert store.get(digest(third)) == third
    assert store.names(tmp_path / "file", [40, 40]) == [digest(first), digest(second)]


def test_what_is_compared_is_not_the_next_to_go(tmp_path: Path) -> None:
    store = PieceStore(100)
    first, second, third = (bytes([n]) * 40 for n in range(3))
    (tmp_path / "file").write_bytes(first)
    for piece in (first, second):
        store.add(piece)
    store.names(tmp_path / "file", [40])
    store.add(third)

    assert store.get(digest(first)) == first
    assert store.get(digest(second)) is None


def test_a_full_disk_is_told() -> None:
    handle = os.open("/dev/full", os.O_WRONLY)
    try:
        with pytest.raises(OSError, match="No space left") as caught:
            write(handle, b"a piece", 0)
    finally:
        os.close(handle)
    assert caught.value.errno == errno.ENOSPC
