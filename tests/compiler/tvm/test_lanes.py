import numpy as np
import pytest
from tests.compiler.hand import SERIAL, axis, lit, loops, nest, output, param, places, read
from tests.compiler.running import run

from edgekernelbench.compiler.arrays import stored_type
from edgekernelbench.compiler.programs import Term
from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.compiler.tvm.compiler import start_tvm
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary
from edgekernelbench.nest.tree import Mark, Nest, Store

pytestmark = pytest.mark.needs_tvm
start_tvm(2)

from edgekernelbench.compiler.tvm.lanes import blocks, runs  # noqa: E402 - TVM starts with two threads

X = param("x", 128)
VALUES = np.arange(128, dtype=np.float32)


def halved(value: Term) -> Term:
    return Term(Binary("//", value.expr, lit(2, DType.I32).expr, dtype=DType.I32))


def rest(value: Term) -> Term:
    return Term(Binary("%", value.expr, lit(2, DType.I32).expr, dtype=DType.I32))


def checked(one: Nest) -> tuple[np.ndarray, str]:
    found = np.asarray(run(TvmCompiler(), one, {"x": VALUES}, SERIAL)[0])
    return found, TvmCompiler().compile(one, SERIAL, listings=True).listings["tir"]


@pytest.mark.parametrize("stride", [2, 3, 4, -1])
def test_a_fixed_stride_is_read_as_vectors_and_a_shuffle(stride: int) -> None:
    start = 15 if stride < 0 else 1
    out = output("out", 16)
    body = Store("out", places("i"), read(X, axis("i") * stride + start).expr)
    found, text = checked(nest([X], [out], loops([("i", 16, Mark.VECTOR)], body)))
    np.testing.assert_array_equal(found, VALUES[start + stride * np.arange(16)])
    assert "Shuffle" in text


def test_halves_are_written_as_two_vectors() -> None:
    out = output("out", 2, 9)
    body = Store("out", places(rest(axis("i")), halved(axis("i"))), read(X, "i").expr)
    found, text = checked(nest([X], [out], loops([("i", 16, Mark.VECTOR)], body)))
    np.testing.assert_array_equal(found[:, :8], VALUES[:16].reshape(8, 2).T)
    assert text.count("Shuffle") == 2


@pytest.mark.parametrize("lanes", [4, 16])
def test_a_wide_stride_is_gathered_or_read_lane_by_lane(lanes: int) -> None:
    out = output("out", lanes)
    body = Store("out", places("i"), read(X, axis("i") * 7).expr)
    found, text = checked(nest([X], [out], loops([("i", lanes, Mark.VECTOR)], body)))
    np.testing.assert_array_equal(found, VALUES[7 * np.arange(lanes)])
    assert "Shuffle" not in text


@pytest.mark.parametrize(
    ("dtype", "lanes"), [(DType.F32, 16), (DType.I32, 16), (DType.F64, 8), (DType.I64, 8)]
)
def test_places_from_data_are_gathered(dtype: DType, lanes: int) -> None:
    given, at = param("v", 100, dtype=dtype), param("at", lanes, dtype=DType.I32)
    body = Store("out", places("i"), read(given, read(at, "i")).expr)
    one = nest([given, at], [output("out", lanes, dtype=dtype)], loops([("i", lanes, Mark.VECTOR)], body))
    values = (np.arange(100) * 3 - 50).astype(stored_type(dtype))
    where = ((np.arange(lanes) * 37) % 100).astype(np.int32)
    found = run(TvmCompiler(), one, {"v": values, "at": where}, SERIAL)[0]
    np.testing.assert_array_equal(found, values[where])


def test_vectors_of_a_load_end_where_its_lanes_do() -> None:
    assert blocks(tuple(range(0, 32, 2))) == ((0, 15), (*range(0, 16, 2)[:8], *range(17, 32, 2)))
    assert blocks((0, 100, 200, 300)) is None
    assert blocks((5, 5, 5, 5)) is None


def test_lanes_of_a_store_are_sorted_into_runs() -> None:
    assert runs((0, 30, 1, 31)) == [(0, (0, 2)), (30, (1, 3))]
