"""Files on a board: laid of what is there and of what comes."""

import os
from pathlib import Path
from typing import Any

import pytest

from edgekernelbench.evaluator.boards.pieces import digest
from edgekernelbench.evaluator.boards.shelf import Shelf

ONE, OTHER = b"1" * 100, b"2" * 60


def manifest(name: str, *pieces: bytes) -> dict[str, Any]:
    return {"name": name, "sizes": list(map(len, pieces)), "digests": list(map(digest, pieces))}


def test_each_missing_piece_is_asked_for_once_and_put_wherever_it_belongs(tmp_path: Path) -> None:
    shelf = Shelf(1 << 30)
    missing = shelf.lay(tmp_path, [manifest("a", ONE, OTHER, ONE), manifest("b", OTHER)])

    assert missing == [digest(ONE), digest(OTHER)]
    before = shelf.is_whole
    shelf.fill([100, 60], ONE + OTHER)
    assert (before, shelf.is_whole) == (False, True)
    assert (tmp_path / "a").read_bytes() == ONE + OTHER + ONE
    assert (tmp_path / "b").read_bytes() == OTHER


def test_what_came_once_is_not_asked_for_again(tmp_path: Path) -> None:
    shelf = Shelf(1 << 30)
    shelf.lay(tmp_path, [manifest("a", ONE)])
    shelf.fill([100], ONE)

    assert shelf.lay(tmp_path, [manifest("b", ONE, OTHER)]) == [digest(OTHER)]
    shelf.fill([60], OTHER)
    assert (tmp_path / "b").read_bytes() == ONE + OTHER


def test_other_bytes_than_were_named_leave_a_file_unfinished(tmp_path: Path) -> None:
    shelf = Shelf(1 << 30)
    shelf.lay(tmp_path, [manifest("a", ONE)])
    shelf.fill([100], b"3" * 100)

    assert not shelf.is_whole


def test_a_file_that_is_there_is_not_laid_over(tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(FileExistsError):
        Shelf(1 << 30).lay(tmp_path, [manifest("a", ONE)])
    assert not (tmp_path / "elsewhere").exists()


def test_files_are_in_their_folder_whatever_they_are_called(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    Shelf(1 << 30).lay(folder, [manifest("../a", ONE)])

    assert (folder / "a").exists()
    assert not (tmp_path / "a").exists()


def test_pieces_are_read_and_what_cannot_be_is_zeros(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(ONE)
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    wanted = [("a", 98, 4), ("a", 0, 1), ("link", 0, 2), ("pipe", 0, 2), ("nothing", 0, 2)]

    assert Shelf(1 << 30).fetch(tmp_path, wanted) == [b"11\0\0", b"1", b"\0\0", b"\0\0", b"\0\0"]
