"""Index expressions: whatever is simplified has the same value, and stays inside its bounds."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Call, Compare, Expr, Literal, Logic, Select, Unary
from edgekernelbench.lang.printing import print_expr
from edgekernelbench.nest.indices import FALSE, TRUE, clamp, compare, floordiv, modulo, simplify, span_of
from edgekernelbench.nest.linear import linear, number, variable

RANGES = {"a": (0, 6), "b": (-3, 4), "c": (5, 5)}


def value(node: Expr, env: dict[str, int]) -> Any:
    """Evaluate an integer expression."""
    match node:
        case Literal(value=known):
            return known
        case Axis(name=name):
            return env[name]
        case Unary(op="-", operand=operand):
            return -value(operand, env)
        case Unary(operand=operand):
            return not value(operand, env)
        case Binary(op=op, left=left, right=right):
            x, y = value(left, env), value(right, env)
            return {"+": x + y, "-": x - y, "*": x * y, "//": x // y if y else 0, "%": x % y if y else 0}[op]
        case Call(function="min", args=args):
            return min(value(arg, env) for arg in args)
        case Call(function="max", args=args):
            return max(value(arg, env) for arg in args)
        case Call(args=args):
            return max(min(value(args[0], env), value(args[2], env)), value(args[1], env))
        case Compare(ops=ops, operands=operands):
            parts = [value(part, env) for part in operands]
            tests = {"<": int.__lt__, "<=": int.__le__, "==": int.__eq__, ">=": int.__ge__, ">": int.__gt__}
            return all(tests[op](x, y) for op, x, y in zip(ops, parts, parts[1:], strict=False))
        case Logic(op=op, operands=operands):
            return (
                all(value(o, env) for o in operands) if op == "and" else any(value(o, env) for o in operands)
            )
        case Select(condition=condition, then=then, other=other):
            return value(then if value(condition, env) else other, env)
        case _:
            raise AssertionError(node)


def binary(op: str, left: Expr, right: Expr) -> Expr:
    return Binary(op, left, right, dtype=DType.I32)


def choice(function: str, left: Expr, right: Expr) -> Expr:
    return Call(function, (left, right), dtype=DType.I32)


leaves = st.one_of(st.integers(-9, 9).map(number), st.sampled_from(sorted(RANGES)).map(variable))
divisors = st.integers(1, 7).map(number)


def grown(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
    condition = st.builds(
        lambda op, x, y: Compare((op,), (x, y), dtype=DType.BOOL),
        st.sampled_from(("<", "<=", "==", ">=", ">")), inner, inner,
    )  # fmt: skip
    return st.one_of(
        st.builds(binary, st.sampled_from("+-*"), inner, inner),
        st.builds(binary, st.sampled_from(("//", "%")), inner, divisors),
        st.builds(
            lambda f, x, y: Call(f, (x, y), dtype=DType.I32), st.sampled_from(("min", "max")), inner, inner
        ),
        st.builds(lambda x: Unary("-", x, dtype=DType.I32), inner),
        st.builds(lambda c, x, y: Select(c, x, y, dtype=DType.I32), condition, inner, inner),
    )


expressions = st.recursive(leaves, grown, max_leaves=10)
environments = st.fixed_dictionaries({name: st.integers(*span) for name, span in RANGES.items()})


@given(expressions, environments)
def test_simplifying_keeps_the_value(node: Expr, env: dict[str, int]) -> None:
    assert value(simplify(node, RANGES), env) == value(node, env)


@given(expressions, environments)
def test_the_value_lies_in_the_bounds(node: Expr, env: dict[str, int]) -> None:
    low, high = span_of(node, RANGES)
    found = value(node, env)
    assert low is None or low <= found
    assert high is None or found <= high


@given(expressions)
def test_every_node_is_typed(node: Expr) -> None:
    assert simplify(node, RANGES).dtype is DType.I32


@given(expressions, st.integers(1, 9), environments)
def test_quotient_and_rest_are_those_of_python(node: Expr, divisor: int, env: dict[str, int]) -> None:
    assert value(floordiv(node, divisor, RANGES), env) == value(node, env) // divisor
    assert value(modulo(node, divisor, RANGES), env) == value(node, env) % divisor


def test_whole_multiples_leave_a_quotient_and_a_rest() -> None:
    ranges = {"ko": (0, 3), "ki": (0, 15)}
    k = linear(variable("ko")).times(16).plus(linear(variable("ki"))).expr()
    assert print_expr(k) == "ko * 16 + ki"
    assert print_expr(floordiv(k, 16, ranges)) == "ko"
    assert print_expr(modulo(k, 16, ranges)) == "ki"
    assert print_expr(floordiv(k, 8, ranges)) == "ko * 2 + ki // 8"


def test_what_cannot_be_outside_is_not_held() -> None:
    i = variable("i")
    assert clamp(i, 0, 9, {"i": (0, 9)}) is i
    assert print_expr(clamp(i, 0, 8, {"i": (0, 9)})) == "min(i, 8)"
    assert print_expr(clamp(i, 1, 9, {"i": (0, 9)})) == "max(i, 1)"
    assert print_expr(clamp(i, 1, 8, {"i": (0, 9)})) == "clamp(i, 1, 8)"


def test_comparisons_that_are_known_are_truth_values() -> None:
    i = variable("i")
    ranges = {"i": (0, 9)}
    assert compare("<", i, number(10), ranges) == TRUE
    assert compare(">=", i, number(10), ranges) == FALSE
    assert print_expr(compare("<", i, number(9), ranges)) == "i < 9"


def test_quotient_and_rest_are_joined_again() -> None:
    a, b = variable("a"), variable("b")
    moved = linear(choice("min", a, number(4))).plus(linear(b)).plus(linear(number(3)))
    other_order = linear(b).plus(linear(choice("min", a, number(4)))).plus(linear(number(3)))
    for c in (2, 4, 6):
        quotient, rest = binary("//", moved.expr(), number(c)), binary("%", other_order.expr(), number(c))
        whole = binary("+", binary("*", quotient, number(c)), rest)
        assert linear(simplify(whole, RANGES)).plus(moved, -1).terms == ()
    halves = binary("//", b, number(2))
    digits = binary("+", binary("*", binary("//", b, number(6)), number(3)), binary("%", halves, number(3)))
    whole = binary("+", binary("*", digits, number(2)), binary("%", b, number(2)))
    assert simplify(whole, RANGES) == b
    assert simplify(binary("*", whole, number(5)), RANGES) == binary("*", b, number(5))
