import numpy as np
import pytest
from tests.compiler.hand import param

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.arrays import (
    Array,
    aligned_zeros,
    check_arrays,
    elements,
    pack_nibbles,
    place_array,
    stored_bytes,
)
from edgekernelbench.ir.dtype import DType


def test_every_array_starts_at_its_alignment() -> None:
    for align in (64, 128, 4096):
        assert aligned_zeros((3, 5), np.dtype(np.float32), align=align).ctypes.data % align == 0


def test_nibbles_are_packed_low_half_first_and_padded_at_the_end_of_a_row() -> None:
    packed = pack_nibbles(np.array([[1, -2, 3], [-8, 7, 0]], np.int8))
    assert packed.tolist() == [[0xE1, 0x03], [0x78, 0x00]]


def test_sizes_of_packed_buffers_are_halved_along_the_last_axis() -> None:
    buffer = param("w", 4, 5, dtype=DType.I4)
    assert elements(buffer) == stored_bytes(buffer) == 12


def test_placed_arrays_pass_the_check() -> None:
    buffers = [param("w", 4, 5, dtype=DType.U4), param("s", 1), param("m", 2, dtype=DType.BOOL)]
    arrays: list[Array] = [np.ones((4, 5), np.uint8), np.array(2.0, np.float32), np.array([True, False])]
    check_arrays(buffers, [place_array(b, a) for b, a in zip(buffers, arrays, strict=True)], "parameters")


@pytest.mark.parametrize(
    ("array", "complaint"),
    [
        (aligned_zeros((4, 4), np.dtype(np.float64)), "float64"),
        (aligned_zeros((4, 5), np.dtype(np.float32)), r"\[4, 5\]"),
        (aligned_zeros((4, 8), np.dtype(np.float32))[:, ::2], "strided"),
        (aligned_zeros((20,), np.dtype(np.float32))[1:17].reshape(4, 4), "offset of 4"),
    ],
)
def test_arrays_that_machine_code_would_misread_are_refused(array: Array, complaint: str) -> None:
    with pytest.raises(InternalError, match=complaint):
        check_arrays([param("x", 4, 4)], [array], "parameters")


def test_a_wrong_number_of_arrays_is_refused() -> None:
    with pytest.raises(InternalError, match="expected 1 parameters, found 0"):
        check_arrays([param("x", 4)], [], "parameters")
