"""Random numbers that are the same on every machine: raw Philox words and exact arithmetic on them."""

import hashlib
from math import prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Shape = tuple[int, ...]

PIECES = 8
"""Uniform 16-bit pieces that are added for one normal value; tails end at 4.9 deviations."""


class Stream:
    """A stream of random arrays, named by the words that seed it.

    NumPy promises that the words of a bit generator never change, and promises nothing for its
    distributions, so they are made here.
    """

    def __init__(self, *words: str | int) -> None:
        digest = hashlib.sha256("\0".join(str(word) for word in words).encode()).digest()
        self._bits = np.random.Philox(key=int.from_bytes(digest[:16], "little"))

    def words(self, count: int) -> NDArray[np.uint64]:
        """Draw `count` words of 64 bits."""
        return self._bits.random_raw(count).astype(np.uint64, copy=False)

    def unit(self, shape: Shape) -> Floats:
        """Draw uniform values in [0, 1)."""
        values: Floats = (self.words(prod(shape)) >> np.uint64(11)).astype(np.float64) * 2.0**-53
        return values.reshape(shape)

    def normal(self, shape: Shape) -> Floats:
        """Draw values with mean 0 and variance 1, close to normal: sums of eight uniform pieces."""
        pieces = self.words(2 * prod(shape)).view(np.uint16).reshape(-1, PIECES)
        sums = pieces.sum(axis=1, dtype=np.int64) * 2 - PIECES * 65535
        deviation = float(np.sqrt(PIECES * (65536.0**2 - 1) / 3))
        values: Floats = sums.astype(np.float64) / deviation
        return values.reshape(shape)

    def below(self, count: int, shape: Shape) -> Ints:
        """Draw uniform integers in 0 to `count` - 1."""
        return (self.unit(shape) * count).astype(np.int64)

    def chance(self, share: float, shape: Shape) -> NDArray[np.bool_]:
        """Draw truth values, `share` of them true."""
        return self.unit(shape) < share

    def orders(self, rows: int, length: int) -> Ints:
        """Draw `rows` permutations of 0 to `length` - 1."""
        return np.argsort(self.unit((rows, length)), axis=1, kind="stable").astype(np.int64)
