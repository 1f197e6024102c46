"""What is proven is true: ranges and proofs against evaluating every element."""

import itertools
from collections.abc import Callable, Iterator, Mapping
from operator import add, and_, eq, floordiv, ge, gt, le, lshift, lt, mod, mul, ne, or_, rshift, sub, xor

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DrawFn
from tests.verify.support import said, texts, value, verify

from edgekernelbench.base.errors import SourceError
from edgekernelbench.ir.compute import Compute, Param, Stage
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
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.verify.compute import verify_compute

SHAPE = {"i": 5, "j": 4}
INPUTS = {"p": (DType.I32, (-3, 6)), "q": (DType.U8, None), "s": (DType.I8, None)}
SAMPLES = {"p": range(-3, 6, 2), "q": (0, 1, 7, 200, 255), "s": (-128, -5, 0, 3, 127)}
SIZE = 7

ARITHMETIC: Mapping[str, Callable[[int, int], int]] = {
    "+": add, "-": sub, "*": mul, "//": floordiv, "%": mod, "&": and_, "|": or_, "^": xor,
    "<<": lshift, ">>": rshift,
}  # fmt: skip
COMPARISON: Mapping[str, Callable[[int, int], bool]] = {
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
    "==": eq,
    "!=": ne,
}

Point = Mapping[str, int]


class Outside(Exception):  # noqa: N818 - tells what happened, and is always caught
    """An index was out of range, or a number overflowed its type."""


def evaluate(node: Expr, at: Point) -> int:
    """Evaluate a typed integer or bool expression at one place, plainly."""
    found = _evaluate(node, at)
    assert node.dtype is not None
    low, high = node.dtype.bounds
    if not low <= found <= high:
        raise OverflowError
    return found


def _evaluate(node: Expr, at: Point) -> int:  # noqa: C901, PLR0912 - one case a kind of node
    match node:
        case Literal(value=number):
            return int(number)
        case Axis(name=name):
            return at[name]
        case Read(tensor="data", indices=(index,)):
            place = evaluate(index, at)
            if not 0 <= place < SIZE:
                raise Outside
            return place * place - 9
        case Read(tensor=name):
            return at[name]
        case Unary(op=op, operand=operand):
            inner = evaluate(operand, at)
            if op == "~":
                low, high = operand.dtype.bounds if operand.dtype else (0, 0)
                return -1 - inner if low < 0 else high - inner
            return -inner if op == "-" else int(not inner)
        case Binary(op=op, left=left, right=right):
            return ARITHMETIC[op](evaluate(left, at), evaluate(right, at))
        case Power(base=base, exponent=exponent):
            return int(evaluate(base, at) ** exponent)
        case Compare(ops=ops, operands=operands):
            parts = [evaluate(part, at) for part in operands]
            return all(COMPARISON[op](a, b) for op, a, b in zip(ops, parts, parts[1:], strict=False))
        case Logic(op=op, operands=operands):
            return (all if op == "and" else any)(evaluate(part, at) for part in operands)
        case Select(condition=condition, then=then, other=other):
            return evaluate(then if evaluate(condition, at) else other, at)
        case Cast(to=to, operand=operand, saturate=saturate):
            inner, (low, high) = evaluate(operand, at), to.bounds
            return min(max(inner, low), high) if saturate else (inner - low) % (high - low + 1) + low
        case Call(function="min" | "max" as function, args=args):
            return (min if function == "min" else max)(evaluate(arg, at) for arg in args)
        case Call(function="clamp", args=args):
            x, low, high = (evaluate(arg, at) for arg in args)
            return min(max(x, low), high)
        case Call(function="abs", args=(arg,)):
            return abs(evaluate(arg, at))
        case Call(function="popcount", args=(arg,)):
            bits = arg.dtype.bits if arg.dtype else 0
            return int(evaluate(arg, at) % 2**bits).bit_count()
        case _:
            raise AssertionError(node)


