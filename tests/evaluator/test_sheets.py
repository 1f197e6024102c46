"""Sheets: guards, poison, unchanged inputs."""

from pathlib import Path

import ml_dtypes
import numpy as np
import pytest

from edgekernelbench.compiler.arrays import ALIGNMENT, stored_type
from edgekernelbench.evaluator.sheets import GUARD_BYTES, Layout, Sheet, plan_layout, poison
from edgekernelbench.ir.dtype import DType

CANARY = bytes(range(100, 164))
INPUTS = (
    np.arange(6, dtype=np.float32).reshape(2, 3),
    np.array(7, np.int32),
    np.array([[-8, 7, 1]], np.int8),
)
LAYOUT = plan_layout(
    [(DType.F32, (2, 3)), (DType.I32, ()), (DType.I4, (1, 3))], [(DType.I8, (5,)), (DType.F16, (2,))]
)


@pytest.fixture
def sheet(tmp_path: Path) -> Sheet:
    return Sheet.create(tmp_path / "sheet", LAYOUT, INPUTS, CANARY)


def test_every_buffer_is_aligned_and_between_guards(sheet: Sheet) -> None:
    slots = [*LAYOUT.params, *LAYOUT.first, *LAYOUT.again]

    assert all(slot.offset % ALIGNMENT == 0 for slot in slots)
    assert all(sheet.array(slot).ctypes.data % ALIGNMENT == 0 for slot in slots)
    ends = [0, *(slot.offset + slot.nbytes for slot in slots)]
    starts = [*(slot.offset for slot in slots), LAYOUT.size]
    assert all(start - end >= GUARD_BYTES for start, end in zip(starts, ends, strict=True))


def test_parameters_are_there_as_executables_take_them(sheet: Sheet) -> None:
    x, n, q = sheet.arrays(LAYOUT.params)

    assert x.tolist() == INPUTS[0].tolist()
    assert n.tolist() == [7]
    assert q.tolist() == [[0x78, 0x01]]


def test_a_layout_is_read_back() -> None:
    assert Layout.from_json(LAYOUT.to_json()) == LAYOUT


def test_an_untouched_sheet_has_no_damage(sheet: Sheet) -> None:
    assert sheet.damaged_guard(CANARY) is None
    assert sheet.changed_param(INPUTS) is None


@pytest.mark.parametrize("beyond", [-1, 5, 63, GUARD_BYTES - 1], ids=lambda n: f"{n} bytes from the start")
def test_a_byte_beside_a_buffer_is_found(sheet: Sheet, beyond: int) -> None:
    place = LAYOUT.first[0].offset + beyond
    with (sheet_path(sheet)).open("r+b") as stream:
        stream.seek(place)
        old = stream.read(1)[0]
        stream.seek(place)
        stream.write(bytes([old ^ 1]))

    assert sheet.damaged_guard(CANARY) == (1, place)


def sheet_path(sheet: Sheet) -> Path:
    lines = Path("/proc/self/maps").read_text().splitlines()
    return next(Path(line.split(None, 5)[5]) for line in lines if line.endswith("/sheet"))


def test_a_changed_parameter_is_named(sheet: Sheet) -> None:
    sheet.array(LAYOUT.params[2])[0, 1] = 0x02

    assert sheet.changed_param(INPUTS) == 2


def test_what_nobody_wrote_is_counted(sheet: Sheet) -> None:
    assert [sheet.unwritten(n) for n in range(2)] == [5, 2]
    sheet.array(LAYOUT.first[0])[1:3] = 1
    sheet.array(LAYOUT.again[0])[1:3] = 1

    assert [sheet.unwritten(n) for n in range(2)] == [3, 2]


def test_an_answer_that_equals_one_poison_is_not_unwritten(sheet: Sheet) -> None:
    for slots in (LAYOUT.first, LAYOUT.again):
        sheet.array(slots[0])[...] = np.uint8(0xA5).view(np.int8)

    assert sheet.unwritten(0) == 0


@pytest.mark.parametrize("dtype", [d for d in DType if d.is_float])
@pytest.mark.parametrize("again", [False, True])
def test_poison_of_floats_is_no_number(dtype: DType, again: bool) -> None:
    values = poison(dtype, 3, again=again).view(stored_type(dtype))

    assert np.isnan(values.astype(np.float64)).all()


def test_the_two_poisons_differ_for_every_type() -> None:
    for dtype in DType:
        assert not np.array_equal(poison(dtype, 1, again=False), poison(dtype, 1, again=True))


def test_a_link_in_place_of_a_sheet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "real").write_bytes(b"")
    (tmp_path / "link").symlink_to(tmp_path / "real")

    with pytest.raises(OSError, match=r"Too many|exists"):
        Sheet.create(tmp_path / "link", LAYOUT, INPUTS, CANARY)


def test_bfloat16_keeps_its_bits(tmp_path: Path) -> None:
    layout = plan_layout([(DType.BF16, (4,))], [])
    values = np.array([1.0, -2.5, 3e38, 0.0], ml_dtypes.bfloat16)

    sheet = Sheet.create(tmp_path / "b", layout, (values,), CANARY)

    assert sheet.array(layout.params[0]).tobytes() == values.tobytes()
