"""Numbers without a type."""

import math

import pytest

from edgekernelbench.base.span import NOWHERE
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary, Call, Literal, Select
from edgekernelbench.verify.literals import (
    fold_binary,
    fold_power,
    fold_unary,
    is_fractional,
    natural_type,
    typed_literal,
)

FOLDED = {
    "+": (7, 2, 9), "-": (7, 2, 5), "*": (7, 2, 14), "/": (7, 2, 3.5), "//": (-7, 2, -4), "%": (-7, 2, 1),
    "<<": (7, 2, 28), ">>": (-7, 1, -4), "&": (6, 3, 2), "|": (6, 3, 7), "^": (6, 3, 5),
}  # fmt: skip


@pytest.mark.parametrize(("op", "row"), FOLDED.items(), ids=FOLDED.keys())
def test_numbers_are_computed_as_python_does(op: str, row: tuple[int, int, float]) -> None:
    left, right, result = row
    assert fold_binary(op, left, right, NOWHERE) == Literal(result)


@pytest.mark.parametrize(
    ("op", "left", "right"),
    [
        ("/", 1, 0),
        ("//", 1, 0),
        ("%", 1, 0),
        ("//", 1.5, 1),
        ("&", 1, 1.5),
        ("<<", 1, 64),
        (">>", 1, -1),
        ("*", 1 << 600, 1 << 600),
    ],
)
def test_what_has_no_value_is_left_alone(op: str, left: float, right: float) -> None:
    assert fold_binary(op, left, right, NOWHERE) is None


def test_signs_bits_and_powers_are_computed() -> None:
    assert fold_unary("-", 2.5, NOWHERE) == Literal(-2.5)
    assert fold_unary("~", 2, NOWHERE) == Literal(-3)
    assert fold_unary("~", 2.5, NOWHERE) is None
    assert fold_power(3, 2, NOWHERE) == Literal(9)
    assert fold_power(1e300, 8, NOWHERE) is None


@pytest.mark.parametrize(
    ("value", "wanted", "found"),
    [
        (5, DType.I8, DType.I8),
        (200, DType.I8, DType.I32),
        (200, DType.U8, DType.U8),
        (-1, DType.U8, DType.I32),
        (2**31, DType.I32, None),
        (2**31, DType.I64, DType.I64),
        (-1, DType.U32, None),
        (0.5, DType.I32, None),
        (1, DType.BOOL, None),
        (1, DType.F16, DType.F16),
        (10**400, DType.F32, DType.F32),
    ],
)
def test_a_number_takes_a_type_that_holds_it(value: float, wanted: DType, found: DType | None) -> None:
    literal = typed_literal(value, wanted, NOWHERE)
    assert (literal and literal.dtype) == found


def test_a_number_beyond_floats_is_infinite() -> None:
    literal = typed_literal(-(10**400), DType.F32, NOWHERE)
    assert literal == Literal(-math.inf)


def test_a_float_is_known_by_its_parts() -> None:
    one = Literal(1)
    flag = Literal(value=True, dtype=DType.BOOL)
    assert is_fractional(Literal(0.5))
    assert is_fractional(Binary("/", one, one))
    assert is_fractional(Call("sqrt", (one,)))
    assert not is_fractional(Call("max", (one, one)))
    assert not is_fractional(Select(flag, one, one))


def test_a_number_alone_has_a_type_of_its_own() -> None:
    assert natural_type(Literal(1)) is DType.I32
    assert natural_type(Literal(2**40)) is DType.I64
    assert natural_type(Literal(1.0)) is DType.F32
