"""The small C functions that emitted code calls, each written only where it is used.

All are named `ekb_…`, so that no name of a text can hide them.
"""

from collections.abc import Callable

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.ir.dtype import DType

WIDTHS = {
    "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t", "u16": "uint16_t", "i32": "int32_t",
    "u32": "uint32_t", "i64": "int64_t", "f32": "float", "f64": "double", "bool": "bool",
}  # fmt: skip
"""The C types of the language's types, those that have one."""

_SAME = ("floor", "ceil", "trunc", "sqrt", "exp", "exp2", "log", "log2", "sin", "cos", "tan", "asin", "acos",
         "atan", "tanh", "erf", "pow", "atan2")  # fmt: skip
_LIBM = {**{name: name for name in _SAME}, "round": "rint"}

_F16 = """\
#ifdef __FLT16_MAX__
typedef _Float16 ekb_f16;
static inline float ekb_from_f16(ekb_f16 x) { return (float)x; }
static inline ekb_f16 ekb_to_f16(float x) { return (ekb_f16)x; }
static inline ekb_f16 ekb_to_f16_double(double x) { return (ekb_f16)x; }
#else
typedef uint16_t ekb_f16;
static inline float ekb_from_f16(ekb_f16 x) {
    const int exponent = x >> 10 & 31, fraction = x & 1023;
    const float sign = x >> 15 ? -1.0f : 1.0f;
    if (exponent == 31) return sign * (fraction ? NAN : INFINITY);
    return sign * ldexpf((float)(exponent ? fraction + 1024 : fraction), (exponent ? exponent : 1) - 25);
}
static inline ekb_f16 ekb_to_f16_double(double x) {
    const int sign = signbit(x) ? 0x8000 : 0;
    const double size = fabs(x);
    if (size != size) return (ekb_f16)(sign | 0x7e00);
    if (size >= 65520.0) return (ekb_f16)(sign | 0x7c00);
    int exponent = 0;
    frexp(size, &exponent);
    exponent = exponent < -13 ? -14 : exponent - 1;
    return (ekb_f16)(sign | (((exponent + 14) << 10) + (int)rint(ldexp(size, 10 - exponent))));
}
static inline ekb_f16 ekb_to_f16(float x) { return ekb_to_f16_double(x); }
#endif"""

_BF16 = """\
typedef uint16_t ekb_bf16;
static inline float ekb_from_bf16(ekb_bf16 x) {
    const uint32_t bits = (uint32_t)x << 16;
    float value;
    memcpy(&value, &bits, 4);
    return value;
}
static inline ekb_bf16 ekb_to_bf16(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return x != x ? (ekb_bf16)(bits >> 16 | 64) : (ekb_bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
/* Rounds to odd first, so that rounding twice is rounding once. */
static inline ekb_bf16 ekb_to_bf16_double(double x) {
    float near = (float)x;
    uint32_t bits;
    memcpy(&bits, &near, 4);
    if ((double)near != x && x == x) bits = (fabs((double)near) > fabs(x) ? bits - 1 : bits) | 1;
    memcpy(&near, &bits, 4);
    return ekb_to_bf16(near);
}"""

_NIBBLES = """\
static inline int8_t ekb_wrap_i4(int64_t x) { return (int8_t)(((x & 15) ^ 8) - 8); }
static inline int8_t ekb_i4(uint8_t pair, int64_t index) { return ekb_wrap_i4(pair >> (index & 1) * 4); }
static inline uint8_t ekb_u4(uint8_t pair, int64_t index) { return (uint8_t)(pair >> (index & 1) * 4 & 15); }
static inline void ekb_put_nibble(uint8_t *pair, int64_t index, int64_t value) {
    const int shift = (int)(index & 1) * 4;
    *pair = (uint8_t)((*pair & ~(15 << shift)) | (value & 15) << shift);
}"""

_BITS = """\
static inline float ekb_as_f32(uint32_t x) { float y; memcpy(&y, &x, 4); return y; }
static inline uint32_t ekb_as_u32(float x) { uint32_t y; memcpy(&y, &x, 4); return y; }"""