def points() -> Iterator[Point]:
    """Give all places with some of the inputs."""
    ranges = {**{name: range(size) for name, size in SHAPE.items()}, **SAMPLES}
    for values in itertools.product(*ranges.values()):
        yield dict(zip(ranges, values, strict=True))


def draw_number(draw: DrawFn, depth: int) -> Expr:
    """Draw an integer expression, at most so many levels high."""
    if depth == 0 or draw(st.integers(0, 4)) == 0:
        return draw_leaf(draw)
    inner = draw_number(draw, depth - 1)
    form = draw(st.integers(0, 11))
    match form:
        case 0 | 1 | 2:
            return Binary(draw(st.sampled_from("+-*&|^")), inner, draw_number(draw, depth - 1))
        case 3:
            divisor = draw_number(draw, depth - 1)
            divided = Binary(draw(st.sampled_from(("//", "%"))), inner, divisor)
            apart = Compare((draw(st.sampled_from(("!=", "<", ">"))),), (divisor, Literal(0)))
            return Select(apart, divided, Literal(0)) if draw(st.booleans()) else divided
        case 4:
            return Binary(
                draw(st.sampled_from(("//", "%", "<<", ">>"))), inner, Literal(draw(st.integers(1, 5)))
            )
        case 5:
            return Unary(draw(st.sampled_from("-~")), inner)
        case 6:
            return Call(draw(st.sampled_from(("min", "max"))), (inner, draw_number(draw, depth - 1)))
        case 7:
            return Call(draw(st.sampled_from(("abs", "popcount"))), (inner,))
        case 8:
            to = draw(st.sampled_from((DType.I8, DType.U8, DType.I32, DType.I64)))
            return Cast(to, inner, draw(st.booleans()))
        case 9 | 10:
            return Select(draw_condition(draw, depth - 1), inner, draw_number(draw, depth - 1))
        case _:
            return draw_read(draw, inner)


def draw_leaf(draw: DrawFn) -> Expr:
    """Draw an axis, an input or a number."""
    name = draw(st.sampled_from((*SHAPE, *INPUTS, "")))
    if not name:
        return Literal(draw(st.integers(-9, 9)))
    return Axis(name) if name in SHAPE else Read(name, ())


def draw_read(draw: DrawFn, index: Expr) -> Expr:
    """Draw a read, with or without what would make it legal."""
    guarded = draw(st.integers(0, 4))
    if guarded == 0:
        return Read("data", (index,))
    if guarded == 1:
        return Read("data", (Call("clamp", (index, Literal(0), Literal(SIZE - 1))),))
    condition = Compare(("<=", "<"), (Literal(0), index, Literal(SIZE)))
    offset = draw(st.integers(-1, 1))
    place = Binary("+", index, Literal(offset)) if offset else index
    return Select(condition, Read("data", (place,)), Literal(0))


def draw_condition(draw: DrawFn, depth: int) -> Expr:
    """Draw a condition about integers."""
    if depth > 0 and draw(st.integers(0, 2)) == 0:
        if draw(st.booleans()):
            return Unary("not", draw_condition(draw, depth - 1))
        parts = tuple(draw_condition(draw, depth - 1) for _ in range(draw(st.integers(2, 3))))
        return Logic(draw(st.sampled_from(("and", "or"))), parts)
    count = draw(st.integers(1, 2))
    ops = tuple(draw(st.sampled_from(sorted(COMPARISON))) for _ in range(count))
    return Compare(ops, tuple(draw_number(draw, min(depth, 1)) for _ in range(count + 1)))


@st.composite
def numbers(draw: DrawFn) -> Expr:
    """Give integer expressions."""
    return draw_number(draw, 4)


