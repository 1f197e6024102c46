"""Functions in `f32` without a library: arithmetic alone, so that they become vectors.

Library calls never do. Each program is within about four units in the last place of the exact value,
infinities and denormals included; a NaN stays one.

Source:
    Moshier, "Methods and Programs for Mathematical Functions" (1989) and the Cephes library, for the
    reductions and the single-precision polynomials of `exp`, `exp2`, `log`, `log2`, `tanh`, `sin` and `cos`;
    the Eigen library, `MathFunctionsImpl.h`, for the rational approximation of `erf`. The series of `pow`
    are Taylor's. `tests/compiler/test_mathematics.py` measures them all.
"""

from collections.abc import Mapping

from edgekernelbench.compiler.programs import Program, Term, Writer, number, polynomial, select
from edgekernelbench.ir.dtype import DType

F32, F64, I32 = DType.F32, DType.F64, DType.I32

_ROUNDER = 12582912.0
"""1.5 * 2**23: adding it rounds a small f32 to an integer, which then stands in the low bits."""
_ROUNDER_BITS = 0x4B400000
_HALF_ROOT_BITS = 0x3F3504F3
"""The bits of sqrt(1/2): mantissas are taken from there to sqrt(2), round 1."""
_LN2_HIGH, _LN2_LOW = 0.693359375, -2.12194440e-4
"""ln 2 in two pieces; the first has so few bits that a product with an exponent is exact."""

_EXP = (1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2, 1.6666665459e-1, 5.0000001201e-1)
_EXP2 = (
    1.535336188319500e-4, 1.339887440266574e-3, 9.618437357674640e-3, 5.550332471162809e-2,
    2.402264791363012e-1, 6.931472028550421e-1,
)  # fmt: skip
_LOG = (
    7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1, -1.6668057665e-1,
    2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1,
)  # fmt: skip
_SIN = (-1.9515295891e-4, 8.3321608736e-3, -1.6666654611e-1)
_COS = (2.443315711809948e-5, -1.388731625493765e-3, 4.166664568298827e-2)
_HALF_PI = (1.57079632673412561417, 6.07710050630396597660e-11, 2.02226624879595063154e-21)
"""pi/2 in three doubles; the first two have 33 bits, so that products with 20-bit integers are exact."""


def _scaled(w: Writer, value: Term, exponent: Term) -> Term:
    """Multiply by a power of two in two steps, so that denormal and huge results come out right."""
    half = w.let("half", exponent >> 1)
    low = ((half + 127) << 23).call("as_f32", F32)
    high = ((exponent - half + 127) << 23).call("as_f32", F32)
    return value * low * high


def _rounded(w: Writer, x: Term) -> tuple[Term, Term]:
    """Round to an integer; give it as `f32` and as `i32`."""
    shifted = w.let("shifted", x + _ROUNDER)
    return w.let("whole", shifted - _ROUNDER), w.let("count", shifted.call("as_i32", I32) - _ROUNDER_BITS)


def _clamped(w: Writer, x: Term, low: float, high: float) -> Term:
    x = w.let("free", x)
    return w.let("c", select(x < low, low, select(x > high, high, x)))


def _exp() -> Program:
    w = Writer(("x", F32))
    x = w.param()
    # Results that are 0 anyway are kept from the slow path of denormals.
    c = _clamped(w, select(x < -104.0, 0.0, x), -104.0, 89.0)
    whole, count = _rounded(w, c * 1.44269504088896341)
    r = w.let("r", c - whole * _LN2_HIGH - whole * _LN2_LOW)
    p = w.let("p", polynomial(r, _EXP) * (r * r) + r + 1.0)
    return w.finish(select(x < -104.0, 0.0, _scaled(w, p, count)))


