"""Tails by overlap: right where it is legal, guarded or peeled where it is not."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.compiler.hand import HOST, axis, lit, loops, nest, output, param, places, read
from tests.compiler.kernels import below
from tests.interp.texts import SMALL, facts_of, random_inputs, verified

from edgekernelbench.compiler.tails import remove_tails
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Guard, Kind, Let, Loop, Mark, Nest, Stmt, Store, Update, walk_stmts

N, X = 22, param("x", 22)
OUT = output("out", 22)
E = axis("o") * 8 + axis("i")


def tiled(*inner: Stmt, mark: Mark = Mark.SERIAL) -> Loop:
    return loops([("o", 3, mark)], loops([("i", 8)], Guard(below(E, N), inner)))


def without_tails(one: Nest) -> Nest:
    return replace(one, body=remove_tails(one.body))


def assert_equal(one: Nest, inputs: Sequence[NDArray[Any]]) -> Nest:
    fresh = without_tails(one)
    for backwards in (False, True):
        before, after = run_nest(one, inputs), run_nest(fresh, inputs, backwards=backwards)
        for a, b in zip(before, after, strict=True):
            np.testing.assert_array_equal(a, b)
    return fresh


def guards(one: Nest) -> int:
    return sum(isinstance(s, Guard) for s in walk_stmts(one.body))


def test_the_last_tile_starts_earlier() -> None:
    one = nest([X], [OUT], tiled(Store("out", places(E), (read(X, E) * 2.0).expr), mark=Mark.PARALLEL))
    fresh = assert_equal(one, [np.arange(N, dtype=np.float32)])
    assert guards(fresh) == 0
    assert any(isinstance(s, Let) for s in walk_stmts(fresh.body))


def test_a_position_that_was_simplified_away_keeps_its_tile() -> None:
    # `(o * 8 + i) % 8` is written `i`: a tile that starts at 14 would take the wrong element.
    value = read(param("t", 8), "i") + read(X, E)
    one = nest([X, param("t", 8)], [OUT], tiled(Store("out", places(E), value.expr)))
    fresh = assert_equal(one, [np.arange(N, dtype=np.float32), np.arange(8, dtype=np.float32)])
    assert not any(isinstance(s, Let) for s in walk_stmts(fresh.body))


def test_the_number_of_the_tile_is_no_position() -> None:
    value = read(param("t", 3), "o") + read(X, E)
    one = nest([X, param("t", 3)], [OUT], tiled(Store("out", places(E), value.expr)))
    assert_equal(one, [np.arange(N, dtype=np.float32), np.arange(3, dtype=np.float32)])


def test_other_remainders_of_the_position_are_kept_whole() -> None:
    rest = axis("o") * 8 + axis("i")
    index = Binary("%", rest.expr, lit(3, DType.I32).expr, dtype=DType.I32)
    value = read(X, E)
    store = Store("out", places(E), value.expr)
    table = param("t", 3)
    mixed = replace(
        store, value=Binary("+", value.expr, read(table, type(rest)(index)).expr, dtype=DType.F32)
    )
    one = nest([X, table], [OUT], tiled(mixed))
    fresh = assert_equal(one, [np.arange(N, dtype=np.float32), np.arange(3, dtype=np.float32)])
    assert guards(fresh) == 0


def test_a_sum_that_other_threads_may_be_in_the_midst_of_is_not_repeated() -> None:
    begin = Store("out", places(E), lit(0.0).expr)
    step = loops([("k", 4)], Update("sum", "out", places(E), read(X, E).expr), kind=Kind.REDUCTION)
    inputs = [np.arange(N, dtype=np.float32)]
    parallel = assert_equal(nest([X], [OUT], tiled(begin, step, mark=Mark.PARALLEL)), inputs)
    assert not any(isinstance(s, Let) for s in walk_stmts(parallel.body))
    serial = assert_equal(nest([X], [OUT], tiled(begin, step)), inputs)
    assert any(isinstance(s, Let) for s in walk_stmts(serial.body))


def test_a_stage_that_reads_what_it_writes_is_not_repeated() -> None:
    begin = loops([("a", N)], Store("out", places("a"), read(X, "a").expr))
    twice = tiled(Store("out", places(E), (read(OUT, E) * 2.0).expr))
    assert_equal(nest([X], [OUT], begin, twice), [np.arange(1, N + 1, dtype=np.float32)])


def test_a_reduction_is_peeled_and_its_last_loop_cut_short() -> None:
    total = output("total", 1)
    position = axis("o") * 8 + axis("i")
    step = Guard(below(position, N), (Update("sum", "total", places(0), read(X, position).expr),))
    summing = loops([("o", 3), ("i", 8)], step, kind=Kind.REDUCTION)
    one = nest([X], [total], Store("total", places(0), lit(0.0).expr), summing)
    fresh = assert_equal(one, [np.arange(N, dtype=np.float32)])
    assert guards(fresh) == 0
    assert [s.extent for s in walk_stmts(fresh.body) if isinstance(s, Loop)] == [2, 8, 6]


@pytest.mark.parametrize("name", SMALL)
def test_no_text_changes_its_values(name: str) -> None:
    facts = facts_of(name)
    one = build_nest(facts, "llvm", HOST)
    inputs = random_inputs(facts.kernel)
    fresh = without_tails(one)
    for a, b in zip(*(run_nest(n, [inputs[p.name] for p in n.params]) for n in (one, fresh)), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(("rows", "columns"), [(13, 41), (12, 33), (6, 32), (5, 31), (7, 64)])
def test_a_tiled_product_needs_no_guard_at_any_size(rows: int, columns: int) -> None:
    facts = verified(f'''def mm(a: f32[{rows}, 5], b: const[f32[5, {columns}]]):
    """Product in tiles of 6 by 32."""

    with compute:
        acc[i, j]: f32[{rows}, {columns}] = sum(a[i, k] * b[k, j] for k in range(5))
        out[i, j]: f32[{rows}, {columns}] = max(acc[i, j], 0.0)
        return out

    with schedule("llvm"):
        io, ii = split(out.i, 6)
        jo, ji = split(out.j, 32)
        order(io, jo, ii, ji)
        parallel(io)
        compute_at(acc, jo)
        order(acc.k, acc.i, acc.j)
        unroll(acc.i)
        vectorize(acc.j, ji)
''')
    inputs = random_inputs(facts.kernel)
    fresh = assert_equal(build_nest(facts, "llvm", HOST), [inputs["a"], inputs["b"]])
    assert guards(fresh) == 0
