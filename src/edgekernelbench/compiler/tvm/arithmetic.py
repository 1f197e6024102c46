"""The operators and casts of the language on TIR values."""

from collections.abc import Callable

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.tvm.values import COMPUTED, Node, Value, call, conjunction, constant, select
from edgekernelbench.ir.dtype import DType

COMPARE: dict[str, Callable[[Node, Node], Node]] = {
    "<": tirx.LT, "<=": tirx.LE, ">": tirx.GT, ">=": tirx.GE, "==": tirx.EQ, "!=": tirx.NE,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Node, Node], Node]] = {
    "+": tirx.Add,
    "-": tirx.Sub,
    "*": tirx.Mul,
    "/": tirx.Div,
}
_BITWISE: dict[str, Callable[[Node, Node], Node]] = {
    "&": tirx.bitwise_and, "|": tirx.bitwise_or, "^": tirx.bitwise_xor,
}  # fmt: skip


def binary(op: str, dtype: DType, a: Value, b: Value, mask: Value | None) -> Value:
    """Apply an operator of the language.

    Args:
        op: The operator.
        dtype: The type of both sides and the result.
        a: The left side.
        b: The right side.
        mask: Where it is evaluated at all; None for everywhere.

    Returns:
        The value; where the mask is false, anything, but without a trap.
    """
    if op in ("&", "|", "^"):
        if dtype is DType.BOOL:
            return _logical(op, a, b)
        return a.binary(_BITWISE[op], b)
    if op in ("<<", ">>"):
        distance = b.binary(tirx.bitwise_and, constant(dtype.bits - 1, b.kind))
        return a.binary(tirx.shift_left if op == "<<" else tirx.shift_right, distance)
    if op in ("//", "%"):
        return _division(op, dtype, a, b, mask)
    if dtype is DType.U32:
        return _wrapping(op, a, b)
    return a.binary(_ARITHMETIC[op], b)


def _logical(op: str, a: Value, b: Value) -> Value:
    if op == "^":
        return a.cast("uint8").compare(tirx.NE, b.cast("uint8"))
    return a.binary(tirx.And if op == "&" else tirx.Or, b)


def _wrapping(op: str, a: Value, b: Value) -> Value:
    """Compute in 64 bits: TVM promises LLVM that 32-bit arithmetic does not overflow."""
    wide = "uint64" if op == "*" else "int64"
    return a.cast(wide).binary(_ARITHMETIC[op], b.cast(wide)).cast("uint32")


def _division(op: str, dtype: DType, a: Value, b: Value, mask: Value | None) -> Value:
    make = tirx.FloorDiv if op == "//" else tirx.FloorMod
    if isinstance(b.node, tirx.IntImm):
        return a.binary(make, b)
    one = constant(1, b.kind)
    if mask is not None:
        b = select(mask, b, one)
    if not dtype.is_signed:
        return a.binary(make, b)
    # Dividing by -1 is negation: the least value must not trap.
    minus = b.compare(tirx.EQ, constant(-1, b.kind))
    usual = a.binary(make, select(minus, one, b))
    zero = constant(0, a.kind)
    return select(minus, zero.binary(tirx.Sub, a) if op == "//" else zero, usual)


def cast(source: DType, to: DType, value: Value, *, saturate: bool) -> Value:
    """Convert as the language does.

    Args:
        source: The type of the value.
        to: The type of the result.
        value: What is converted; `f16` and `bf16` are held as `f32`.
        saturate: Whether it is a `sat_` cast.

    Returns:
        The value in the type in which `to` is computed.
    """
    if source is to:
        return value
    if to in (DType.F16, DType.BF16):
        return load_rounded(to, round_stored(source, to, value))
    if to.is_float:
        return value.cast(COMPUTED[to])
    if to is DType.BOOL:
        return value.compare(tirx.NE, constant(0, value.kind))
    if saturate:
        return _saturated(source, to, value)
    if source.is_float and to.bits < 32:
        value = value.cast("int32")
    return _narrowed(to, value)


