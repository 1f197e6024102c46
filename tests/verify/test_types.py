"""What type every expression has, and which casts are put there silently."""

import pytest
from tests.verify.support import typed, value, verify

from edgekernelbench.ir.walk import walk

PARAMS = (
    "a: i8[8], b: u8[8], w: u16[8], i: i32[8], u: u32[8], l: i64[8],"
    " h: f16[8], g: bf16[8], x: f32[8], d: f64[8], c: bool[8]"
)

TYPED = {
    "narrow products compute in i32": ("i32", "a[n] * a[n]", "i32(a[n]) * i32(a[n])"),
    "two narrow types meet in i32": ("i32", "max(a[n], b[n])", "max(i32(a[n]), i32(b[n]))"),
    "bits keep the common type": ("u8", "b[n] & 15", "b[n] & 15:u8"),
    "a number too wide makes it i32": ("i32", "b[n] & 256", "i32(b[n]) & 256:i32"),
    "minimum keeps the common type": ("i8", "min(a[n], 5)", "min(a[n], 5:i8)"),
    "a branch keeps the common type": ("i8", "a[n] if c[n] else -128", "a[n] if c[n] else -128:i8"),
    "negation of a narrow integer": ("i32", "-b[n]", "-i32(b[n])"),
    "inversion keeps the type": ("u8", "~b[n]", "~b[n]"),
    "absolute value of a narrow integer": ("i32", "abs(a[n])", "abs(i32(a[n]))"),
    "a power of a narrow integer": ("i32", "a[n] ** 2", "i32(a[n]) ** 2"),
    "shift counts have the type of what is shifted": ("i64", "l[n] >> i[n]", "l[n] >> i64(i[n])"),
    "shift of a literal by an axis": ("i32", "1 << n", "1:i32 << n"),
    "u32 with a number": ("u32", "u[n] * 3", "u[n] * 3:u32"),
    "u32 with i64": ("i64", "u[n] + l[n]", "i64(u[n]) + l[n]"),
    "u8 with u32": ("u32", "b[n] + u[n]", "u32(b[n]) + u[n]"),
    "a whole number beside a float": ("f32", "x[n] * 2", "x[n] * 2.0:f32"),
    "f16 with f32": ("f32", "h[n] * x[n]", "f32(h[n]) * x[n]"),
    "f16 with a number": ("f16", "h[n] * 0.5", "h[n] * 0.5:f16"),
    "f32 with f64": ("f64", "x[n] + d[n]", "f64(x[n]) + d[n]"),
    "widened by the declaration": ("f64", "h[n]", "f64(h[n])"),
    "u8 stored as i32": ("i32", "b[n]", "i32(b[n])"),
    "a number takes the declared type": ("f16", "1", "1.0:f16"),
    "numbers in branches take the declared type": ("i64", "1 if c[n] else 0", "1:i64 if c[n] else 0:i64"),
    "numbers in branches take the other operand": (
        "f32",
        "x[n] * (2 if c[n] else 3)",
        "x[n] * (2.0:f32 if c[n] else 3.0:f32)",
    ),
    "numbers too wide in a branch": (
        "i32",
        "min(a[n], 300 if c[n] else 0)",
        "min(i32(a[n]), 300:i32 if c[n] else 0:i32)",
    ),
    "arithmetic of branches of numbers": (
        "i8",
        "i8((1 if c[n] else 2) + 3)",
        "i8((1:i32 if c[n] else 2:i32) + 3:i32)",
    ),
    "infinity": ("f16", "max(h[n], -inf)", "max(h[n], -inf:f16)"),
    "pi": ("f32", "pi * x[n]", "3.141592653589793:f32 * x[n]"),
    "a cast to float": ("f32", "f32(a[n]) * 0.5", "f32(a[n]) * 0.5:f32"),
    "a cast of a number": ("f16", "f16(0.1)", "f16(0.1:f16)"),
    "saturation": ("i8", "sat_i8(round(x[n]))", "sat_i8(round(x[n]))"),
    "a function of a number": ("f32", "sqrt(2) * x[n]", "sqrt(2.0:f32) * x[n]"),
    "a function alone": ("f64", "exp(1)", "exp(1.0:f64)"),
    "two floats in a function": ("f32", "atan2(h[n], x[n])", "atan2(f32(h[n]), x[n])"),
    "clamp with numbers": ("f32", "clamp(x[n], 0, 6)", "clamp(x[n], 0.0:f32, 6.0:f32)"),
    "bits are counted in i32": ("i32", "popcount(b[n])", "popcount(b[n])"),
    "bits of a float": ("u32", "as_u32(x[n]) >> 23", "as_u32(x[n]) >> 23:u32"),
    "comparison in one type": ("bool", "b[n] == i[n]", "i32(b[n]) == i[n]"),
    "comparison with a number": ("bool", "b[n] < 10", "b[n] < 10:u8"),
    "a chain in one type": ("bool", "0 <= b[n] < i[n]", "0:i32 <= i32(b[n]) < i[n]"),
    "a chain with a number too wide": ("bool", "0 <= b[n] < 300", "0:i32 <= i32(b[n]) < 300:i32"),
    "a chain that mixes": ("bool", "h[n] < 1 < g[n]", "h[n] < 1.0:f16 and 1.0:bf16 < g[n]"),
    "truth values are compared": ("bool", "c[n] == (n > 3)", "c[n] == (n > 3:i32)"),
    "numbers alone are compared": ("bool", "c[n] and 1 < 2.5", "c[n] and 1.0:f32 < 2.5:f32"),
    "an index of narrow integers": ("f32", "x[i32(b[n] & 7)]", "x[i32(b[n] & 7:u8)]"),
    "a narrow index is widened": ("f32", "x[b[n] & 7]", "x[i32(b[n] & 7:u8)]"),
    "a wide index stays wide": ("f32", "x[l[n] & 7]", "x[l[n] & 7:i64]"),
    "an unsigned index is widened to i64": ("f32", "x[u[n] & 7]", "x[i64(u[n] & 7:u32)]"),
}


