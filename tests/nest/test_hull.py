"""Boxes that serve reads which begin at different places."""

import itertools

import pytest
from tests.nest.running import assert_right, nest_of

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Call, Expr
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.hull import difference
from edgekernelbench.nest.linear import Linear, linear, number, variable
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.nest.tree import workspace
from edgekernelbench.verify.compute import verify_compute

CHAIN = """def f(x: f32[{n}]):
    with compute:
        a[i]: f32[{m}] = x[i - 1] * 2.0 if 1 <= i <= {n} else 0.0
        b[i]: f32[{n}] = a[i] + a[i + 1] + a[i + 2]
        out[i]: f32[{n}] = b[i] * a[i + 1] + a[i + {far}]
        return out

    with schedule("llvm"):
        io, ii = split(out.i, 16)
        compute_at(a, io)
        compute_at(b, io)
"""
TWO = """def f(x: f32[70, 50]):
    with compute:
        a[i, j]: f32[70, 50] = x[i, j] + 1.0
        b[i, j]: f32[69, 49] = a[i, j] + a[i + 1, j + 1]
        out[i, j]: f32[69, 49] = b[i, j] * a[i, j + 1]
        return out

    with schedule("llvm"):
        io, ii = split(out.i, 8)
        jo, ji = split(out.j, 16)
        order(io, jo, ii, ji)
        compute_at(a, jo)
        compute_at(b, jo)
"""


@pytest.mark.parametrize(("n", "far"), [(145, 2), (145, 0), (17, 1), (31, 2), (15, 2)])
def test_a_stage_of_the_root_and_of_another_stage_gets_a_tile(n: int, far: int) -> None:
    facts = verify_compute(parse(CHAIN.format(n=n, m=n + 2, far=far)))
    nest = nest_of(facts, "llvm")
    sizes = {buffer.name: buffer.shape for buffer in workspace(nest)}
    assert sizes["a"] == (min(18, n + 2),)
    assert_right(facts, nest)


def test_tiles_along_two_axes() -> None:
    facts = verify_compute(parse(TWO))
    nest = nest_of(facts, "llvm")
    sizes = {buffer.name: buffer.shape for buffer in workspace(nest)}
    assert sizes["a"] == (9, 17), print_nest(nest)
    assert_right(facts, nest)


def _choice(function: str, *args: Expr) -> Expr:
    return Call(function, args, dtype=DType.I32)


def _value(node: Expr, i: int, j: int) -> int:
    match node:
        case Call(function=function, args=args):
            values = [_value(arg, i, j) for arg in args]
            if function == "clamp":
                return max(min(values[0], values[2]), values[1])
            return min(values) if function == "min" else max(values)
        case _:
            total = linear(node)
            names = {variable("i"): i, variable("j"): j}
            found = (names[t] if t in names else _value(t, i, j) for t, _ in total.terms)
            return total.constant + sum(k * v for (_, k), v in zip(total.terms, found, strict=True))


def _shifted(node: Expr, by: int) -> Expr:
    return linear(node).plus(Linear((), by)).expr()


def test_the_bounds_of_a_difference_hold_everywhere() -> None:
    i, j = variable("i"), variable("j")
    wide = linear(i).times(4).expr()
    nodes = [
        number(3),
        i,
        wide,
        _choice("min", wide, number(9)),
        _choice("max", i, number(2)),
        _choice("max", j, i),
        _choice("clamp", _shifted(i, -2), number(0), number(5)),
        _choice("min", _choice("max", i, j), number(4)),
        _shifted(_choice("min", wide, number(7)), 3),
        _choice("clamp", wide, number(2), number(11)),
    ]
    ranges = {"i": (0, 6), "j": (-3, 2)}
    for a, b in itertools.product(nodes, repeat=2):
        low, high = difference(linear(a), linear(b), ranges)
        assert low is not None
        assert high is not None
        for x, y in itertools.product(range(7), range(-3, 3)):
            assert low <= _value(a, x, y) - _value(b, x, y) <= high


def test_a_held_position_is_near_the_free_one() -> None:
    i = variable("i")
    held = linear(_choice("min", linear(i).times(16).expr(), number(129)))
    assert difference(held, linear(i).times(16), {"i": (0, 9)}) == (-15, 0)