def kernel(node: Expr) -> Kernel:
    """Write a kernel whose only stage is an expression."""
    params = tuple(Param(name, dtype, (), bounds=bounds) for name, (dtype, bounds) in INPUTS.items())
    stage = Stage("out", tuple(SHAPE), DType.I64, tuple(SHAPE.values()), node)
    data = Param("data", DType.I32, (SIZE,), bounds=(-9, 28))
    return Kernel("k", (*params, data), Compute((stage,), ("out",)))


@settings(max_examples=60, deadline=None)
@given(numbers())
def test_what_is_proven_is_true(node: Expr) -> None:
    try:
        facts = verify_compute(kernel(node))
    except SourceError:
        return
    known, typed = facts.ranges["out"], value(facts)
    for at in itertools.islice(points(), 0, None, 7):
        try:
            found = evaluate(typed, at)
        except OverflowError:  # unspecified, so nothing is claimed
            continue
        assert known.low is None or known.low <= found
        assert known.high is None or found <= known.high


PROVEN = {
    "affine": "v[2 * n - n]",
    "block and rest": "v[n // 4 * 4 + n % 4]",
    "start of a block": "v[n - n % 4 + 3]",
    "bits of a block": "v[(n & ~3) | 1]",
    "shifted back and forth": "v[((n >> 2) << 2) + (n & 3)]",
    "mask": "v[i[n] & 15]",
    "remainder": "v[i[n] % 16]",
    "clamp": "v[clamp(i[n], 0, 15)]",
    "minimum and maximum": "v[min(max(i[n], 0), 15)]",
    "byte shifted": "v[q[n] >> 4]",
    "reflection": "v[15 - abs(15 - abs(n - 3))]",
    "condition on a read": "v[i[n]] if 0 <= i[n] < 16 else 0.0",
    "condition after else": "0.0 if i[n] < 0 or i[n] > 15 else v[i[n]]",
    "condition denied": "v[i[n]] if not (i[n] < 0 or 15 < i[n]) else 0.0",
    "condition on a term": "v[n + j[n]] if n + j[n] < 16 else 0.0",
    "condition on a quotient": "v[(i[n] - 3) // 2] if 0 <= (i[n] - 3) // 2 < 16 else 0.0",
    "condition between terms": "v[n - j[n]] if j[n] <= n else 0.0",
    "condition between terms, used in another": "v[n - j[n] - 1] if j[n] < n else 0.0",
    "equality": "v[i[n]] if i[n] == n else 0.0",
    "not the first": "v[n - 1] if n != 0 else 0.0",
    "condition on twice a term": "v[3 * j[n]] if 2 * j[n] <= 11 else 0.0",
    "condition in a condition": "(v[i[n]] if i[n] >= 0 else 1.0) if i[n] < 16 else 0.0",
    "guarded in and": "1.0 if 0 <= i[n] < 16 and v[i[n]] > 0.0 else 0.0",
    "guarded in or": "1.0 if i[n] < 0 or i[n] > 15 or v[i[n]] > 0.0 else 0.0",
    "never evaluated": "v[n + 99] if n < 0 else 0.0",
    "one of two ways in": "v[i[n]] if (i[n] == 3 or i[n] == 5) else 0.0",
    "in the larger type": "v[i64(j[n])]",
    "saturated": "v[i32(sat_u4(i[n]))]",
    "counted": "v[popcount(q[n])]",
    "difference to the larger": "v[max(n, j[n]) - j[n]]",
    "half of a sum": "v[(n + j[n]) // 2]",
    "chosen": "v[n - (1 if n > 0 else 0)]",
    "divided by what is positive": "v[n // max(j[n], 1)]",
    "product": "v[j[n] * j[n] // 16]",
    "a truth value as number": "v[i32(n > 3) * 15]",
}


@pytest.mark.parametrize("source", PROVEN.values(), ids=PROVEN.keys())
def test_an_index_is_proven(source: str) -> None:
    params = "v: f32[16], i: i32[16], j: i32[16] in range(16), q: u8[16]"
    assert said(params, f"out[n]: f32[16] = {source}") == ()


