"""`dot4`: exact for all signs, one instruction where the machine has it, plain loops elsewhere."""

from dataclasses import replace

import numpy as np
import pytest
from tests.compiler.hand import SERIAL, lit, loops, nest, output, param, places, read
from tests.compiler.running import QUICK, run

from edgekernelbench.compiler.arrays import Array
from edgekernelbench.compiler.c import CCompiler
from edgekernelbench.compiler.instructions import lower_dots
from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Binary
from edgekernelbench.nest.tree import Kind, Loop, Mark, Nest, Store, Update, walk_stmts

STEPS, LANES = 6, 32


def product(left: DType, right: DType, *, order: str = "lanes") -> Nest:
    """`out[i] = sum(a[k] * b[k, i])`, four steps and then lanes of `b` neighbours in memory."""
    a = param("a", STEPS, 4, dtype=left)
    shape = (STEPS, LANES, 4) if order == "lanes" else (STEPS, 4, LANES)
    b, out = param("b", *shape, dtype=right), output("out", LANES, dtype=DType.I32)
    second = ("ko", "i", "ki") if order == "lanes" else ("ko", "ki", "i")
    factors = (read(a, "ko", "ki").cast(DType.I32).expr, read(b, *second).cast(DType.I32).expr)
    step = Update("sum", "out", places("i"), Binary("*", *factors, dtype=DType.I32))
    four = Loop("ki", 4, (step,), Kind.REDUCTION, Mark.TENSOR, instruction="dot4")
    lanes = Loop("i", LANES, (four,), Kind.DATA, Mark.TENSOR, instruction="dot4")
    begin = loops([("j", LANES)], Store("out", places("j"), lit(0, DType.I32).expr))
    return nest([a, b], [out], begin, loops([("ko", STEPS)], lanes, kind=Kind.REDUCTION))


def extremes(one: Nest) -> dict[str, Array]:
    found: dict[str, Array] = {}
    for number, buffer in enumerate(one.params):
        low, high = buffer.dtype.bounds
        kind = np.int8 if buffer.dtype.is_signed else np.uint8
        values = np.random.default_rng(number).integers(low, high + 1, buffer.shape)
        values.reshape(-1)[::3] = low
        values.reshape(-1)[1::5] = high
        found[buffer.name] = values.astype(kind)
    return found


@pytest.mark.needs_tvm
@pytest.mark.parametrize("left", [DType.I8, DType.U8])
@pytest.mark.parametrize("right", [DType.I8, DType.U8])
@pytest.mark.parametrize("order", ["lanes", "steps"])
def test_products_are_exact(left: DType, right: DType, order: str) -> None:
    one = product(left, right, order=order)
    inputs = extremes(one)
    (expected,) = run_nest(one, [inputs["a"], inputs["b"]])
    for compiler in (TvmCompiler(), CCompiler(QUICK)):
        np.testing.assert_array_equal(run(compiler, one, inputs, SERIAL)[0], expected)


def test_lanes_are_cut_to_the_width_of_the_machine() -> None:
    one = product(DType.I8, DType.I8)
    fresh = replace(one, body=lower_dots(one.body, (*one.params, *one.outputs), 16))
    marked = [s for s in walk_stmts(fresh.body) if isinstance(s, Loop) and s.mark is Mark.TENSOR]
    assert [s.extent for s in marked] == [16, 4]
    inputs = list(extremes(one).values())
    np.testing.assert_array_equal(run_nest(one, inputs)[0], run_nest(fresh, inputs)[0])


@pytest.mark.parametrize(("order", "lanes"), [("lanes", 0), ("lanes", 5), ("steps", 16)])
def test_what_the_machine_cannot_do_is_a_vector_loop(order: str, lanes: int) -> None:
    one = product(DType.I8, DType.I8, order=order)
    fresh = replace(one, body=lower_dots(one.body, (*one.params, *one.outputs), lanes))
    marks = [s.mark for s in walk_stmts(fresh.body) if isinstance(s, Loop)]
    assert Mark.TENSOR not in marks
    assert Mark.VECTOR in marks
    inputs = list(extremes(one).values())
    np.testing.assert_array_equal(run_nest(one, inputs)[0], run_nest(fresh, inputs)[0])


@pytest.mark.needs_tvm
def test_more_sums_than_there_are_registers_are_exact() -> None:
    """Registers were given to each lane alone, inside the loops of the instruction."""
    count = 40
    a = param("a", count, STEPS, 4, dtype=DType.I8)
    b, out = param("b", STEPS, LANES, 4, dtype=DType.I8), output("out", count, LANES, dtype=DType.I32)
    factors = (read(a, "r", "ko", "ki").cast(DType.I32).expr, read(b, "ko", "i", "ki").cast(DType.I32).expr)
    step = Update("sum", "out", places("r", "i"), Binary("*", *factors, dtype=DType.I32))
    four = Loop("ki", 4, (step,), Kind.REDUCTION, Mark.TENSOR, instruction="dot4")
    lanes = Loop("i", LANES, (four,), Kind.DATA, Mark.TENSOR, instruction="dot4")
    begin = loops([("q", count), ("j", LANES)], Store("out", places("q", "j"), lit(0, DType.I32).expr))
    rows = Loop("r", count, (lanes,), Kind.DATA, Mark.UNROLL)
    one = nest([a, b], [out], begin, loops([("ko", STEPS)], rows, kind=Kind.REDUCTION))
    inputs = extremes(one)
    (expected,) = run_nest(one, [inputs["a"], inputs["b"]])
    for compiler in (TvmCompiler(), CCompiler(QUICK)):
        np.testing.assert_array_equal(run(compiler, one, inputs, SERIAL)[0], expected)