def _narrowed(to: DType, value: Value) -> Value:
    held = value.cast(COMPUTED[to])
    if to is DType.U4:
        return held.binary(tirx.bitwise_and, constant(15, held.kind))
    if to is DType.I4:
        return signed_nibble(held.cast("uint8").binary(tirx.bitwise_and, constant(15, "uint8")))
    return held


def signed_nibble(value: Value) -> Value:
    """Read the low four bits of a `uint8` below 16 as a signed number."""
    eight = constant(8, "uint8")
    moved = value.binary(tirx.bitwise_xor, eight).cast("int8")
    return moved.binary(tirx.Sub, constant(8, "int8"))


def _saturated(source: DType, to: DType, value: Value) -> Value:
    low, high = to.bounds
    kind = COMPUTED[to]
    if source.is_float:
        least, most = constant(low, kind), constant(high, kind)
        above = value.compare(tirx.GE, constant(float(high + 1), value.kind))
        below = value.compare(tirx.LE, constant(float(low), value.kind))
        wide = value if to.bits >= 32 else value.cast("int32")
        inside = select(above, most, select(below, least, wide.cast(kind)))
        return select(_is_number(value), inside, constant(0, kind))
    wide = value.cast("int64") if source.bits >= 32 else value.cast("int32")
    low, high = max(low, -(2**63)), min(high, 2**63 - 1)
    if wide.kind == "int32":
        low, high = max(low, -(2**31)), min(high, 2**31 - 1)
    held = wide.binary(tirx.Max, constant(low, wide.kind)).binary(tirx.Min, constant(high, wide.kind))
    return held.cast(kind)


def load_rounded(dtype: DType, value: Value) -> Value:
    """Widen a stored `f16` or `bf16` to `f32`."""
    if dtype is DType.F16:
        return value.cast("float32")
    return value.cast("uint32").binary(tirx.shift_left, constant(16, "uint32")).reinterpret("float32")


def round_stored(source: DType, to: DType, value: Value) -> Value:
    """Round a computed value to a stored `f16` or `bf16`, to nearest even, once."""
    if source is DType.F64 or (source.is_int and source.bits >= 32):
        value = _rounded_to_odd(value.cast("float64"))
    value = value.cast("float32")
    if to is DType.F16:
        return value.cast("float16")
    if to is not DType.BF16:
        raise InternalError(f"expected f16 or bf16, found {to}")
    bits = value.reinterpret("uint32")
    sixteen = constant(16, "uint32")
    odd = bits.binary(tirx.shift_right, sixteen).binary(tirx.bitwise_and, constant(1, "uint32"))
    # At most 0x7fff + 1 above a finite pattern, so this addition does not wrap; a NaN is put right below.
    moved = bits.cast("int64").binary(tirx.Add, odd.cast("int64")).binary(tirx.Add, constant(0x7FFF, "int64"))
    near = moved.binary(tirx.shift_right, constant(16, "int64")).cast("uint16")
    quiet = (
        bits.binary(tirx.shift_right, sixteen).binary(tirx.bitwise_or, constant(64, "uint32")).cast("uint16")
    )
    return select(_is_number(value), near, quiet)


def _is_number(value: Value) -> Value:
    """Tell numbers from NaN; TVM takes `x == x` for true."""
    return value.compare(tirx.LE, constant(float("inf"), value.kind))


def _rounded_to_odd(value: Value) -> Value:
    """Round `f64` to `f32` so that rounding again to fewer bits is rounding once."""
    near = value.cast("float32")
    bits = near.reinterpret("int32")
    larger = call(tirx.abs, near.cast("float64")).compare(tirx.GT, call(tirx.abs, value))
    one = constant(1, "int32")
    odd = select(larger, bits.binary(tirx.Sub, one), bits).binary(tirx.bitwise_or, one).reinterpret("float32")
    back = near.cast("float64")
    inexact = conjunction(_is_number(value), back.compare(tirx.NE, value))
    return select(inexact, odd, near)