REDUCED = {
    "counted": ("sum(1 for i in range(6) if x[i] > 0)", 0, 6),
    "sum of bytes": ("sum(q[i] for i in range(6))", 0, 1530),
    "sum of a part": ("sum(q[i] + 1 for i in range(6) if x[i] > 0)", 0, 1536),
    "product": ("prod(2 for i in range(6))", 0, 64),
    "largest": ("max(q[i] for i in range(6))", 0, 255),
    "largest of a part": ("max(q[i] for i in range(6) if x[i] > 0)", None, 255),
    "least of a part": ("min(q[i] for i in range(6) if x[i] > 0)", 0, None),
    "place": ("argmax(x[i] for i in range(6))", 0, 5),
    "place in two": ("argmin(x[i] * j for i in range(6) for j in range(3))", 0, 17),
    "place in a part": ("argmax(x[i] for i in range(6) if x[i] > 0)", -1, 5),
    "too much": ("sum(x[i] for i in range(6))", None, None),
    "nothing": ("sum(q[i] for i in range(6) if i > 9)", 0, 0),
}


@pytest.mark.parametrize(("source", "low", "high"), REDUCED.values(), ids=REDUCED.keys())
def test_a_reduction_has_a_range(source: str, low: int | None, high: int | None) -> None:
    facts = verify("x: i32[6], q: u8[6]", f"out: i32 = {source}")
    assert (facts.ranges["out"].low, facts.ranges["out"].high) == (low, high)


STEPPED = {
    "carried": ("best[t - 1] if t > 0 and x[t] > 0 else i", 0, 9),
    "up to a limit": ("min((best[t - 1] if t > 0 else 0) + 1, 10)", None, 10),
    "down to a limit": ("max((best[t - 1] if t > 0 else 5) - 1, 0)", 0, None),
    "within a ring": ("((best[t - 1] if t > 0 else 0) + 1) % 7", 0, 6),
    "clamped": ("clamp((best[t - 1] if t > 0 else 0) + x[t], 0, 3)", 0, 3),
    "halved": ("(best[t - 1] if t > 0 else 100) // 2", 0, 50),
}


@pytest.mark.parametrize(("source", "low", "high"), STEPPED.values(), ids=STEPPED.keys())
def test_a_stage_that_reads_itself_has_a_range(source: str, low: int | None, high: int | None) -> None:
    source = source.replace("else i", "else t")
    facts = verify("x: i32[10]", f"for t in range(10):\n    best[t]: i32[10] = {source}", "best")
    found = facts.ranges["best"]
    assert low is None or (found.low is not None and found.low >= low)
    assert high is None or (found.high is not None and found.high <= high)


def test_the_texts_have_the_ranges_that_a_person_would_give() -> None:
    found = {name: verify_compute(kernel).ranges for name, kernel in texts()}
    assert (found["nms"]["pick"].low, found["nms"]["pick"].high) == (-1, 255)
    assert (found["topk"]["idx"].low, found["topk"]["idx"].high) == (0, 999)
    assert (found["resize_bilinear"]["y1"].low, found["resize_bilinear"]["y1"].high) == (1, 59)
    assert (found["fft"]["rev"].low, found["fft"]["rev"].high) == (0, 1024)


def test_a_hostile_condition_takes_few_passes() -> None:
    condition = "i[n] > 0"
    for _ in range(18):
        condition = (
            f"(1 if {condition} else 0) > (2 if {condition} else 0)"
            if len(condition) < 3000
            else f"(1 if {condition} else 0) > 0"
        )
    body = f"out[n]: f32[16] = v[n] if {condition} else 0.0"
    assert said("v: f32[16], i: i32[16]", body) == ()


def test_many_facts_take_few_passes() -> None:
    many = " or ".join(f"n + i[n] > {k}" for k in range(400))
    assert said("v: f32[16], i: i32[16]", f"out[n]: f32[16] = 0.0 if {many} else v[n]") == ()
