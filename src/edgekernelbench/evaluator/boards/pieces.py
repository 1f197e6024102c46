"""Files in pieces with digests, so that nothing travels twice.

A sheet is cut where its buffers begin and end. Parameters are the same from kernel to kernel, and so is the
poison of outputs; both runs of a kernel leave the same bytes; only the guards are new each time.
"""

import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np

from edgekernelbench.evaluator.sheets import Layout

PIECE_BYTES = 1 << 20
"""Longer buffers are cut into pieces of this size."""
SKETCH_BYTES = 64

Piece = bytes | bytearray | memoryview


def digest(data: Piece) -> str:
    """Name a piece by its contents; SHA-256 has instructions of its own on the CPUs of boards."""
    return hashlib.sha256(data).hexdigest()[:40]


def cut(size: int) -> list[int]:
    """Cut a file, or a buffer, into pieces; give their sizes."""
    whole, rest = divmod(size, PIECE_BYTES)
    return [PIECE_BYTES] * whole + ([rest] if rest else [])


def cut_sheet(layout: Layout) -> list[int]:
    """Cut a sheet into pieces of which each lies in one buffer or in one guard; give their sizes."""
    slots = (*layout.params, *layout.first, *layout.again)
    edges = [0, *(edge for slot in slots for edge in (slot.offset, slot.offset + slot.nbytes)), layout.size]
    return [size for start, end in pairwise(edges) for size in cut(end - start)]


def offsets(pieces: Sequence[int]) -> list[int]:
    """Say where each piece begins."""
    return [end - size for end, size in zip(accumulate(pieces), pieces, strict=True)]


@contextmanager
def opened(path: Path, flags: int) -> Iterator[int]:
    """Open a file; a link or a pipe that a worker put in its place is not followed, or waited for."""
    handle = os.open(path, flags | os.O_NOFOLLOW | os.O_NONBLOCK, 0o600)
    try:
        yield handle
    finally:
        os.close(handle)


def write(handle: int, data: Piece, place: int) -> None:
    """Write a piece whole.

    Raises:
        OSError: When there is no room for it.
    """
    left = memoryview(data)
    while left:
        left, place = left[(wrote := os.pwrite(handle, left, place)) :], place + wrote


Sketch = tuple[int, bytes, bytes]
"""Size and ends of a piece: those of equal pieces are equal."""


class PieceStore:
    """The most recent pieces that came by, in memory; names pieces of files. For one thread at a time."""

    def __init__(self, limit_bytes: int) -> None:
        """Keep none yet.

        Args:
            limit_bytes: What they may take.
        """
        self._limit = limit_bytes
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._likely: dict[Sketch, str] = {}
        self._total = 0
        # Fresh memory costs more than what is done with it.
        self._room, self._beside = (memoryview(bytearray(PIECE_BYTES)) for _ in range(2))

    def add(self, data: Piece, name: str = "") -> str:
        """Keep a piece; gives its name.

        Args:
            data: The piece.
            name: What `names` called it; empty where it has no name yet.
        """
        name = name or digest(data)
        if name not in self._kept:
            self._total += len(data)
            self._kept[name] = bytes(data)
            self._likely[_sketch(data)] = name
        self._kept.move_to_end(name)
        while self._total > self._limit and len(self._kept) > 1:
            gone, old = self._kept.popitem(last=False)
            self._total -= len(old)
            if self._likely.get(_sketch(old)) == gone:
                del self._likely[_sketch(old)]
        return name

    def get(self, name: str) -> bytes | None:
        """Give a piece; None when it is not kept."""
        if name in self._kept:
            self._kept.move_to_end(name)
        return self._kept.get(name)

    def names(self, path: Path, pieces: Sequence[int]) -> list[str] | None:
        """Name the pieces of a file.

        Pieces that are kept, or came before in the file, are compared, which is faster than a digest.

        Args:
            path: The file.
            pieces: Their sizes.

        Returns:
            The names; None when it is no file of that size.
        """
        try:
            with opened(path, os.O_RDONLY) as handle:
                facts = os.fstat(handle)
                if not stat.S_ISREG(facts.st_mode) or facts.st_size != sum(pieces):
                    return None
                return list(self._names(handle, pieces))
        except OSError:
            return None

    def _names(self, handle: int, pieces: Sequence[int]) -> Iterator[str]:
        seen: dict[Sketch, tuple[str, int]] = {}
        for size, place in zip(pieces, offsets(pieces), strict=True):
            piece = self._room[: os.preadv(handle, [self._room[:size]], place)]
            sketch = _sketch(piece)
            name = self._kept_name(sketch, piece)
            if name is None and sketch in seen:
                before, at = seen[sketch]
                if _same(piece, self._beside[: os.preadv(handle, [self._beside[:size]], at)]):
                    name = before
            if name is None:
                name = digest(piece)
                seen[sketch] = (name, place)
            yield name

    def _kept_name(self, sketch: Sketch, piece: memoryview) -> str | None:
        name = self._likely.get(sketch)
        if name is None or not _same(piece, self._kept[name]):
            return None
        self._kept.move_to_end(name)
        return name


def _sketch(piece: Piece) -> Sketch:
    return len(piece), bytes(piece[:SKETCH_BYTES]), bytes(piece[-SKETCH_BYTES:])


def _same(one: Piece, other: Piece) -> bool:
    # Views are compared byte by byte in Python 3.11, arrays many bytes at a time.
    return np.array_equal(np.frombuffer(one, np.uint8), np.frombuffer(other, np.uint8))
