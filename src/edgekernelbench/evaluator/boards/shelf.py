"""Files of a session on the board: laid out of pieces that are here already, and of those that come."""

import os
from collections.abc import Sequence
from pathlib import Path

from edgekernelbench.evaluator.boards.pieces import PieceStore, offsets, opened, write
from edgekernelbench.evaluator.boards.wire import Bytes, Fields, Room

MOST_KEPT_BYTES = 256 << 20
SHARE_OF_MEMORY = 8
"""Pieces take at most this part of a board's memory."""

Place = tuple[Path, int]
"""A file, and where in it."""


class Shelf:
    """Lays files, and gives pieces of them.

    Attributes:
        store: Pieces that came.
    """

    def __init__(self, memory_bytes: int) -> None:
        """Keep no piece yet.

        Args:
            memory_bytes: Memory of the board.
        """
        self.store = PieceStore(min(MOST_KEPT_BYTES, memory_bytes // SHARE_OF_MEMORY))
        self._awaited: dict[str, list[Place]] = {}
        self._room = Room()

    @property
    def is_whole(self) -> bool:
        """Whether all pieces of what was laid last have come."""
        return not self._awaited

    def lay(self, folder: Path, files: Sequence[Fields]) -> list[str]:
        """Make files of the pieces that are here.

        Args:
            folder: A new one.
            files: Name, and `sizes` and `digests` of the pieces, of each.

        Returns:
            Names of the pieces that are not here, each once.

        Raises:
            OSError: When there is no room.
        """
        self._awaited = {}
        for file in files:
            path = folder / Path(file["name"]).name
            with opened(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL) as handle:
                for name, place in zip(file["digests"], offsets(file["sizes"]), strict=True):
                    piece = self.store.get(name)
                    if piece is None:
                        self._awaited.setdefault(name, []).append((path, place))
                    else:
                        write(handle, piece, place)
        return list(self._awaited)

    def fill(self, sizes: Sequence[int], load: Bytes) -> None:
        """Take pieces that were not here, and put each where it belongs; others are kept only."""
        view = memoryview(load)
        for size, start in zip(sizes, offsets(sizes), strict=True):
            piece = view[start : start + size]
            for path, place in self._awaited.pop(self.store.add(piece), ()):
                with opened(path, os.O_WRONLY) as handle:
                    write(handle, piece, place)

    def fetch(self, folder: Path, wanted: Sequence[tuple[str, int, int]]) -> list[memoryview]:
        """Read pieces of files; what cannot be read is zeros, which no judge takes for an answer.

        Args:
            folder: Where they are.
            wanted: Name of a file, where in it, and how much, of each.

        Returns:
            The pieces; they last until the next call.
        """
        sizes = [size for _, _, size in wanted]
        room = self._room.take(sum(sizes))
        found = [room[start : start + size] for start, size in zip(offsets(sizes), sizes, strict=True)]
        for (name, place, _), piece in zip(wanted, found, strict=True):
            read = _read(folder / Path(name).name, piece, place)
            piece[read:] = bytes(len(piece) - read)
        return found


def _read(path: Path, piece: memoryview, place: int) -> int:
    try:
        with opened(path, os.O_RDONLY) as handle:
            return os.preadv(handle, [piece], place)
    except OSError:
        return 0
