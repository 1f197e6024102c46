"""Each operation of the language, in both evaluators, against values worked out by hand or by `math`."""

import math
import re
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.interp.comparing import assert_same
from tests.interp.texts import verified

from edgekernelbench.interp.arithmetic import Precision, storage_type
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.interp.scalar import evaluate_scalar
from edgekernelbench.ir.dtype import DType

INF, NAN = math.inf, math.nan
BOTH: list[Precision] = ["reference", "declared"]


def values(
    expression: str, to: str, source: str, given: list[Any], precision: Precision = "declared"
) -> NDArray[Any]:
    """Compute an expression in `x` for given values of one type; both evaluators must agree."""
    size, element = len(given), re.sub(r"\bx\b", "x[i]", expression)
    facts = verified(
        f"def k(x: {source}[{size}]):\n    with compute:\n"
        f"        out[i]: {to}[{size}] = {element}\n        return out\n"
    )
    inputs = {"x": np.array(given, storage_type(DType(source)))}
    (found,), (literal,) = evaluate(facts, inputs, precision), evaluate_scalar(facts, inputs, precision)
    assert_same(found, literal, ulps=4)
    return found


@pytest.mark.parametrize(
    ("expression", "to", "source", "given", "expected"),
    [
        ("x // 3", "i32", "i32", [7, -7, 0], [2, -3, 0]),
        ("x // -3", "i32", "i32", [7, -7], [-3, 2]),
        ("x % 3", "i32", "i32", [7, -7], [1, 2]),
        ("x % -3", "i32", "i32", [7, -7], [-2, -1]),
        ("x * x", "i32", "i8", [-128, 127], [16384, 16129]),
        ("x + x", "i32", "u8", [255], [510]),
        ("-x", "i32", "i8", [-128], [128]),
        ("abs(x)", "i32", "i8", [-128, 5], [128, 5]),
        ("x >> 1", "i32", "i32", [-3, 3], [-2, 1]),
        ("x << 3", "i32", "i32", [-3, 3], [-24, 24]),
        ("x ** 3", "i32", "i32", [-3, 3], [-27, 27]),
        ("~x", "i8", "i8", [0, -128], [-1, 127]),
        ("~x", "u8", "u8", [0, 200], [255, 55]),
        ("~x", "i32", "u4", [0, 9], [15, 6]),
        ("~x", "i32", "i4", [0, -8], [-1, 7]),
        ("x & 6", "u8", "u8", [255, 3], [6, 2]),
        ("x | 6", "u8", "u8", [8], [14]),
        ("x ^ 6", "u8", "u8", [3], [5]),
        ("x - 1", "u32", "u32", [0], [2**32 - 1]),
        ("x * x", "u32", "u32", [2**31 + 1], [1]),
        ("~x", "u32", "u32", [1], [2**32 - 2]),
        ("i64(x) * i64(x)", "i64", "i32", [2**31 - 1], [(2**31 - 1) ** 2]),
        ("popcount(x)", "i32", "i8", [-1, 1, 0, -128], [8, 1, 0, 1]),
        ("popcount(x)", "i32", "u32", [2**32 - 1], [32]),
        ("popcount(x)", "i32", "i64", [-1], [64]),
        ("i8(x)", "i8", "i32", [200, -200, 127], [-56, 56, 127]),
        ("u8(x)", "u8", "i32", [-1, 256], [255, 0]),
        ("u32(x)", "u32", "i32", [-1], [2**32 - 1]),
        ("i32(x)", "i32", "u32", [2**32 - 1], [-1]),
        ("i32(x)", "i32", "i64", [2**32 + 5], [5]),
        ("sat_i8(x)", "i8", "i32", [200, -200, 5], [127, -128, 5]),
        ("sat_u8(x)", "u8", "i32", [200, -200, 300], [200, 0, 255]),
        ("sat_u32(x)", "u32", "i32", [-1, 7], [0, 7]),
        ("i32(x)", "i32", "f32", [2.9, -2.9, -0.5], [2, -2, 0]),
        ("sat_i8(x)", "i8", "f32", [2.9, -2.9, 1e9, -INF, NAN], [2, -2, 127, -128, 0]),
        ("sat_u8(x)", "u8", "f32", [-0.9, 254.9, 255.5], [0, 254, 255]),
        ("sat_i32(x)", "i32", "f32", [3e9, -3e9], [2**31 - 1, -(2**31)]),
        ("sat_i64(x)", "i64", "f32", [1e19, -1e19, NAN, 2.0**40], [2**63 - 1, -(2**63), 0, 2**40]),
        ("i32(round(x))", "i32", "f32", [0.5, 1.5, 2.5, -0.5, -1.5], [0, 2, 2, 0, -2]),
        ("i32(floor(x))", "i32", "f32", [-0.5, 1.5], [-1, 1]),
        ("i32(ceil(x))", "i32", "f32", [-0.5, 1.5], [0, 2]),
        ("i32(trunc(x))", "i32", "f32", [-1.5, 1.5], [-1, 1]),
        ("as_i32(x)", "i32", "f32", [1.0, -0.0], [0x3F800000, -(2**31)]),
        ("as_u32(x)", "u32", "f32", [-1.0], [0xBF800000]),
        ("as_i32(x)", "i32", "u32", [2**32 - 1], [-1]),
        ("clamp(x, -2, 2)", "i8", "i8", [-9, 1, 9], [-2, 1, 2]),
        ("min(x, 3, 1)", "i32", "i32", [0, 2], [0, 1]),
        ("max(x, 3, 1)", "i32", "i32", [0, 5], [3, 5]),
        ("i32(x > 0)", "i32", "f32", [INF, -1.0], [1, 0]),
        ("i32(0 <= x < 5)", "i32", "i32", [-1, 0, 4, 5], [0, 1, 1, 0]),
        ("i32(x == True)", "i32", "bool", [True, False], [1, 0]),
        ("i32(not x)", "i32", "bool", [True, False], [0, 1]),
        ("10 // x if x != 0 else -1", "i32", "i32", [0, 3], [-1, 3]),
        ("i32(x != 0 and 10 % x == 1)", "i32", "i32", [0, 3, 5], [0, 1, 0]),
    ],
)
def test_an_integer_operation(
    expression: str, to: str, source: str, given: list[Any], expected: list[int]
) -> None:
    for precision in BOTH:
        assert values(expression, to, source, given, precision).tolist() == expected


