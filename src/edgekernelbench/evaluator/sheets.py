"""Sheets: one file of shared memory with all buffers of one input set, each between guards.

```text
guard │ param 0 │ guard │ param 1 │ guard │ output 0 │ guard │ … │ output 0 again │ guard
```
The judge lays it out, fills it and reads it after the worker is done, so that nothing which the worker says
about outputs, inputs or guards has to be believed. Outputs stand in it twice, with different poison, for two
runs.
"""

import mmap
import os
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.compiler.arrays import ALIGNMENT, pack_nibbles, stored_type
from edgekernelbench.ir.dtype import DType

Array = NDArray[np.generic]

GUARD_BYTES = 16 * ALIGNMENT
"""Bytes on both sides of a buffer: a row of a small tile beyond it still falls into them."""


@dataclass(frozen=True, slots=True)
class Slot:
    """Where one buffer lies in a sheet.

    Attributes:
        offset: Of its first byte, a multiple of the alignment.
        dtype: Element type as stored: bytes for `i4` and `u4`, two elements each.
        shape: As stored, of rank at least 1.
    """

    offset: int
    dtype: DType
    shape: tuple[int, ...]

    @property
    def nbytes(self) -> int:
        """Bytes of the buffer, without guards."""
        return int(np.prod(self.shape, dtype=np.int64)) * stored_type(self.dtype).itemsize


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything lies in a sheet.

    Attributes:
        params: One slot a parameter.
        first: One slot an output, for the first run.
        again: The same for the second run.
        size: Bytes of the file.
    """

    params: tuple[Slot, ...]
    first: tuple[Slot, ...]
    again: tuple[Slot, ...]
    size: int

    def to_json(self) -> dict[str, object]:
        """Write for a worker."""
        rows = {"params": self.params, "first": self.first, "again": self.again}
        lists = {name: [[s.offset, s.dtype, s.shape] for s in slots] for name, slots in rows.items()}
        return {**lists, "size": self.size}

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> Self:
        """Read what `to_json` wrote."""
        params, first, again = (
            tuple(Slot(offset, DType(dtype), tuple(shape)) for offset, dtype, shape in fields[name])
            for name in ("params", "first", "again")
        )
        return cls(params, first, again, fields["size"])


Form = tuple[DType, tuple[int, ...]]
"""Type and shape of a buffer, as the kernel has it."""


def plan_layout(params: Sequence[Form], outputs: Sequence[Form]) -> Layout:
    """Lay out a sheet.

    Args:
        params: Type and shape of each parameter.
        outputs: The same of each output.

    Returns:
        The layout, with a guard before, between and behind all buffers.
    """
    end = GUARD_BYTES
    groups: list[tuple[Slot, ...]] = []
    for forms in (params, outputs, outputs):
        slots = []
        for dtype, shape in forms:
            slot = Slot(end, dtype, _stored_shape(dtype, shape))
            end = -(-(end + slot.nbytes + GUARD_BYTES) // ALIGNMENT) * ALIGNMENT
            slots.append(slot)
        groups.append(tuple(slots))
    return Layout(groups[0], groups[1], groups[2], size=end)


def _stored_shape(dtype: DType, shape: tuple[int, ...]) -> tuple[int, ...]:
    whole = shape or (1,)
    return (*whole[:-1], (whole[-1] + 1) // 2) if dtype in (DType.I4, DType.U4) else whole


def stored_form(dtype: DType, array: Array) -> Array:
    """Give an array the form in which executables take it: packed, of rank at least 1."""
    whole = np.asarray(array).reshape(array.shape or (1,))
    packed = pack_nibbles(whole) if dtype in (DType.I4, DType.U4) else whole
    return np.ascontiguousarray(packed, dtype=stored_type(dtype))


def poison(dtype: DType, count: int, *, again: bool) -> NDArray[np.uint8]:
    """Make bytes that are no plausible answer: NaNs with a payload, or a pattern.

    Args:
        dtype: Element type.
        count: Number of elements.
        again: Whether for the second run, which has other bytes.
    """
    low = 0x5A if again else 0xA5
    size = stored_type(dtype).itemsize
    element = np.full(size, low, np.uint8)
    if dtype.is_float:
        element[-1] = 0xFF  # with the byte below: a NaN of either sign in all four float types
        element[-2] = 0xFA if again else 0xF5
    return np.tile(element, count)


class Sheet:
    """A sheet that is mapped into this process."""

    def __init__(self, path: Path, layout: Layout) -> None:
        """Map a file that `create` made."""
        self.layout = layout
        self.path = path
        handle = os.open(path, os.O_RDWR | os.O_NOFOLLOW)
        try:
            self._map = mmap.mmap(handle, layout.size)
        finally:
            os.close(handle)

    @classmethod
    def create(cls, path: Path, layout: Layout, inputs: Sequence[Array], canary: bytes) -> Self:
        """Make a sheet: parameters filled in, outputs poisoned, all else canaries.

        Args:
            path: The file to make.
            layout: Where things lie.
            inputs: One array a parameter, as `make_inputs` gives them.
            canary: One alignment unit of bytes that nobody can guess.

        Raises:
            OSError: When there is no room.
        """
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o600)
        try:
            # Room is taken now: a page of a sparse file that the disk has no room for kills who touches it.
            os.posix_fallocate(handle, 0, layout.size)
        finally:
            os.close(handle)
        sheet = cls(path, layout)
        units = np.frombuffer(sheet._map, np.uint8)
        for gap in sheet._gaps():
            units[gap] = np.resize(np.frombuffer(canary, np.uint8), gap.stop - gap.start)
        for slot, array in zip(layout.params, inputs, strict=True):
            sheet.array(slot)[...] = stored_form(slot.dtype, array)
        for again, slots in ((False, layout.first), (True, layout.again)):
            for slot in slots:
                units[slot.offset : slot.offset + slot.nbytes] = poison(
                    slot.dtype, int(np.prod(slot.shape, dtype=np.int64)), again=again
                )
        del units
        return sheet

    def array(self, slot: Slot) -> Array:
        """View a buffer; the view must be dropped before `close`."""
        dtype = stored_type(slot.dtype)
        count = int(np.prod(slot.shape, dtype=np.int64))
        view: Array = np.frombuffer(self._map, dtype, count=count, offset=slot.offset).reshape(slot.shape)
        return view

    def arrays(self, slots: Sequence[Slot]) -> list[Array]:
        """View several buffers."""
        return [self.array(slot) for slot in slots]

    def damaged_guard(self, canary: bytes) -> tuple[int, int] | None:
        """Look for changed bytes beside the buffers.

        Args:
            canary: What `create` was given.

        Returns:
            How many bytes changed, and where the first one lies; None when none did.
        """
        units = np.frombuffer(self._map, np.uint8)
        places = []
        for gap in self._gaps():
            expected = np.resize(np.frombuffer(canary, np.uint8), gap.stop - gap.start)
            places.extend((np.flatnonzero(units[gap] != expected) + gap.start).tolist())
        return (len(places), places[0]) if places else None

    def changed_param(self, inputs: Sequence[Array]) -> int | None:
        """Find the first parameter whose bytes are not those that were written; None when all are."""
        for number, (slot, array) in enumerate(zip(self.layout.params, inputs, strict=True)):
            written = stored_form(slot.dtype, array).reshape(-1).view(np.uint8)
            if not np.array_equal(self.array(slot).reshape(-1).view(np.uint8), written):
                return number
        return None

    def unwritten(self, number: int) -> int:
        """Count the elements of an output that hold the poison of both runs."""
        first, again = self.layout.first[number], self.layout.again[number]
        size = stored_type(first.dtype).itemsize
        held = np.ones(int(np.prod(first.shape, dtype=np.int64)), np.bool_)
        for slot, second in ((first, False), (again, True)):
            left = self.array(slot).reshape(-1).view(np.uint8).reshape(-1, size)
            held &= (left == poison(slot.dtype, 1, again=second)).all(axis=1)
        return int(held.sum())

    def _gaps(self) -> list[slice]:
        slots = (*self.layout.params, *self.layout.first, *self.layout.again)
        starts = [0, *(slot.offset + slot.nbytes for slot in slots)]
        ends = [*(slot.offset for slot in slots), self.layout.size]
        return [slice(start, end) for start, end in zip(starts, ends, strict=True)]

    def close(self) -> None:
        """Unmap the file; views that are still held keep it mapped until they go."""
        with suppress(BufferError):
            self._map.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
