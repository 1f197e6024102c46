"""`dot4` as one instruction of the machine: four products of 8-bit numbers a lane, added to 32 bits."""

from tvm import tirx

from edgekernelbench.compiler.instructions import STEPS, Dot
from edgekernelbench.compiler.tvm.build import find_features
from edgekernelbench.compiler.tvm.expressions import Expressions
from edgekernelbench.compiler.tvm.scope import Stored, offset
from edgekernelbench.compiler.tvm.values import Node, Value, constant, llvm_pure, number
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Read
from edgekernelbench.nest.linear import Linear
from edgekernelbench.profiles.profile import Profile

_LANES_BYTES = 4
ARM_DOT, ARM_LANES = "dotprod", 4

Factor = tuple[Value, bool]
"""Four bytes a word, and whether they are unsigned."""

_SIGNS = -0x7F7F7F80
"""The sign bits of four bytes, flipped before they are spread: the other way round LLVM 22 never ends."""


def dot_lanes(profile: Profile) -> int:
    """Say how many lanes the dot instruction of a CPU has; 0 when it has none."""
    features = find_features(profile)
    if "avx512vnni" in features and profile.vector_bytes >= 64:
        return 64 // _LANES_BYTES
    narrow = {"avx512vnni", "avx512vl"} <= features or "avxvnni" in features
    if narrow and profile.vector_bytes >= 32:
        return 32 // _LANES_BYTES
    return ARM_LANES if ARM_DOT in features else 0


def dot_step(dot: Dot, expressions: Expressions, old: Value) -> Value:
    """Write one instruction.

    Args:
        dot: What to compute; its lanes are the vector loop of the scope.
        expressions: The scope.
        old: The sums so far.

    Returns:
        The sums after four more products.
    """
    word, own = _four(dot, expressions), _four_a_lane(dot, expressions)
    unsigned_same, unsigned_own = dot.same.dtype is DType.U8, dot.own.dtype is DType.U8
    if ARM_DOT in expressions.scope.features:
        return _arm(old, (word.spread(old.lanes), unsigned_same), (own, unsigned_own))
    return _x86(old, (word, unsigned_same), (own, unsigned_own))


def _x86(old: Value, same: Factor, own: Factor) -> Value:
    """Multiply by x86's instruction, which takes an unsigned and a signed factor."""
    (word, unsigned_same), (lanes, unsigned_own) = same, own
    flip, signs, zero = _constants(old.lanes)
    spread = word.spread(old.lanes)
    if unsigned_same and not unsigned_own:
        return _vpdpbusd(old, spread, lanes)
    if unsigned_own and not unsigned_same:
        return _vpdpbusd(old, lanes, spread)
    if unsigned_same:
        # a * b = a * (b - 128) + 128 * a
        more = _vpdpbusd(old, spread, lanes.binary(tirx.bitwise_xor, signs))
        return more.binary(tirx.Sub, _vpdpbusd(zero, spread, signs))
    # a * b = (a + 128) * b - 128 * b; what is taken away is the same for all rows of a tile: LLVM keeps it.
    more = _vpdpbusd(old, word.binary(tirx.bitwise_xor, flip).spread(old.lanes), lanes)
    return more.binary(tirx.Sub, _vpdpbusd(zero, signs, lanes))


def _arm(old: Value, same: Factor, own: Factor) -> Value:
    """Multiply by Arm's instructions, which take two signed or two unsigned factors."""
    if same[1] == own[1]:
        return _dot_of_arm("u" if same[1] else "s", old, same[0], own[0])
    _, signs, zero = _constants(old.lanes)
    unsigned, signed = (same[0], own[0]) if same[1] else (own[0], same[0])
    # a * b = (a - 128) * b + 128 * b, where a byte of sign alone is -128
    more = _dot_of_arm("s", old, unsigned.binary(tirx.bitwise_xor, signs), signed)
    return more.binary(tirx.Sub, _dot_of_arm("s", zero, signs, signed))


def _constants(lanes: int) -> tuple[Value, Value, Value]:
    """Give the sign bits of a word, of all lanes, and zero in all lanes."""
    flip = constant(_SIGNS, "int32")
    return flip, flip.spread(lanes), constant(0, "int32").spread(lanes)


def _vpdpbusd(total: Value, unsigned: Value, signed: Value) -> Value:
    bits = total.lanes * 32
    return llvm_pure(f"llvm.x86.avx512.vpdpbusd.{bits}", total, total, _bytes(unsigned), _bytes(signed))


def _dot_of_arm(sign: str, total: Value, left: Value, right: Value) -> Value:
    return llvm_pure(f"llvm.aarch64.neon.{sign}dot", total, total, _bytes(left), _bytes(right))


def _bytes(words: Value) -> Value:
    count = STEPS * words.lanes
    return Value(tirx.reinterpret(f"int8x{count}", words.node), "int8", count)


def _place(read: Read, expressions: Expressions, without: tuple[str, ...]) -> tuple[Stored, Node]:
    stored = expressions.scope.buffers[read.tensor]
    place = offset(stored.buffer, read.indices, expressions.scope.ranges)
    kept = tuple((t, k) for t, k in place.terms if not (isinstance(t, Axis) and t.name in without))
    return stored, expressions.value(Linear(kept, place.constant).expr()).node


def _four(dot: Dot, expressions: Expressions) -> Value:
    """Read the four bytes that all lanes share as one word."""
    stored, first = _place(dot.same, expressions, (dot.lanes.var, dot.steps.var))
    node = tirx.BufferLoad(stored.tir, [tirx.Ramp(first, number(1), number(STEPS))])
    return Value(tirx.reinterpret("int32", node), "int32")


def _four_a_lane(dot: Dot, expressions: Expressions) -> Value:
    """Read four bytes for each lane as words."""
    stored, first = _place(dot.own, expressions, (dot.lanes.var, dot.steps.var))
    lanes = dot.lanes.extent
    node = tirx.BufferLoad(stored.tir, [tirx.Ramp(first, number(1), number(STEPS * lanes))])
    return Value(tirx.reinterpret(f"int32x{lanes}", node), "int32", lanes)
