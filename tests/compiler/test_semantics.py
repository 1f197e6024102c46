"""What the language says of values, bit by bit: compilers against the interpreter, scalar and in vectors."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.compiler.hand import HOST
from tests.compiler.running import check, plain, vectorised
from tests.interp.texts import verified

pytestmark = pytest.mark.needs_tvm

N = 67
"""Four registers of sixteen lanes and a rest of three."""
INTEGERS: dict[str, NDArray[Any]] = {
    "p": np.arange(-33, 34, dtype=np.int32),
    "q": np.where(np.arange(N) % 7 == 3, -4, np.arange(N) % 9 + 1).astype(np.int32),
    "s": np.resize(np.array([-128, 127, -1, 0, 5, 100, -77], np.int8), N),
    "u": np.resize(np.array([0, 1, 2**31, 2**32 - 1, 12345, 2654435769], np.uint32), N),
    "l": np.resize(np.array([-(2**62), 2**62, -1, 0, 3, 10**12], np.int64), N),
}
SIGNATURE = "p: i32[67] in range(-33, 34), q: i32[67] in range(-4, 10), s: i8[67], u: u32[67], l: i64[67]"
FLOATS: dict[str, NDArray[Any]] = {
    "x": np.resize(
        np.array([0.0, -0.0, 1.5, 2.5, -0.5, 3e9, -3e9, np.inf, -np.inf, np.nan, 127.5, -128.6], np.float32),
        N,
    ),
    "d": np.resize(np.array([0.1, -1e300, 1e-300, 65519.99, 2.0**-25, 1.00048828125], np.float64), N),
}


def text(signature: str, *lines: str) -> str:
    names = [line.split("[")[0].split(":")[0] for line in lines]
    body = "\n".join(f"        {line}" for line in lines)
    head = f'def k({signature}):\n    """Under test."""\n\n    with compute:'
    return f"{head}\n{body}\n        return {', '.join(names)}\n"


def both_ways(source: str, inputs: Mapping[str, NDArray[Any]], *, ulps: float = 4) -> None:
    facts = verified(source)
    used = {param.name: inputs[param.name] for param in facts.kernel.params}
    check(plain(facts), used, ulps=ulps)
    check(vectorised(facts), used, HOST, ulps=ulps)


def test_division_floors_and_remainders_follow_the_divisor() -> None:
    both_ways(
        text(
            SIGNATURE,
            "a[i]: i32[67] = p[i] // 7",
            "b[i]: i32[67] = p[i] % 7",
            "c[i]: i32[67] = p[i] // q[i] if q[i] != 0 else p[i]",
            "e[i]: i32[67] = p[i] % q[i] if q[i] != 0 else 1",
            "f[i]: u32[67] = u[i] // 3 + u[i] % 5",
            "g[i]: i64[67] = l[i] // 1000 - l[i] % 77",
            "h[i]: i32[67] = (p[i] // q[i] if q[i] > 0 else 0)",
            "m[i]: i32[67] = p[(i * 5 + 3) % 67] - (i - 40) // 16",
        ),
        INTEGERS,
    )


def test_narrow_arithmetic_is_exact_and_casts_wrap() -> None:
    both_ways(
        text(
            SIGNATURE,
            "a[i]: i32[67] = s[i] * s[i] - 3",
            "b[i]: i8[67] = i8(s[i] * s[i] + p[i])",
            "c[i]: u8[67] = u8(p[i] * 100)",
            "e[i]: i16[67] = i16(p[i] * 4001)",
            "f[i]: i8[67] = ~s[i] & 63 | 1",
            "g[i]: i8[67] = s[i] ^ i8(p[i])",
            "h[i]: i32[67] = -s[i] + abs(s[i])",
            "m[i]: u32[67] = u[i] * 2654435769 + u[i] - 7",
            "n[i]: i32[67] = i32(l[i] // 65536)",
        ),
        INTEGERS,
    )


def test_shifts_and_bits() -> None:
    both_ways(
        text(
            SIGNATURE,
            "a[i]: i32[67] = p[i] >> 2",
            "b[i]: i32[67] = p[i] << 3",
            "c[i]: u32[67] = u[i] >> 7",
            "e[i]: u32[67] = u[i] << 5",
            "f[i]: i32[67] = popcount(p[i]) + popcount(s[i]) + popcount(u[i]) + popcount(l[i])",
            "g[i]: i64[67] = l[i] >> 3",
            "h[i]: u32[67] = ~u[i]",
            "m[i]: i32[67] = as_i32(u[i])",
            "n[i]: u32[67] = as_u32(as_f32(u[i] & 2139095039))",
        ),
        INTEGERS,
    )


def test_saturating_casts_clamp_and_turn_nan_into_zero() -> None:
    both_ways(
        text(
            "x: f32[67], d: f64[67], p: i32[67], l: i64[67], u: u32[67]",
            "a[i]: i8[67] = sat_i8(x[i])",
            "b[i]: u8[67] = sat_u8(round(x[i]))",
            "c[i]: i32[67] = sat_i32(x[i])",
            "e[i]: u32[67] = sat_u32(x[i])",
            "f[i]: i16[67] = sat_i16(p[i] * 5000)",
            "g[i]: u8[67] = sat_u8(p[i])",
            "h[i]: i32[67] = sat_i32(l[i])",
            "m[i]: i64[67] = sat_i64(d[i])",
            "n[i]: i8[67] = sat_i8(u[i])",
        ),
        {**FLOATS, **INTEGERS},
    )


def test_rounding_is_half_to_even_and_infinity_behaves() -> None:
    both_ways(
        text(
            "x: f32[67]",
            "a[i]: f32[67] = round(x[i])",
            "b[i]: f32[67] = floor(x[i])",
            "c[i]: f32[67] = ceil(x[i])",
            "e[i]: f32[67] = trunc(x[i])",
            "f[i]: f32[67] = max(x[i], -inf) if x[i] > 0.0 else -inf",
            "g[i]: bool[67] = x[i] < 0.0 or x[i] >= inf",
        ),
        FLOATS,
    )


def test_sixteen_bit_floats_round_once_to_nearest_even() -> None:
    every = np.arange(65536, dtype=np.uint16)
    halves = every.view(np.float16)
    facts = verified(
        text("x: f16[65536]", "a[i]: f32[65536] = f32(x[i])", "b[i]: f16[65536] = f16(f32(x[i]))")
    )
    check(vectorised(facts), {"x": np.where(np.isnan(halves), np.float16(0), halves)})
    both_ways(
        text(
            "x: f32[67], d: f64[67], p: i32[67] in range(-33, 34)",
            "a[i]: f16[67] = f16(clamp(x[i], -1000.0, 1000.0))",
            "b[i]: bf16[67] = bf16(x[i])",
            "c[i]: f16[67] = f16(clamp(d[i], -60000.0, 65519.99))",
            "e[i]: bf16[67] = bf16(d[i] * 1.00390625)",
            "f[i]: bf16[67] = bf16(p[i] * 8388609)",
            "g[i]: f32[67] = f32(bf16(x[i] * 0.7))",
        ),
        {"p": INTEGERS["p"], "d": FLOATS["d"], "x": np.linspace(-3, 3, N).astype(np.float32)},
        ulps=0,
    )


def test_packed_nibbles_are_read_low_half_first() -> None:
    signed = np.tile(np.arange(-8, 8, dtype=np.int8), 5)[:75].reshape(5, 15)
    both_ways(
        text(
            "w: i4[5, 15], v: u4[5, 15]",
            "a[i, j]: i32[5, 15] = w[i, j] * 3 + v[4 - i, 14 - j]",
            "b[i]: i32[5] = sum(w[i, k] * v[i, k] for k in range(15))",
        ),
        {"w": signed, "v": (signed + 8).astype(np.uint8)},
    )


def test_only_the_chosen_side_reads() -> None:
    both_ways(
        text(
            "x: f32[67], p: i32[67] in range(-33, 34)",
            "a[i]: f32[67] = x[i - 1] if i >= 1 else 0.0",
            "b[i]: f32[67] = x[i + 1] if i < 66 and x[i + 1] > 1.0 else -1.0",
            "c[i]: f32[67] = (x[2 * i - 3] if 2 <= i <= 34 else 7.0)",
            "e[i]: f32[67] = x[p[i]] if p[i] >= 0 else x[-p[i]]",
            "f[i]: f32[67] = x[66 - i] if p[i] > 0 else x[i]",
        ),
        {"p": INTEGERS["p"], "x": np.arange(N, dtype=np.float32)},
    )


def test_truth_values() -> None:
    both_ways(
        text(
            "m: bool[67], x: f32[67]",
            "a[i]: bool[67] = m[i] and x[i] > 3.0 or not m[66 - i]",
            "b[i]: bool[67] = m[i] == m[66 - i]",
            "c[i]: i32[67] = i32(m[i]) + i32(x[i] > 30.0)",
            "e[i]: f32[67] = x[i] if m[i] else -x[i]",
            "f: bool = any(m[k] for k in range(67) if x[k] > 64.0)",
            "g[i]: bool[5] = all(m[k] for k in range(67) if k % 5 == i)",
            "h: i32 = sum(1 for k in range(67) if m[k])",
            "n[i]: bool[67] = m[i] != (x[i] < 9.0)",
        ),
        {"m": np.arange(N) % 3 != 1, "x": np.arange(N, dtype=np.float32)},
    )


def test_reductions_of_nothing_and_of_equals() -> None:
    x = np.resize(np.array([[-np.inf], [2.0], [2.0]], np.float32), (3, N)).copy()
    x[1, 5:9] = 7.0
    both_ways(
        text(
            "x: f32[3, 67]",
            "a[i]: f32[3] = max(x[i, k] for k in range(67) if k > 90)",
            "b[i]: i32[3] = argmax(x[i, k] for k in range(67))",
            "c[i]: i32[3] = argmin(x[i, k] for k in range(67) if x[i, k] > 100.0)",
            "e[k]: i32[67] = argmin(x[i, k] for i in range(3))",
            "f[i]: f32[3] = prod(1.5 for k in range(4) if k != i)",
            "g[i]: i32[3] = min(k for k in range(67) if x[i, k] > 3.0)",
            "h: i32 = argmax(x[i, k] for i in range(3) for k in range(67))",
        ),
        {"x": x},
    )


def test_powers_tables_and_doubles() -> None:
    both_ways(
        text(
            "x: f32[67], d: f64[67]",
            "t: f32[5] = [0.1, -2.0, 1e-30, 3.0, 0.5]",
            "a[i]: f32[67] = x[i] ** 3 * t[i % 5]",
            "b[i]: f64[67] = exp(clamp(d[i], -5.0, 5.0)) + sqrt(abs(d[i])) + sin(clamp(d[i], 0.0, 1.0))",
            "c[i]: f32[67] = atan2(x[i], 2.0) + atan(x[i])",
        ).replace("return t, ", "return "),
        {"d": FLOATS["d"], "x": np.linspace(-4, 4, N).astype(np.float32)},
        ulps=8,
    )
