"""Files in blocks: what is the same is not sent, what is kept has a limit."""

import os
from pathlib import Path

import pytest

from edgekernelbench.evaluator.boards.blocks import BLOCK_BYTES, BlockStore, blocks, digest, digests


def test_a_file_is_its_blocks(tmp_path: Path) -> None:
    data = os.urandom(2 * BLOCK_BYTES + 7)
    (tmp_path / "sheet").write_bytes(data)

    assert b"".join(blocks(tmp_path / "sheet")) == data
    assert [len(block) for block in blocks(tmp_path / "sheet")] == [BLOCK_BYTES, BLOCK_BYTES, 7]


def test_one_byte_changes_one_digest(tmp_path: Path) -> None:
    path = tmp_path / "sheet"
    path.write_bytes(bytes(3 * BLOCK_BYTES))
    before = digests(path)
    with path.open("r+b") as stream:
        stream.seek(BLOCK_BYTES + 1)
        stream.write(b"x")

    changed = [n for n, pair in enumerate(zip(before, digests(path), strict=True)) if pair[0] != pair[1]]
    assert changed == [1]


def test_a_pipe_in_place_of_a_file_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "sheet")
    assert digests(tmp_path / "sheet") == []


def test_a_link_in_place_of_a_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "sheet").symlink_to("/etc/hostname")
    with pytest.raises(OSError, match="symbolic links"):
        digests(tmp_path / "sheet")


def test_the_oldest_blocks_go_when_there_is_no_room() -> None:
    store = BlockStore(memory_bytes=8 * 100)
    first, second, third = (bytes([n]) * 40 for n in range(3))
    for block in (first, second, first, third):
        store.add(block)

    assert store.get(digest(first)) == first
    assert store.get(digest(second)) is None
    assert store.get(digest(third)) == third
