"""One piece of shared memory in which a stranger's process finds its buffers, and nothing else.

```text
constants │ slot 0: guard, inputs, outputs, guard │ slot 1 │ …
```
It has no name and belongs to one process; who laid it out reads it when that process is stopped.
"""

import mmap
import os
import secrets
from collections.abc import Sequence
from types import TracebackType
from typing import Self

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.compiler.arrays import ALIGNMENT, stored_type
from edgekernelbench.evaluator.sheets import GUARD_BYTES, Slot, poison

Array = NDArray[np.generic]

SURE_BYTES = 8
"""An output of integers that is shorter may be what was poisoned by chance."""


class Arena:
    """Room for a number of calls, each with inputs and outputs of its own.

    Attributes:
        given: Bytes of the inputs of a call, with the guards between them.
        outweighed: Whether weights outweigh them: calls done together would read weights once for all.
    """

    def __init__(
        self, params: Sequence[Slot], outputs: Sequence[Slot], const: Sequence[bool], slots: int
    ) -> None:
        """Lay it out.

        Args:
            params: Type and stored shape of each parameter; where they lie elsewhere does not matter.
            outputs: The same of each output.
            const: Whether each parameter is constant: there is one of it.
            slots: For how many calls.

        Raises:
            OSError: When there is no room.
        """
        self._const = tuple(const)
        kept = [p for p, c in zip(params, const, strict=True) if c]
        moving = [p for p, c in zip(params, const, strict=True) if not c]
        self._kept, start = _lay_out(kept, GUARD_BYTES)
        self._moving, middle = _lay_out(moving, GUARD_BYTES)
        self._outputs, self._stride = _lay_out(outputs, middle)
        last = self._moving[-1] if moving else None
        weights, inputs = sum(p.nbytes for p in kept), sum(p.nbytes for p in moving)
        self.given = last.offset + last.nbytes - GUARD_BYTES if last else 0
        self.outweighed = last is not None and weights >= inputs
        self._start = start
        self.size = start + slots * self._stride
        self.slots = slots
        self.handle = os.memfd_create("arena")
        self._canary = np.frombuffer(secrets.token_bytes(ALIGNMENT), np.uint8)
        try:
            os.posix_fallocate(self.handle, 0, self.size)
            self._map = mmap.mmap(self.handle, self.size)
        except OSError:
            os.close(self.handle)
            raise
        self._bytes = np.frombuffer(self._map, np.uint8)
        self._bytes[:start] = np.resize(self._canary, start)

    def fill_constants(self, arrays: Sequence[Array]) -> None:
        """Write the constants.

        Args:
            arrays: All parameters in stored form; those that are not constant are passed over.
        """
        kept = [a for a, c in zip(arrays, self._const, strict=True) if c]
        for slot, array in zip(self._kept, kept, strict=True):
            self._view(slot, 0)[...] = _as_bytes(array)

    def fill(self, number: int, arrays: Sequence[Array], *, again: bool = False) -> None:
        """Write the inputs of a call, poison its outputs, and put guards round them.

        Args:
            number: Which slot.
            arrays: All parameters in stored form; constants are passed over.
            again: Which of the two poisons.
        """
        base = self._base(number)
        self._bytes[base : base + self._stride] = np.resize(self._canary, self._stride)
        moving = [a for a, c in zip(arrays, self._const, strict=True) if not c]
        for slot, array in zip(self._moving, moving, strict=True):
            self._view(slot, base)[...] = _as_bytes(array)
        for slot in self._outputs:
            self._view(slot, base)[...] = poison(slot.dtype, _count(slot), again=again)

    def is_untouched(self, number: int, arrays: Sequence[Array], *, again: bool = False) -> bool:
        """Say whether a slot is, byte for byte, as `fill` left it.

        Args:
            number: Which slot.
            arrays: What it was filled with.
            again: Which of the two poisons.
        """
        base = self._base(number)
        found = self._bytes[base : base + self._stride].copy()
        self.fill(number, arrays, again=again)
        return np.array_equal(found, self._bytes[base : base + self._stride])

    def withhold(self, number: int) -> tuple[int, bytes]:
        """Take the inputs of a call away again.

        Returns:
            Where they belong, and their bytes with those of the guards between them.
        """
        start = self._base(number) + GUARD_BYTES
        inputs = self._bytes[start : start + self.given].tobytes()
        self._bytes[start : start + self.given] = 0
        return start, inputs

    def offsets(self, number: int) -> list[int]:
        """Say where a call finds each parameter and output."""
        base = self._base(number)
        kept, moving = iter(self._kept), iter(self._moving)
        given = [next(kept).offset if c else base + next(moving).offset for c in self._const]
        return [*given, *(base + slot.offset for slot in self._outputs)]

    def outputs(self, number: int) -> list[NDArray[np.uint8]]:
        """View the outputs of a call, as bytes."""
        base = self._base(number)
        return [self._view(slot, base) for slot in self._outputs]

    def damage(self, number: int, arrays: Sequence[Array]) -> str | None:
        """Say what a call did beside its work.

        Args:
            number: Which slot.
            arrays: All parameters in stored form, as they were written.

        Returns:
            `guard`, `input-changed` or `unwritten`; None when nothing is wrong.
        """
        if not (self._guarded(self._kept, 0, self._start) and self._guarded_slot(number)):
            return "guard"
        base = self._base(number)
        kept, moving = iter(self._kept), iter(self._moving)
        for array, c in zip(arrays, self._const, strict=True):
            found = self._view(next(kept), 0) if c else self._view(next(moving), base)
            if not np.array_equal(found, _as_bytes(array)):
                return "input-changed"
        return "unwritten" if any(self._unwritten(slot, base) for slot in self._outputs) else None

    def _guarded_slot(self, number: int) -> bool:
        return self._guarded((*self._moving, *self._outputs), self._base(number), self._stride)

    def _guarded(self, slots: Sequence[Slot], base: int, size: int) -> bool:
        at = 0
        for slot in (*slots, None):
            stop = size if slot is None else slot.offset
            gap = self._bytes[base + at : base + stop]
            if not np.array_equal(gap, np.resize(self._canary, size)[at:stop]):
                return False
            at = stop if slot is None else slot.offset + slot.nbytes
        return True

    def _unwritten(self, slot: Slot, base: int) -> bool:
        """Whether a stretch at either end, or all, of an output still is poison."""
        left = self._view(slot, base)
        size = stored_type(slot.dtype).itemsize
        for again in (False, True):
            mark = poison(slot.dtype, 1, again=again)
            same = (left.reshape(-1, size) == mark).all(axis=1)
            if slot.dtype.is_float and bool(same.any()):
                return True  # a NaN with this payload comes from no arithmetic
            if bool(same.all()) and slot.nbytes >= SURE_BYTES:
                return True
        return False

    def _view(self, slot: Slot, base: int) -> NDArray[np.uint8]:
        start = base + slot.offset
        return self._bytes[start : start + slot.nbytes]

    def _base(self, number: int) -> int:
        return self._start + number * self._stride

    def close(self) -> None:
        """Give the room back."""
        del self._bytes
        self._map.close()
        os.close(self.handle)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _lay_out(slots: Sequence[Slot], end: int) -> tuple[tuple[Slot, ...], int]:
    placed = []
    for slot in slots:
        placed.append(Slot(end, slot.dtype, slot.shape))
        end = -(-(end + slot.nbytes + GUARD_BYTES) // ALIGNMENT) * ALIGNMENT
    return tuple(placed), max(end, GUARD_BYTES)


def _count(slot: Slot) -> int:
    return int(np.prod(slot.shape, dtype=np.int64))


def _as_bytes(array: Array) -> NDArray[np.uint8]:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8)
