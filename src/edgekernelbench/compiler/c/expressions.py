"""Typed expressions as C.

Values have their own type, narrow integers included; `f16` and `bf16` are computed as `float` and rounded
where they are cast or stored. Positions (loop variables and arithmetic on them) are `int64_t`.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import assert_never

import ml_dtypes
import numpy as np

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.c.helpers import WIDTHS, Helpers, int_text
from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.programs import Program
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Power,
    Read,
    Select,
    Unary,
)

PRIMARY, UNARY, PRODUCT, SUM, RELATION, EQUALITY, AND, OR, CHOICE = 15, 14, 13, 12, 10, 9, 5, 4, 3
_SHORT = 9


@dataclass(frozen=True, slots=True)
class Code:
    """A piece of C with the precedence of its outermost operator.

    Attributes:
        text: The C expression.
        level: Its precedence; higher binds tighter.
        wide: Whether it is an `int64_t` that stands for an `i32`.
    """

    text: str
    level: int = PRIMARY
    wide: bool = False

    def at(self, level: int) -> str:
        """Give the text, in parentheses where an operator of `level` needs them."""
        return self.text if self.level >= level else f"({self.text})"


def value_type(dtype: DType) -> str:
    """Give the C type in which a value is computed."""
    if dtype in (DType.F16, DType.BF16):
        return "float"
    return {DType.I4: "int8_t", DType.U4: "uint8_t"}.get(dtype) or WIDTHS[dtype.value]


def typed(node: Expr) -> DType:
    """Give the type of an expression.

    Raises:
        InternalError: When it has none.
    """
    if node.dtype is None:
        raise InternalError(f"expected a typed expression, found {node!r} without a type")
    return node.dtype


@dataclass(frozen=True, slots=True)
class Expressions:
    """Writes expressions.

    Attributes:
        helpers: Collects the functions used.
        axis: Gives the C text of a name.
        read: Gives the C text of a read.
        own_mathematics: Whether functions come from `mathematics`, which become vectors, instead of the
        library. wide_axes: Whether axes are `int64_t` loop variables. signed: Names that can be negative,
        which loop variables cannot.
    """

    helpers: Helpers
    axis: Callable[[str], str]
    read: Callable[[Read], str]
    own_mathematics: bool = False
    wide_axes: bool = True
    signed: frozenset[str] = frozenset()

    def value(self, node: Expr) -> Code:
        """Write an expression."""
        match node:
            case Literal():
                return self._literal(node)
            case Axis(name=name):
                return Code(self.axis(name), wide=self.wide_axes)
            case Read():
                return Code(self.read(node))
            case Unary(op=op, operand=operand):
                return self._unary(op, typed(node), self.value(operand))
            case Binary():
                return self._binary(node)
            case Power(base=base, exponent=exponent):
                name = self.helpers.use(f"power{exponent}", typed(node).value)
                return Code(f"{name}({self.value(base).text})")
            case Compare(ops=ops, operands=operands):
                return self._compare(ops, operands)
            case Logic(op=op, operands=operands):
                level = AND if op == "and" else OR
                word = " && " if op == "and" else " || "
                # Compilers warn of `a && b || c`, and readers stumble over it.
                inner = level + 1 if op == "and" else RELATION
                return Code(word.join(self.value(part).at(inner) for part in operands), level)
            case Select(condition=condition, then=then, other=other):
                parts = [self.value(part) for part in (condition, then, other)]
                text = f"{parts[0].at(CHOICE + 1)} ? {parts[1].at(CHOICE)} : {parts[2].at(CHOICE)}"
                return Code(text, CHOICE, parts[1].wide and parts[2].wide)
            case Call():
                return self._call(node)
            case Cast():
                return self._cast(node)
            case _:
                assert_never(node)

    def narrow(self, node: Expr) -> Code:
        """Write an expression in its own type, also where it is made of positions."""
        code = self.value(node)
        return Code(f"(int32_t){code.at(UNARY)}", UNARY) if code.wide else code

    def _literal(self, node: Literal) -> Code:
        dtype = typed(node)
        if dtype.is_float:
            return float_text(float(node.value), dtype)
        if dtype is DType.BOOL:
            return Code("true" if node.value else "false")
        value = int(node.value)
        if dtype is DType.I32 and value == -(2**31):
            return Code("(-2147483647 - 1)")
        text = f"{value}u" if dtype is DType.U32 else int_text(value)
        if dtype is DType.I64 and text[-1].isdigit():
            text = f"INT64_C({value})"
        return Code(text, UNARY if value < 0 else PRIMARY, wide=dtype is DType.I32)

    def _unary(self, op: str, dtype: DType, inner: Code) -> Code:
        if op == "not" or dtype is DType.BOOL:
            return Code(f"!{inner.at(UNARY)}", UNARY)
        text = f"{op}{inner.at(PRIMARY)}"
        if dtype.is_int and dtype.bits < 32:
            return self._wrapped(dtype, Code(text, UNARY))
        return Code(text, UNARY, inner.wide)

    def _wrapped(self, dtype: DType, code: Code) -> Code:
        if dtype is DType.I4:
            self.helpers.block("nibbles")
            return Code(f"ekb_wrap_i4({code.text})")
        if dtype is DType.U4:
            return Code(f"(uint8_t)({code.at(AND + 4)} & 15)", UNARY)
        return Code(f"({value_type(dtype)}){code.at(UNARY)}", UNARY)

    def _binary(self, node: Binary) -> Code:
        op, dtype = node.op, typed(node)
        left, right = self.value(node.left), self.value(node.right)
        wide = left.wide and right.wide
        kind = "i64" if wide else dtype.value
        match op:
            case "//" | "%":
                return self._division(op, node, left, right, kind)
            case "<<" | ">>":
                name = self.helpers.use("shl" if op == "<<" else "shr", kind if not wide else "i32")
                return Code(f"{name}({left.text}, {right.text})")
            case "&" | "|" | "^":
                text = f"{left.at(UNARY)} {op} {right.at(UNARY)}"
                return Code(f"({text})", wide=wide)
            case "*" | "/":
                return Code(f"{left.at(PRODUCT)} {op} {right.at(PRODUCT + 1)}", PRODUCT, wide)
            case "+" | "-":
                return Code(f"{left.at(SUM)} {op} {right.at(SUM + 1)}", SUM, wide)
            case _:
                raise InternalError(f"expected an operator of the language, found {op!r}")

    def _division(self, op: str, node: Binary, left: Code, right: Code, kind: str) -> Code:
        wide = left.wide and right.wide
        divisor = node.right.value if isinstance(node.right, Literal) else 0
        if divisor > 0 and _never_negative(node.left, self.signed):
            sign = "/" if op == "//" else "%"
            return Code(f"{left.at(PRODUCT)} {sign} {right.at(PRODUCT + 1)}", PRODUCT, wide)
        name = self.helpers.use("floordiv" if op == "//" else "floormod", kind)
        return Code(f"{name}({left.text}, {right.text})", wide=wide)

    def _compare(self, ops: tuple[str, ...], operands: tuple[Expr, ...]) -> Code:
        parts = [self.value(part) for part in operands]
        tests = [
            Code(f"{a.at(SUM)} {op} {b.at(SUM)}", EQUALITY if op in ("==", "!=") else RELATION)
            for a, op, b in zip(parts[:-1], ops, parts[1:], strict=True)
        ]
        if len(tests) == 1:
            return tests[0]
        return Code(" && ".join(test.at(AND + 1) for test in tests), AND)

    def _call(self, node: Call) -> Code:
        dtype = typed(node)
        kind = typed(node.args[0])
        parts = [self.value(arg) for arg in node.args]
        match node.function:
            case "as_i32" | "as_u32" | "as_f32":
                return self._reinterpret(node.function, kind, parts[0])
            case "min" | "max":
                return self._extreme(node, parts)
            case _:
                texts = [self.narrow(arg).text for arg in node.args]
        single = dtype in (DType.F16, DType.BF16, DType.F32)
        if self.own_mathematics and single and node.function in PROGRAMS:
            return Code(f"{self.helpers.own(node.function)}({', '.join(texts)})")
        return Code(f"{self.helpers.use(node.function, kind.value)}({', '.join(texts)})")

    def _extreme(self, node: Call, parts: list[Code]) -> Code:
        wide = all(part.wide for part in parts)
        name = self.helpers.use(node.function, "i64" if wide else typed(node).value)
        text = parts[0].text
        for part in parts[1:]:
            text = f"{name}({text}, {part.text})"
        return Code(text, wide=wide)

    def _reinterpret(self, function: str, source: DType, inner: Code) -> Code:
        self.helpers.block("bits")
        if function == "as_f32":
            return inner if source.is_float else Code(f"ekb_as_f32((uint32_t){inner.at(UNARY)})")
        text = f"ekb_as_u32({inner.text})" if source.is_float else inner.at(UNARY)
        return Code(f"({'int32_t' if function == 'as_i32' else 'uint32_t'}){text}", UNARY)

    def _cast(self, node: Cast) -> Code:
        source, to = typed(node.operand), node.to
        inner = self.narrow(node.operand)
        if source is to:
            return inner
        if node.saturate and not to.is_float:
            if to in (DType.I4, DType.U4):
                self.helpers.block("nibbles")
            return Code(f"{self.helpers.saturate(source, to)}({inner.text})")
        if to in (DType.F16, DType.BF16):
            return self._rounded(source, to, inner)
        if to is DType.BOOL:
            return Code(f"{inner.at(EQUALITY + 1)} != 0", EQUALITY)
        if to.is_float:
            same = value_type(source) == value_type(to)
            return inner if same else Code(f"({value_type(to)}){inner.at(UNARY)}", UNARY)
        if source.is_float:
            # Through a wider integer, so that what is out of range wraps and is not undefined in C.
            inner = Code(
                f"(int64_t){inner.at(UNARY)}" if to.bits >= 32 else f"(int32_t){inner.at(UNARY)}", UNARY
            )
        return self._wrapped(to, inner)

    def _rounded(self, source: DType, to: DType, inner: Code) -> Code:
        self.helpers.block(to.value)
        return Code(f"ekb_from_{to}({store_text(source, to, inner.text)})")


def store_text(source: DType, to: DType, text: str) -> str:
    """Write the conversion of a computed value to a stored `f16` or `bf16`; others are stored as they are."""
    if to not in (DType.F16, DType.BF16):
        return text
    exact = source is DType.F64 or (source.is_int and source.bits >= 32)
    return f"ekb_to_{to}{'_double' if exact else ''}({text})"


def float_text(value: float, dtype: DType) -> Code:
    """Write a number of a float type exactly: as decimals where they are few, else in hexadecimal."""
    if dtype is DType.BF16:
        value = float(ml_dtypes.bfloat16(value))
    elif dtype is not DType.F64:
        value = float(np.float32(value) if dtype is DType.F32 else np.float16(value))
    mark = "" if dtype is DType.F64 else "f"
    if value != value:  # noqa: PLR0124 - the test for NaN
        return Code("NAN")
    if value in (float("inf"), float("-inf")):
        return Code("INFINITY" if value > 0 else "-INFINITY", PRIMARY if value > 0 else UNARY)
    plain = repr(value)
    text = plain if len(plain) <= _SHORT and "e" not in plain else value.hex()
    return Code(text + mark, UNARY if text.startswith("-") else PRIMARY)


def _never_negative(node: Expr, signed: frozenset[str]) -> bool:
    """Whether an expression of positions cannot be negative: loop variables start at 0."""
    match node:
        case Axis(name=name):
            return name not in signed
        case Literal(value=value):
            return value >= 0
        case Binary(op="+" | "*" | "//" | "&" | "|", left=left, right=right):
            return _never_negative(left, signed) and _never_negative(right, signed)
        case Binary(op="%", right=right):
            return _never_negative(right, signed)
        case _:
            return False


def write_program(program: Program, name: str, helpers: Helpers) -> str:
    """Write a program of `mathematics` as a C function.

    Args:
        program: The program.
        name: The name of the function.
        helpers: Collects what it uses.

    Returns:
        Its definition.
    """
    writer = Expressions(helpers, axis=lambda one: one, read=_no_read, wide_axes=False)
    params = ", ".join(f"const {value_type(dtype)} {param}" for param, dtype in program.params)
    lines = [f"static inline {value_type(typed(program.result))} {name}({params}) {{"]
    for step, value in program.steps:
        lines.append(f"    const {value_type(typed(value))} {step} = {writer.value(value).text};")
    return "\n".join([*lines, f"    return {writer.value(program.result).text};", "}"])


def _no_read(node: Read) -> str:
    raise InternalError(f"expected a function of its parameters, found a read of {node.tensor!r}")
