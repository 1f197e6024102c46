"""Whether the boxes of a kept stage tile it: each element once."""

from dataclasses import dataclass

from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal
from edgekernelbench.nest.boxes import AxisBox, Boxes
from edgekernelbench.nest.linear import linear
from edgekernelbench.nest.problems import Problems


@dataclass(frozen=True, slots=True)
class _Digit:
    """`loop // div % mod`: the part of a loop that one axis follows; `mod` is None for all that is left."""

    loop: str
    div: int
    mod: int | None


def check_tiling(boxes: Boxes, problems: Problems) -> None:
    """Refuse kept stages whose boxes overlap or leave gaps [S25].

    The boxes tile when along each axis they stand side by side, and when each loop that runs round them
    moves them along exactly one axis (or its parts along several, none left out).
    """
    structure = boxes.structure
    for unit, (loop, directive) in structure.plan.placed.items():
        for stage in structure.program.members(unit):
            if not structure.kept(stage):
                continue
            reason = _overlap(boxes, stage, loop)
            if reason:
                message = f"{stage} is stored whole, so its boxes at {loop} must tile it: {reason}"
                problems.add("S25", message, directive)
                break


def _overlap(boxes: Boxes, stage: str, loop: str) -> str:
    """Say why boxes do not tile a stage; empty when they do."""
    digits: list[_Digit] = []
    for axis, box in boxes.of[stage].items():
        found = _digits(box, boxes)
        if found is None:
            return f"along {axis} they do not stand side by side"
        digits += found
    for outer in boxes.structure.path_to(loop):
        extent = boxes.ranges[outer][1] + 1
        if extent > 1 and not _once([d for d in digits if d.loop == outer], extent):
            return f"each is computed again for every {outer}"
    return ""


def _digits(box: AxisBox, boxes: Boxes) -> list[_Digit] | None:
    """Read a first position as digits, fastest first; None when boxes do not stand side by side."""
    first = linear(box.first)
    if box.let or first.constant != 0:
        return None
    expected = box.count
    found: list[_Digit] = []
    for term, times in sorted(first.terms, key=lambda pair: pair[1]):
        digit = _digit(term)
        if digit is None or times != expected:
            return None
        extent = boxes.ranges[digit.loop][1] + 1
        expected *= digit.mod if digit.mod is not None else -(-extent // digit.div)
        found.append(digit)
    return found if expected >= box.size else None


def _digit(term: Expr) -> _Digit | None:
    match term:
        case Axis(name=name):
            return _Digit(name, 1, None)
        case Binary(op="//", left=Axis(name=name), right=Literal(value=int() as div)):
            return _Digit(name, div, None)
        case Binary(op="%", left=Axis(name=name), right=Literal(value=int() as mod)):
            return _Digit(name, 1, mod)
        case Binary(
            op="%",
            left=Binary(op="//", left=Axis(name=name), right=Literal(value=int() as div)),
            right=Literal(value=int() as mod),
        ):
            return _Digit(name, div, mod)
        case _:
            return None


def _once(digits: list[_Digit], extent: int) -> bool:
    """Whether digits make up a loop, each part once."""
    expected = 1
    for digit in sorted(digits, key=lambda d: d.div):
        if digit.div != expected:
            return False
        expected = extent if digit.mod is None else expected * digit.mod
    return expected >= extent and bool(digits)