class Helpers:
    """Collects the helpers that a program uses."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def text(self) -> str:
        """Give the C text of all that was used, in an order that compiles."""
        return "\n".join(self._texts.values())

    def block(self, name: str) -> None:
        """Use one of the fixed blocks: `f16`, `bf16`, `nibbles` or `bits`."""
        self._texts.setdefault(name, {"f16": _F16, "bf16": _BF16, "nibbles": _NIBBLES, "bits": _BITS}[name])

    def use(self, operation: str, kind: str) -> str:
        """Use a helper for one type.

        Args:
            operation: Such as `"floordiv"`, `"min"` or `"exp"`.
            kind: A type of the language; `f16` and `bf16` are computed as `f32`.

        Returns:
            The name of the C function.
        """
        kind = "f32" if kind in ("f16", "bf16") else "i8" if kind == "i4" else "u8" if kind == "u4" else kind
        name = f"ekb_{operation}_{kind}"
        if name not in self._texts:
            self._texts[name] = self._write(operation, name, kind)
        return name

    def own(self, function: str) -> str:
        """Use a function of `mathematics` in `f32`."""
        program = PROGRAMS[function]
        name = f"ekb_own_{function}_f32"
        if name not in self._texts:
            # Imported here because expressions need helpers and this one helper needs expressions.
            from edgekernelbench.compiler.c.expressions import write_program  # noqa: PLC0415

            text = write_program(program, name, self)
            self._texts[name] = text
        return name

    def saturate(self, source: DType, to: DType) -> str:
        """Use the cast that clamps to the range of `to`; NaN gives 0."""
        name = f"ekb_sat_{to}_{source}"
        low, high = to.bounds
        result = WIDTHS.get(to.value, "int8_t" if to.is_signed else "uint8_t")
        if not source.is_float:
            low, high = max(low, -(2**63)), min(high, 2**63 - 1)
            body = f"x < {int_text(low)} ? {int_text(low)} : x > {int_text(high)} ? {int_text(high)} : x"
            self._texts.setdefault(
                name, f"static inline {result} {name}(int64_t x) {{ return ({result})({body}); }}"
            )
            return name
        kind, mark = ("double", "") if source is DType.F64 else ("float", "f")
        above = f"{float(high + 1).hex()}{mark}"
        lower = f"x <= {float(low).hex()}{mark} ? {int_text(low)}"
        body = f"x != x ? 0 : {lower} : x >= {above} ? {int_text(high)} : ({result})x"
        self._texts.setdefault(
            name, f"static inline {result} {name}({kind} x) {{ return ({result})({body}); }}"
        )
        return name

    def _write(self, operation: str, name: str, kind: str) -> str:
        ctype = WIDTHS[kind]
        head = f"static inline {ctype} {name}"
        if operation in _LIBM:
            params, args = ("x, {0} y", "x, y") if operation in ("pow", "atan2") else ("x", "x")
            call = f"{_LIBM[operation]}{'f' if kind == 'f32' else ''}({args})"
            return f"{head}({ctype} {params.format(ctype)}) {{ return {call}; }}"
        if operation.startswith("power"):
            product = " * ".join("x" * int(operation.removeprefix("power")))
            return f"{head}({ctype} x) {{ return {product}; }}"
        one = "1.0f" if kind == "f32" else "1.0"
        if operation == "rsqrt":
            return f"{head}({ctype} x) {{ return {one} / {self.use('sqrt', kind)}(x); }}"
        if operation == "sigmoid":
            return f"{head}({ctype} x) {{ return {one} / ({one} + {self.use('exp', kind)}(-x)); }}"
        if operation in _PLAIN:
            return _PLAIN[operation](head, ctype, kind)
        raise InternalError(f"expected a helper for C, found {operation!r}")


def int_text(value: int) -> str:
    """Write an integer as a C constant of its own width."""
    if value == -(2**63):
        return "(-INT64_C(9223372036854775807) - 1)"
    if -(2**31) < value < 2**31:
        return str(value)
    return f"INT64_C({value})" if value < 2**63 else f"UINT64_C({value})"


def _min(head: str, ctype: str, _: str) -> str:
    return f"{head}({ctype} a, {ctype} b) {{ return b < a ? b : a; }}"


def _max(head: str, ctype: str, _: str) -> str:
    return f"{head}({ctype} a, {ctype} b) {{ return a < b ? b : a; }}"


def _clamp(head: str, ctype: str, _: str) -> str:
    params = f"{ctype} x, {ctype} low, {ctype} high"
    return f"{head}({params}) {{ x = x < low ? low : x; return high < x ? high : x; }}"


def _abs(head: str, ctype: str, kind: str) -> str:
    if kind in ("f32", "f64"):
        return f"{head}({ctype} x) {{ return fabs{'f' if kind == 'f32' else ''}(x); }}"
    return f"{head}({ctype} x) {{ return ({ctype})(x < 0 ? -x : x); }}"


def _floordiv(head: str, ctype: str, kind: str) -> str:
    if kind.startswith("u"):
        return f"{head}({ctype} a, {ctype} b) {{ return a / b; }}"
    # Dividing by -1 is negation: the least value must not trap.
    body = f"const {ctype} q = a / b; return q - (a % b != 0 && (a < 0) != (b < 0));"
    return f"{head}({ctype} a, {ctype} b) {{ if (b == -1) return -a; {body} }}"


def _floormod(head: str, ctype: str, kind: str) -> str:
    if kind.startswith("u"):
        return f"{head}({ctype} a, {ctype} b) {{ return a % b; }}"
    body = f"const {ctype} r = a % b; return r != 0 && (r < 0) != (b < 0) ? r + b : r;"
    return f"{head}({ctype} a, {ctype} b) {{ if (b == -1) return 0; {body} }}"


def _shift_left(head: str, ctype: str, kind: str) -> str:
    unsigned = WIDTHS["u32" if kind in ("i32", "u32") else "u64"] if kind != "i64" else "uint64_t"
    mask = DType(kind).bits - 1
    return f"{head}({ctype} x, int64_t by) {{ return ({ctype})(({unsigned})x << (by & {mask})); }}"


def _shift_right(head: str, ctype: str, kind: str) -> str:
    return f"{head}({ctype} x, int64_t by) {{ return x >> (by & {DType(kind).bits - 1}); }}"


def _popcount(head: str, ctype: str, kind: str) -> str:
    head = head.replace(ctype, "int32_t", 1)
    bits = DType(kind).bits
    call = "__builtin_popcountll" if bits == 64 else "__builtin_popcount"
    return f"{head}({ctype} x) {{ return {call}((uint{bits}_t)x); }}"


_PLAIN: dict[str, Callable[[str, str, str], str]] = {
    "min": _min, "max": _max, "clamp": _clamp, "abs": _abs, "floordiv": _floordiv, "floormod": _floormod,
    "shl": _shift_left, "shr": _shift_right, "popcount": _popcount,
}  # fmt: skip
