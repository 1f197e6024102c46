"""What the judge sees in a sheet."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from edgekernelbench.evaluator.compare import expect
from edgekernelbench.evaluator.exam import InputChoice, Paper
from edgekernelbench.evaluator.marking import LARGEST_MARGIN, first_wrong, mark_sheet
from edgekernelbench.evaluator.sheets import Sheet, plan_layout
from edgekernelbench.ir.dtype import DType
from edgekernelbench.records.outcome import Fault
from edgekernelbench.workloads.reference import OutputFacts

CANARY = bytes(64)
VALUES = np.linspace(1, 2, 8).astype(np.float32)
COUNTS = np.arange(3, dtype=np.int32)
LAYOUT = plan_layout([(DType.F32, (8,))], [(DType.F32, (8,)), (DType.I32, (3,))])
PAPER = Paper(
    InputChoice("typical", "typical", 1),
    (VALUES,),
    (
        expect(OutputFacts("y", DType.F32, DType.F32, 0, 1.5, 0), VALUES.astype(np.float64), VALUES),
        expect(OutputFacts("n", DType.I32, DType.F32, 0, 1.0, 0), COUNTS.astype(np.int64), COUNTS),
    ),
)

Spoil = Callable[[Sheet], None]


def filled(path: Path) -> Sheet:
    sheet = Sheet.create(path, LAYOUT, PAPER.inputs, CANARY)
    for slots in (LAYOUT.first, LAYOUT.again):
        sheet.array(slots[0])[...] = VALUES
        sheet.array(slots[1])[...] = COUNTS
    return sheet


def test_two_right_runs_are_right_and_deterministic(tmp_path: Path) -> None:
    mark = mark_sheet(filled(tmp_path / "s"), PAPER, CANARY)

    assert mark.wrong is None
    assert mark.deterministic
    assert [(m.output, m.rms_ratio is None) for m in mark.margins] == [(0, False), (1, True)]


def test_the_first_wrong_output_is_named_and_all_have_margins(tmp_path: Path) -> None:
    sheet = filled(tmp_path / "s")
    sheet.array(LAYOUT.first[1])[2] = 7

    mark = mark_sheet(sheet, PAPER, CANARY)

    assert mark.wrong is not None
    assert (mark.wrong.fault, mark.wrong.output, mark.wrong.inputs) == (Fault.VALUES, "output 1", "typical")
    assert len(mark.margins) == 2


def test_a_second_run_within_the_tolerance_is_a_flag_and_no_fault(tmp_path: Path) -> None:
    sheet = filled(tmp_path / "s")
    sheet.array(LAYOUT.again[0])[0] = np.nextafter(VALUES[0], np.float32(9))

    mark = mark_sheet(sheet, PAPER, CANARY)

    assert mark.wrong is None
    assert not mark.deterministic


def test_a_second_run_outside_the_tolerance_is_a_fault(tmp_path: Path) -> None:
    sheet = filled(tmp_path / "s")
    sheet.array(LAYOUT.again[0])[0] = 5

    mark = mark_sheet(sheet, PAPER, CANARY)

    assert mark.wrong is not None
    assert mark.wrong.fault is Fault.NONDETERMINISTIC


def test_margins_of_a_value_that_is_no_number_can_be_stored(tmp_path: Path) -> None:
    sheet = filled(tmp_path / "s")
    sheet.array(LAYOUT.first[0])[0] = np.nan

    margins = mark_sheet(sheet, PAPER, CANARY).margins

    assert margins[0].elementwise == LARGEST_MARGIN


@pytest.mark.parametrize("before", [True, False], ids=["right before", "wrong before"])
def test_the_first_wrong_paper_counts(tmp_path: Path, before: bool) -> None:
    wrong = filled(tmp_path / "w")
    wrong.array(LAYOUT.first[1])[0] = 9
    right = filled(tmp_path / "r")
    sheets = [right, wrong] if before else [wrong, right]

    found = first_wrong([mark_sheet(s, PAPER, CANARY) for s in sheets])

    assert found is not None
    assert first_wrong([mark_sheet(right, PAPER, CANARY)]) is None