def _exp2() -> Program:
    w = Writer(("x", F32))
    x = w.param()
    c = _clamped(w, select(x < -151.0, 0.0, x), -151.0, 129.0)
    whole, count = _rounded(w, c)
    r = w.let("r", c - whole)
    p = w.let("p", polynomial(r, _EXP2) * r + 1.0)
    return w.finish(select(x < -151.0, 0.0, _scaled(w, p, count)))


def _mantissa(w: Writer, x: Term) -> tuple[Term, Term]:
    """Split a positive number into its exponent, as `f32`, and a mantissa round 1, less 1; mantissa first."""
    tiny = w.let("tiny", x < 1.1754943508222875e-38)
    bits = w.let("bits", select(tiny, x * 33554432.0, x).call("as_i32", I32))
    exponent = w.let("exponent", (bits - _HALF_ROOT_BITS) >> 23)
    f = w.let("f", (bits - (exponent << 23)).call("as_f32", F32) - 1.0)
    shift = select(tiny, number(F32, -25.0), number(F32, 0.0))
    return f, w.let("e", exponent.cast(F32) + shift)


def _log_tail(w: Writer, f: Term) -> Term:
    """Give ln(1 + f) - f."""
    z = w.let("z", f * f)
    return polynomial(f, _LOG) * f * z - z * 0.5


def _log_ends(x: Term, value: Term) -> Term:
    """Put right what a logarithm gives for 0, negative numbers, infinity and NaN."""
    inf = float("inf")
    ordinary = (x > 0.0).both(x < inf)
    return select(ordinary, value, select(x.equals(0.0), -inf, select(x < 0.0, float("nan"), x)))


def _log() -> Program:
    w = Writer(("x", F32))
    f, e = _mantissa(w, w.param())
    tail = w.let("tail", _log_tail(w, f) + e * _LN2_LOW)
    return w.finish(_log_ends(w.param(), f + tail + e * _LN2_HIGH))


def _log2() -> Program:
    w = Writer(("x", F32))
    f, e = _mantissa(w, w.param())
    tail = w.let("tail", _log_tail(w, f))
    rest = 0.44269504088896340736
    return w.finish(_log_ends(w.param(), tail * rest + f * rest + tail + f + e))


def _sigmoid() -> Program:
    w = Writer(("x", F32))
    x = w.param()
    e = w.let("e", w.include(_exp(), -x.call("abs")))
    return w.finish(select(x < 0.0, e, number(F32, 1.0)) / (e + 1.0))


def _tanh() -> Program:
    """`(1 - e) / (1 + e)` loses digits near 0, so small arguments have a polynomial of their own."""
    w = Writer(("x", F32))
    x = w.param()
    size = w.let("size", x.call("abs"))
    e = w.let("e", w.include(_exp(), size * -2.0))
    large = w.let("large", (number(F32, 1.0) - e) / (e + 1.0))
    s = w.let("s", x * x)
    near = (-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1)
    small = w.let("small", polynomial(s, near) * s * x + x)
    return w.finish(select(size < 0.625, small, select(x < 0.0, -large, large)))


def _erf() -> Program:
    w = Writer(("x", F32))
    c = _clamped(w, w.param(), -4.0, 4.0)
    s = w.let("s", c * c)
    above = (
        -2.72614225801306e-10, 2.77068142495902e-08, -2.10102402082508e-06, -5.69250639462346e-05,
        -7.34990630326855e-04, -2.95459980854025e-03, -1.60960333262415e-02,
    )  # fmt: skip
    below = (
        -1.45660718464996e-05, -2.13374055278905e-04, -1.68282697438203e-03, -7.37332916720468e-03,
        -1.42647390514189e-02,
    )  # fmt: skip
    return w.finish(polynomial(s, above) / polynomial(s, below) * c)


