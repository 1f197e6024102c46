"""Files in blocks with digests, so that what the other side has already is not sent again.

Sheets of one workload are the same from kernel to kernel but for their guards, and what comes back of one is
what went there but for the outputs.
"""

import hashlib
import os
import stat
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path

BLOCK_BYTES = 1 << 14
"""Small, since a guard that changed costs its whole block, and TVM carries no more than 40 MB a second."""
MOST_KEPT_BYTES = 256 << 20
SHARE_OF_MEMORY = 8
"""Blocks take at most this part of a machine's memory."""


def digest(data: bytes) -> str:
    """Name a block by its contents."""
    return hashlib.blake2b(data, digest_size=20).hexdigest()


def blocks(path: Path) -> Iterator[bytes]:
    """Read a file block by block; what is no ordinary file has none: a worker can put a pipe in its place."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(handle, "rb") as stream:
        while stat.S_ISREG(os.fstat(handle).st_mode) and (block := stream.read(BLOCK_BYTES)):
            yield block


def digests(path: Path) -> list[str]:
    """Name the blocks of a file."""
    return [digest(block) for block in blocks(path)]


class BlockStore:
    """The most recent blocks that came by, in memory."""

    def __init__(self, memory_bytes: int) -> None:
        """Keep none yet.

        Args:
            memory_bytes: Memory of the machine.
        """
        self._limit = min(MOST_KEPT_BYTES, memory_bytes // SHARE_OF_MEMORY)
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._total = 0

    def add(self, block: bytes) -> None:
        """Keep a block."""
        name = digest(block)
        if name not in self._kept:
            self._total += len(block)
        self._kept[name] = block
        self._kept.move_to_end(name)
        while self._total > self._limit and len(self._kept) > 1:
            self._total -= len(self._kept.popitem(last=False)[1])

    def get(self, name: str) -> bytes | None:
        """Give a block; None when it is not kept."""
        if name in self._kept:
            self._kept.move_to_end(name)
        return self._kept.get(name)