@pytest.mark.parametrize("precision", BOTH)
@pytest.mark.parametrize(
    ("name", "function", "low"),
    [
        ("sqrt", math.sqrt, 0.1),
        ("rsqrt", lambda x: 1 / math.sqrt(x), 0.1),
        ("exp", math.exp, -3),
        ("exp2", lambda x: 2.0**x, -3),
        ("log", math.log, 0.1),
        ("log2", math.log2, 0.1),
        ("sin", math.sin, -3),
        ("cos", math.cos, -3),
        ("tan", math.tan, -1),
        ("asin", math.asin, -0.5),
        ("acos", math.acos, -0.5),
        ("atan", math.atan, -3),
        ("tanh", math.tanh, -3),
        ("sigmoid", lambda x: 1 / (1 + math.exp(-x)), -3),
        ("erf", math.erf, -3),
        ("abs", abs, -3),
    ],
)
def test_a_function_of_floats(name: str, function: Any, low: float, precision: Precision) -> None:
    given = np.linspace(low, low + 1, 7).astype(np.float32).tolist()
    found = values(f"{name}(x)", "f32", "f32", given, precision)
    expected = [function(x) for x in given]
    np.testing.assert_allclose(found, expected, rtol=1e-14 if precision == "reference" else 4e-7)


@pytest.mark.parametrize("precision", BOTH)
def test_functions_of_two_floats(precision: Precision) -> None:
    given = [-2.0, -0.5, 0.75, 3.0]
    power = values("pow(abs(x), x)", "f32", "f32", given, precision)
    np.testing.assert_allclose(power, [abs(x) ** x for x in given], rtol=1e-6)
    angle = values("atan2(x, x - 1.0)", "f32", "f32", given, precision)
    np.testing.assert_allclose(angle, [math.atan2(x, x - 1) for x in given], rtol=1e-6)


@pytest.mark.parametrize("precision", BOTH)
def test_infinity_behaves(precision: Precision) -> None:
    found = values("1.0 / x", "f32", "f32", [0.0, INF, -INF], precision)
    assert found.tolist() == [INF, 0, 0]
    assert values("exp(x)", "f32", "f32", [INF, -INF], precision).tolist() == [INF, 0]
    assert values("sigmoid(x)", "f32", "f32", [INF, -INF, -1000.0], precision).tolist() == [1, 0, 0]
    assert values("min(x, inf)", "f32", "f32", [INF, 1.0], precision).tolist() == [INF, 1]


def test_bits_become_a_float() -> None:
    for source in ("i32", "u32"):
        assert values("as_f32(x)", "f32", source, [0x3FC00000], "reference").tolist() == [1.5]


def test_the_reference_keeps_what_the_declared_type_rounds_away() -> None:
    given = [1.0, 3.0]
    for dtype, digits in (("f16", 10), ("bf16", 7), ("f32", 23)):
        step = 2.0 ** -(digits + 2)
        expression = f"(x + {step!r}) - x"
        assert values(expression, dtype, dtype, given, "reference").tolist() == [step, step]
        rounded = values(expression, dtype, dtype, given, "declared")
        assert rounded.dtype == storage_type(DType(dtype))
        assert rounded.astype(float).tolist() == [0, 0]


def test_sums_of_a_narrow_type_stick_where_a_serial_sum_does() -> None:
    facts = verified(
        "def k(x: f16[3, 4096]):\n    with compute:\n"
        "        out[i]: f16[3] = sum(x[i, j] for j in range(4096))\n        return out\n"
    )
    inputs = {"x": np.ones((3, 4096), np.float16)}
    (exact,), (serial,) = evaluate(facts, inputs), evaluate(facts, inputs, "declared")
    assert exact.tolist() == [4096] * 3
    assert serial.tolist() == [2048] * 3