def _quadrant(w: Writer, x: Term) -> tuple[Term, Term]:
    """Take away a whole number of quarter turns; give what is left as `f32`, and the number.

    Exact up to 2**20 quarter turns; beyond, the error of the angle is some 1e-16 of it.
    """
    wide = w.let("wide", x.cast(F64))
    turns = w.let("turns", (wide * 0.63661977236758134308).call("round"))
    left = wide
    for piece in _HALF_PI:
        left = w.let("left", left - turns * piece)
    inside = turns.call("abs") < 2147483647.0
    count = w.let("count", select(inside, turns, number(F64, 0.0)).cast(I32))
    # Beyond some 1e9 no digit is right; the value stays a sine all the same.
    return _clamped(w, left.cast(F32), -0.7853982, 0.7853982), count


def _circle(shift: int) -> Program:
    """`sin`, or with a shift of one quarter turn `cos`."""
    w = Writer(("x", F32))
    r, count = _quadrant(w, w.param())
    turn = w.let("turn", count + shift)
    z = w.let("z", r * r)
    sine = w.let("sine", polynomial(z, _SIN) * z * r + r)
    cosine = w.let("cosine", polynomial(z, _COS) * z * z - z * 0.5 + 1.0)
    value = w.let("value", select((turn & 1).equals(1), cosine, sine))
    return w.finish(select((turn & 2).equals(2), -value, value))


def _pow() -> Program:
    """In `f64` throughout: an `f32` logarithm has too few digits for a large exponent."""
    w = Writer(("x", F32), ("y", F32))
    x, y = w.param(0), w.param(1)
    size = w.let("size", x.call("abs"))
    f, e = _mantissa(w, size)
    d = w.let("d", f.cast(F64))
    s = w.let("s", d / (d + 2.0))
    z = w.let("z", s * s)
    series = tuple(2.885390081777926815 / n for n in (15, 13, 11, 9, 7, 5, 3, 1))
    log2 = w.let("log2", polynomial(z, series) * s + e.cast(F64))
    inf = float("inf")
    ends = select(size.equals(0.0), -inf, select(size.equals(inf), inf, log2))
    # One to any power is one, where 0 * inf would be no number.
    raw = w.let("raw", select(size.equals(1.0), 0.0, w.let("ends", ends) * y.cast(F64)))
    known = (raw < inf).either(raw > -inf)
    # Each value is used as seldom as can be: TVM puts it in the place of its name, again and again.
    t = w.let("t", raw.clamp(-151.0, 129.0))
    whole = w.let("whole", t.call("round"))
    u = w.let("u", (t - whole) * 0.69314718055994530942)
    taylor = tuple(1.0 / n for n in (362880.0, 40320.0, 5040.0, 720.0, 120.0, 24.0, 6.0, 2.0, 1.0, 1.0))
    p = w.let("p", polynomial(u, taylor).cast(F32))
    count = w.let("count", select(known, whole, number(F64, 0.0)).cast(I32))
    power = w.let("power", select(known, _scaled(w, p, count), raw.cast(F32)))
    return w.finish(_pow_ends(w, power, size))


def _pow_ends(w: Writer, power: Term, size: Term) -> Term:
    """Give the sign, and what holds whatever the other argument is."""
    x, y = w.param(0), w.param(1)
    half = w.let("half_y", y * 0.5)
    integer = w.let("integer", y.call("round").equals(y))
    even = w.let("even", half.call("round").equals(half))
    one = number(F32, 1.0)
    negative = select(integer, select(even, one, -one), number(F32, float("nan")))
    minus = (x < 0.0).both(size < float("inf"))
    sided = w.let("sided", power * select(minus.either(x.equals(-float("inf")).both(integer)), negative, one))
    return select(y.equals(0.0).either(x.equals(1.0)), 1.0, sided)


PROGRAMS: Mapping[str, Program] = {
    "exp": _exp(), "exp2": _exp2(), "log": _log(), "log2": _log2(), "sigmoid": _sigmoid(), "tanh": _tanh(),
    "erf": _erf(), "sin": _circle(0), "cos": _circle(1), "pow": _pow(),
}  # fmt: skip
"""The functions that have a program, by their word in the language."""
