from dataclasses import replace

import numpy as np
import pytest
from tests.compiler.hand import HOST, axis, lit, loops, nest, output, param, places, read, work
from tests.compiler.kernels import below
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.compiler.vectors import lower_vectors
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Call, Cast
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Allocate, Guard, Kind, Let, Loop, Mark, Stmt, Store, Update, walk_stmts

X, OUT = param("x", 4, 45), output("out", 4, 45)


def vectors(body: tuple[Stmt, ...]) -> list[int]:
    return [s.extent for s in walk_stmts(body) if isinstance(s, Loop) and s.mark is Mark.VECTOR]


def test_a_vector_loop_becomes_whole_registers_and_powers_of_two() -> None:
    body = (loops([("j", 45, Mark.VECTOR)], Store("out", places(0, "j"), read(X, 0, "j").expr)),)
    assert vectors(lower_vectors(body, 64)) == [16, 8, 4]
    assert vectors(lower_vectors(body, 16)) == [4]


def test_the_widest_value_decides_how_many_lanes_there_are() -> None:
    double = Cast(DType.F64, read(X, 0, "j").expr, dtype=DType.F64)
    narrow = Cast(DType.F32, double, dtype=DType.F32)
    body = (loops([("j", 45, Mark.VECTOR)], Store("out", places(0, "j"), narrow)),)
    assert vectors(lower_vectors(body, 64)) == [8, 4]


def test_a_vector_loop_outside_comes_in() -> None:
    begin = Store("out", places(0, "j"), lit(0.0).expr)
    step = Update("sum", "out", places(0, "j"), read(X, "i", "j").expr)
    body = (loops([("j", 16, Mark.VECTOR)], begin, loops([("i", 4)], step, kind=Kind.REDUCTION)),)
    first, second = lower_vectors(body, 64)
    assert isinstance(first, Loop)
    assert first.var == "j"
    assert isinstance(second, Loop)
    assert second.var == "i"
    one = nest([X], [output("out", 1, 16)], *body)
    inputs = [np.arange(180, dtype=np.float32).reshape(4, 45)]
    fresh = replace(one, body=(first, second))
    np.testing.assert_array_equal(run_nest(one, inputs)[0], run_nest(fresh, inputs)[0])


def test_what_each_lane_allocates_gets_a_lane_more() -> None:
    tile = work("tile", 4, scope="local")
    fill = loops([("i", 4)], Store("tile", places("i"), read(X, "i", "j").expr))
    use = Store("out", places(0, "j"), (read(tile, 1) + read(tile, 3)).expr)
    body = (loops([("j", 16, Mark.VECTOR)], Allocate((tile,), (fill, use))),)
    (allocate,) = lower_vectors(body, 64)
    assert isinstance(allocate, Allocate)
    assert allocate.buffers[0].shape == (4, 16)


def test_conditions_and_lets_of_the_lane_go_along() -> None:
    store = Store("out", places(0, "j"), read(X, 0, "first").expr)
    guarded = Guard(below(axis("j"), 11), (store,))
    body = (loops([("j", 16, Mark.VECTOR)], Let("first", (axis("j") * 2).expr, (guarded,))),)
    (loop,) = lower_vectors(body, 64)
    assert isinstance(loop, Loop)
    (guard,) = loop.body
    assert isinstance(guard, Guard)


@pytest.mark.parametrize(
    "store",
    [
        Store("out", places(0, 0), read(X, 0, "j").expr),
        Store("out", places(0, "j"), Call("atan", (read(X, 0, "j").expr,), dtype=DType.F32)),
    ],
    ids=["one element for all", "a library function"],
)
def test_what_cannot_be_a_vector_is_a_loop(store: Store) -> None:
    body = (loops([("j", 16, Mark.VECTOR)], store),)
    assert vectors(lower_vectors(body, 64)) == []


@pytest.mark.parametrize("name", SMALL)
def test_no_text_changes_its_values(name: str) -> None:
    facts = facts_of(name)
    one = build_nest(facts, "llvm", HOST)
    inputs = random_inputs(facts.kernel)
    fresh = replace(one, body=lower_vectors(one.body, 32))
    for a, b in zip(*(run_nest(n, [inputs[p.name] for p in n.params]) for n in (one, fresh)), strict=True):
        np.testing.assert_array_equal(a, b)
