from dataclasses import replace

import numpy as np
from tests.compiler.hand import axis, lit, loops, nest, output, param, places, read
from tests.compiler.kernels import below, convolution

from edgekernelbench.compiler.registers import keep_in_registers
from edgekernelbench.compiler.vectors import lower_vectors
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import (
    Guard,
    Kind,
    Loop,
    Mark,
    Nest,
    Stmt,
    Store,
    Update,
    walk_stmts,
    workspace,
)


def promoted(one: Nest, most: int = 30) -> Nest:
    outside = (*one.params, *one.outputs, *one.prepared, *one.tables)
    return replace(one, body=keep_in_registers(lower_vectors(one.body, 64), outside, most))


def test_each_accumulator_of_a_tile_has_a_buffer_of_one_vector() -> None:
    fresh = promoted(convolution(2, 16, 4, 14))
    registers = [b for b in workspace(fresh) if ".r" in b.name]
    assert [b.shape for b in registers] == [(16,)] * 14
    updates = [s for s in walk_stmts(fresh.body) if isinstance(s, Update)]
    assert {u.buffer for u in updates} == {b.name for b in registers}


def test_values_are_the_same() -> None:
    one = convolution(2, 16, 4, 14)
    rng = np.random.default_rng(0)
    inputs = [rng.standard_normal(b.shape).astype(np.float32) for b in one.params]
    np.testing.assert_array_equal(run_nest(one, inputs)[0], run_nest(promoted(one), inputs)[0])


def test_more_than_fit_stay_where_they_are() -> None:
    assert not [b for b in workspace(promoted(convolution(2, 16, 4, 14), most=13)) if ".r" in b.name]


X = param("x", 9, 16)


def reduction(out: str, condition: Stmt | None = None, *, dtype: DType = DType.F32) -> Nest:
    target = output(out, 16, dtype=dtype)
    given = param("x", 9, 16, dtype=dtype)
    step = condition or Update("sum", out, places("j"), read(given, "k", "j").expr)
    begin = loops([("a", 16)], Store(out, places("a"), lit(0.0, dtype).expr))
    body = loops([("k", 9)], loops([("j", 16, Mark.VECTOR)], step), kind=Kind.REDUCTION)
    return nest([given], [target], begin, body)


def test_a_condition_on_the_element_guards_its_load_and_its_store_too() -> None:
    step = Update("sum", "out", places("j"), read(X, "k", "j").expr)
    one = reduction("out", Guard(below(axis("j"), 11), (step,)))
    fresh = promoted(one)
    assert sum(isinstance(s, Guard) for s in walk_stmts(fresh.body)) == 3
    inputs = [np.arange(144, dtype=np.float32).reshape(9, 16)]
    np.testing.assert_array_equal(run_nest(one, inputs)[0], run_nest(fresh, inputs)[0])


def test_a_condition_on_the_step_does_not() -> None:
    step = Update("sum", "out", places("j"), read(X, "k", "j").expr)
    fresh = promoted(reduction("out", Guard(below(axis("k"), 4), (step,))))
    assert sum(isinstance(s, Guard) for s in walk_stmts(fresh.body)) == 1


def test_sixteen_bit_sums_are_kept_in_thirty_two() -> None:
    fresh = promoted(reduction("out", dtype=DType.F16))
    assert [b.dtype for b in workspace(fresh)] == [DType.F32]


def test_a_sum_that_is_read_while_it_grows_stays_in_memory() -> None:
    out = output("out", 16)
    step = Update("sum", "out", places("j"), (read(X, "k", "j") + read(out, 0)).expr)
    assert not workspace(promoted(reduction("out", step)))


def test_steps_that_threads_share_stay_as_they_are() -> None:
    total = output("total", 1)
    step = Update("sum", "total", places(0), read(param("x", 8), axis("s") * 2 + axis("r")).expr)
    shared = loops([("r", 2)], step, kind=Kind.REDUCTION)
    body = loops([("s", 4, Mark.THREAD_X)], shared, kind=Kind.REDUCTION)
    assert keep_in_registers((body,), (param("x", 8), total), 30) == (body,)


def test_a_tail_of_one_lane_adds_to_the_sum_of_its_vector() -> None:
    """Rows of 17: the last element goes to lane 0, which a vector of 16 holds already."""
    target = output("out", 16)
    given = param("x", 5, 17)
    begin = loops([("a", 16)], Store("out", places("a"), lit(0.0).expr))
    whole = loops([("j", 16, Mark.VECTOR)], Update("sum", "out", places("j"), read(given, "k", "j").expr))
    tail = Update("sum", "out", places(0), read(given, "k", 16).expr)
    body = Loop("k", 5, (whole, tail), Kind.REDUCTION)
    one = nest([given], [target], begin, body)
    inputs = [np.arange(85, dtype=np.float32).reshape(5, 17)]
    np.testing.assert_array_equal(run_nest(one, inputs)[0], run_nest(promoted(one), inputs)[0])