@pytest.mark.parametrize(("dtype", "source", "wanted"), TYPED.values(), ids=TYPED.keys())
def test_an_expression_has_its_types(dtype: str, source: str, wanted: str) -> None:
    facts = verify(PARAMS, f"out[n]: {dtype}[8] = {source}")
    assert typed(value(facts)) == wanted


@pytest.mark.parametrize("source", [row[1] for row in TYPED.values()], ids=TYPED.keys())
def test_no_node_is_left_without_a_type(source: str) -> None:
    dtype = next(row[0] for row in TYPED.values() if row[1] == source)
    facts = verify(PARAMS, f"out[n]: {dtype}[8] = {source}")
    assert all(node.dtype is not None for node in walk(value(facts)))


REDUCED = {
    "i8 elements in an i32 sum": ("i32", "sum(a[n] for n in range(8))", "i32(a[n])"),
    "counted": ("i32", "sum(1 for n in range(8) if c[n])", "1:i32"),
    "f16 elements in an f32 sum": ("f32", "sum(h[n] for n in range(8))", "f32(h[n])"),
    "the largest place keeps the element's type": ("i32", "argmax(h[n] for n in range(8))", "h[n]"),
    "the largest of i8": ("i8", "max(a[n] for n in range(8))", "a[n]"),
    "any": ("bool", "any(c[n] for n in range(8))", "c[n]"),
    "largest place of numbers": (
        "i32",
        "argmin(1 if c[n] else 2 for n in range(8))",
        "1:i32 if c[n] else 2:i32",
    ),
}


@pytest.mark.parametrize(("dtype", "source", "wanted"), REDUCED.values(), ids=REDUCED.keys())
def test_a_reduction_has_its_types(dtype: str, source: str, wanted: str) -> None:
    facts = verify(PARAMS, f"out: {dtype} = {source}")
    assert typed(value(facts)) == wanted
