"""Arrays as executables take them: their types, their sizes, their alignment, and the check of all three."""

from collections.abc import Sequence

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Buffer

Array = NDArray[np.generic]

ALIGNMENT = 64
"""Every buffer starts at a multiple of this: one cache line, one 512-bit vector, and what TVM assumes."""

_NUMPY: dict[DType, np.dtype[np.generic]] = {
    DType.BOOL: np.dtype(np.bool_),
    DType.I4: np.dtype(np.uint8),
    DType.U4: np.dtype(np.uint8),
    DType.I8: np.dtype(np.int8),
    DType.U8: np.dtype(np.uint8),
    DType.I16: np.dtype(np.int16),
    DType.U16: np.dtype(np.uint16),
    DType.I32: np.dtype(np.int32),
    DType.U32: np.dtype(np.uint32),
    DType.I64: np.dtype(np.int64),
    DType.F16: np.dtype(np.float16),
    DType.BF16: np.dtype(ml_dtypes.bfloat16),
    DType.F32: np.dtype(np.float32),
    DType.F64: np.dtype(np.float64),
}


def stored_type(dtype: DType) -> np.dtype[np.generic]:
    """Give the NumPy type of a stored element; `i4` and `u4` are bytes of two."""
    return _NUMPY[dtype]


def is_packed(dtype: DType) -> bool:
    """Whether two elements share a byte."""
    return dtype in (DType.I4, DType.U4)


def stored_shape(buffer: Buffer) -> tuple[int, ...]:
    """Give the sizes in memory: those of the buffer, the last one halved where two elements share a byte."""
    if not is_packed(buffer.dtype):
        return buffer.shape
    return (*buffer.shape[:-1], (buffer.shape[-1] + 1) // 2)


def elements(buffer: Buffer) -> int:
    """Count the stored elements, padding included."""
    return int(np.prod(stored_shape(buffer), dtype=np.int64))


def stored_bytes(buffer: Buffer) -> int:
    """Give the size of a buffer in memory, in bytes."""
    return elements(buffer) * stored_type(buffer.dtype).itemsize


def aligned_zeros(shape: tuple[int, ...], dtype: np.dtype[np.generic], *, align: int = ALIGNMENT) -> Array:
    """Allocate an array of zeros that starts at a multiple of `align` bytes.

    Args:
        shape: Its sizes.
        dtype: Its element type.
        align: A power of two.

    Returns:
        A contiguous array.
    """
    size = int(np.prod(shape, dtype=np.int64)) * dtype.itemsize
    raw = np.zeros(size + align, np.uint8)
    start = -raw.ctypes.data % align
    view: Array = raw[start : start + size].view(dtype).reshape(shape)
    return view


def allocate_buffer(buffer: Buffer) -> Array:
    """Allocate what holds a buffer, zeroed and aligned."""
    return aligned_zeros(stored_shape(buffer), stored_type(buffer.dtype), align=max(ALIGNMENT, buffer.align))


def pack_nibbles(array: Array) -> Array:
    """Pack `i4` or `u4` values, one an element, two a byte along the last axis, the first in the low half.

    Args:
        array: Integers of any width; only the low four bits count.

    Returns:
        Bytes, the last size halved and rounded up.
    """
    low = np.asarray(array).astype(np.int64).astype(np.uint8) & 0xF
    if low.shape[-1] % 2:
        low = np.concatenate([low, np.zeros((*low.shape[:-1], 1), np.uint8)], axis=-1)
    packed: Array = low[..., 0::2] | (low[..., 1::2] << 4)
    return packed


def place_array(buffer: Buffer, array: Array) -> Array:
    """Copy an array into the form that an executable takes: packed, aligned, of rank at least 1.

    Args:
        buffer: The parameter or output that it is for.
        array: Its values; `i4` and `u4` with one element each.

    Returns:
        A fresh array.
    """
    held = allocate_buffer(buffer)
    whole = np.asarray(array).reshape(buffer.shape)
    held[...] = pack_nibbles(whole) if is_packed(buffer.dtype) else whole
    return held


def check_arrays(buffers: Sequence[Buffer], arrays: Sequence[Array], what: str) -> None:
    """Refuse arrays that machine code would misread.

    Args:
        buffers: What is expected, in order.
        arrays: What was given.
        what: The word for them, such as `"parameters"`.

    Raises:
        InternalError: For a wrong number, type, shape, layout or alignment.
    """
    if len(buffers) != len(arrays):
        raise InternalError(f"expected {len(buffers)} {what}, found {len(arrays)}")
    for buffer, array in zip(buffers, arrays, strict=True):
        dtype, shape = stored_type(buffer.dtype), stored_shape(buffer)
        if array.dtype != dtype or array.shape != shape or not array.flags.c_contiguous:
            found = f"{array.dtype}{list(array.shape)}{'' if array.flags.c_contiguous else ', strided'}"
            raise InternalError(f"expected {buffer.name} as contiguous {dtype}{list(shape)}, found {found}")
        if array.ctypes.data % ALIGNMENT:
            found = f"an offset of {array.ctypes.data % ALIGNMENT}"
            raise InternalError(f"expected {buffer.name} at a multiple of {ALIGNMENT} bytes, found {found}")
