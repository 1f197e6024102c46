"""Reading a sheet after a worker is done with it: the judge's own eyes on outputs, inputs and guards."""

from collections.abc import Sequence
from dataclasses import dataclass

from edgekernelbench.evaluator.compare import Closeness, Mismatch, compare
from edgekernelbench.evaluator.exam import Paper
from edgekernelbench.evaluator.sheets import Sheet
from edgekernelbench.records.judgement import Margin
from edgekernelbench.records.outcome import Fault, Wrong

LARGEST_MARGIN = 1e30
"""Records hold no infinities: a margin that is not finite is stored as this."""


@dataclass(frozen=True, slots=True)
class Mark:
    """What one input set showed.

    Attributes:
        wrong: What is wrong; None when nothing is.
        margins: How far each output is from its limits.
        deterministic: Whether both runs left the same bytes.
    """

    wrong: Wrong | None
    margins: tuple[Margin, ...]
    deterministic: bool


def mark_sheet(sheet: Sheet, paper: Paper, canary: bytes, *, both_runs: bool = True) -> Mark:
    """Judge what a worker left in a sheet.

    Args:
        sheet: The sheet; the worker is dead, or waits for the token.
        paper: The inputs and answers.
        canary: What guards were filled with.
        both_runs: Whether the second run was made too.

    Returns:
        The first thing that is wrong, with all margins.
    """
    name = paper.choice.name
    damage = sheet.damaged_guard(canary)
    if damage is not None:
        detail = f"{damage[0]} bytes beside buffers changed, the first at {damage[1]} of the sheet"
        return Mark(Wrong(Fault.GUARD, "guards", name, damage[0], None, detail), (), deterministic=True)
    changed = sheet.changed_param(paper.inputs)
    if changed is not None:
        detail = "a parameter was written to"
        wrong = Wrong(Fault.INPUT_CHANGED, f"parameter {changed}", name, 1, None, detail)
        return Mark(wrong, (), deterministic=True)
    return _mark_outputs(sheet, paper, both_runs=both_runs)


def _mark_outputs(sheet: Sheet, paper: Paper, *, both_runs: bool) -> Mark:
    wrong: Wrong | None = None
    margins = []
    deterministic = True
    for number, expected in enumerate(paper.expected):
        first = compare(sheet.array(sheet.layout.first[number]), expected)
        margins.append(_margin(first, paper.choice.name, number))
        found = _unwritten(sheet, number, first) if both_runs else first.mismatch
        if both_runs and found is None:
            same = _same_bytes(sheet, number)
            deterministic = deterministic and same
            found = None if same else _second_run(compare(sheet.array(sheet.layout.again[number]), expected))
        if wrong is None and found is not None:
            wrong = _wrong(found, number, paper.choice.name)
    return Mark(wrong, tuple(margins), deterministic)


def _unwritten(sheet: Sheet, number: int, first: Closeness) -> Mismatch | None:
    if first.mismatch is None:
        return None
    left = sheet.unwritten(number)
    if not left:
        return first.mismatch
    detail = f"{left} elements of output {number} were never written"
    return Mismatch(Fault.UNWRITTEN, left, None, detail)


def _same_bytes(sheet: Sheet, number: int) -> bool:
    first = sheet.array(sheet.layout.first[number])
    return first.tobytes() == sheet.array(sheet.layout.again[number]).tobytes()


def _second_run(again: Closeness) -> Mismatch | None:
    if again.mismatch is None:
        return None
    detail = f"right in the first run, not in the second: {again.mismatch.detail}"
    return Mismatch(Fault.NONDETERMINISTIC, again.mismatch.mismatched, again.mismatch.worst, detail)


def _wrong(found: Mismatch, number: int, inputs: str) -> Wrong:
    return Wrong(found.fault, f"output {number}", inputs, found.mismatched, found.worst, found.detail)


def _margin(closeness: Closeness, inputs: str, number: int) -> Margin:
    ratio = closeness.rms_ratio
    return Margin(
        inputs=inputs,
        output=number,
        elementwise=min(closeness.elementwise, LARGEST_MARGIN),
        rms_ratio=None if ratio is None else min(ratio, LARGEST_MARGIN),
    )


def first_wrong(marks: Sequence[Mark]) -> Wrong | None:
    """Give the first thing that is wrong, in the order of the input sets."""
    return next((m.wrong for m in marks if m.wrong is not None), None)
