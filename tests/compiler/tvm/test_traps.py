"""What TVM 0.27 gets wrong unless it is told: a test for each that concerns us.

The numbers are those of the table in the research notes on lowering.
"""

import os
import re
import subprocess
import sys
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.compiler.hand import HOST, SERIAL, lit, loops, nest, output, param, places, read
from tests.compiler.kernels import convolution
from tests.compiler.running import assert_right, run

from edgekernelbench.base.errors import CompileError, InternalError, PrerequisiteError
from edgekernelbench.compiler.arrays import allocate_buffer
from edgekernelbench.compiler.tvm import TvmCompiler, compiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Buffer, Kind, Loop, Mark, Nest, Role, Store, Update, walk_stmts
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs

pytestmark = pytest.mark.needs_tvm

CONV = convolution(3, 16, 5, 14)


def listing(one: Nest, kind: str) -> str:
    return TvmCompiler().compile(one, HOST, listings=True).listings[kind]


def test_1_the_pool_has_the_threads_of_the_profile() -> None:
    # In a process of its own: the first profile of a process decides.
    program = (
        "from edgekernelbench.compiler.tvm.compiler import start_tvm; start_tvm(2); import tvm; "
        "print(tvm.get_global_func('runtime.NumThreads')())"
    )
    environment = {k: v for k, v in os.environ.items() if k != "TVM_NUM_THREADS"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, env=environment
    )
    assert done.stdout.strip() == "2"


def test_2_functions_promise_that_buffers_are_distinct() -> None:
    assert listing(CONV, "tir").count('"tirx.noalias": True') == 2
    assert "noalias" in listing(CONV, "llvm")


def test_10_scalars_have_one_element() -> None:
    given, out = param("x", 1), output("out", 1)
    one = nest([given], [out], Store("out", places(0), (read(given, 0) * 2.0).expr))
    assert run(TvmCompiler(), one, {"x": np.array(4.0, np.float32)})[0].tolist() == [8.0]


def test_12_the_maximum_of_minus_infinities_is_minus_infinity() -> None:
    given, out = param("x", 40), output("out", 1)
    begin = Store("out", places(0), lit(float("-inf")).expr)
    step = Update("max", "out", places(0), read(given, "k").expr)
    one = nest([given], [out], begin, loops([("k", 40)], step, kind=Kind.REDUCTION))
    assert run(TvmCompiler(), one, {"x": np.full(40, -np.inf, np.float32)})[0][0] == -np.inf


def test_12_the_place_in_a_row_of_minus_infinities_is_the_first() -> None:
    given = param("x", 40)
    out, best = output("out", 1, dtype=DType.I32), Buffer("best", DType.F32, (1,), Role.OUTPUT)
    begin = [
        Store("out", places(0), lit(-1, DType.I32).expr),
        Store("best", places(0), lit(float("-inf")).expr),
    ]
    (position,) = places("k")
    step = Update("argmax", "out", places(0), read(given, "k").expr, position, "best")
    one = nest([given], [out, best], *begin, loops([("k", 40)], step, kind=Kind.REDUCTION))
    assert run(TvmCompiler(), one, {"x": np.full(40, -np.inf, np.float32)})[0][0] == 0


def test_13_a_buffer_off_its_alignment_is_refused_before_it_crashes() -> None:
    executable = TvmCompiler().compile(CONV, HOST).executable
    params: list[Any] = [allocate_buffer(b) for b in CONV.params]
    params[2] = np.zeros(33, np.float32)[1:17]
    assert executable is not None
    with pytest.raises(InternalError, match="multiple of 64 bytes"):
        executable.run(params, [allocate_buffer(b) for b in CONV.outputs])


def test_18_sums_are_not_reassociated() -> None:
    # Serially, 1 is lost in 2**24 each time; in lanes it would not be.
    values = np.ones(64, np.float32)
    values[0] = 2.0**24
    given, out = param("x", 64), output("out", 1)
    step = Update("sum", "out", places(0), read(given, "k").expr)
    begin = Store("out", places(0), lit(0.0).expr)
    one = nest([given], [out], begin, loops([("k", 64)], step, kind=Kind.REDUCTION))
    assert run(TvmCompiler(), one, {"x": values})[0][0] == 2.0**24


def test_wrapping_arithmetic_is_not_promised_to_stay_in_range() -> None:
    given, out = param("u", 64, dtype=DType.U32), output("out", 64, dtype=DType.U32)
    product = read(given, "i") * 2654435769
    one = nest([given], [out], loops([("i", 64, Mark.VECTOR)], Store("out", places("i"), (product - 7).expr)))
    values = np.arange(64, dtype=np.uint32) * np.uint32(0x9E3779B9)
    expected = (values.astype(np.uint64) * 2654435769 - 7).astype(np.uint32)
    np.testing.assert_array_equal(run(TvmCompiler(), one, {"u": values})[0], expected)
    text = TvmCompiler().compile(one, SERIAL, listings=True).listings["llvm"]
    assert not re.search(r"(mul|sub|add) n[us]w.* <\d+ x i32>", text)


def test_accumulators_stay_in_registers() -> None:
    text = listing(convolution(8, 16, 4, 14), "asm")
    registers = set()
    for line in text.splitlines():
        if "vfmadd" in line:
            operands = re.findall(r"%([xyz]mm\d+)", line)
            registers.add(operands[-1])
            # The last operand is the accumulator: were it in memory, there would be two more moves a product.
            assert not line.rstrip().endswith(")")
    assert len(registers) >= 14


def test_small_buffers_are_on_the_stack_whatever_their_scope() -> None:
    # TVM calls its allocator for each buffer of scope `local`, in the innermost loops: 8 times slower (seen).
    text = TvmCompiler().compile(CONV, SERIAL, listings=True).listings["llvm"]
    assert text.count("load ptr, ptr @__TVMBackendAllocWorkspace") == 1


def test_contiguous_accesses_are_vectors() -> None:
    text = listing(CONV, "tir")
    assert "T.Ramp" in text
    assert "T.vectorized" not in text


def test_loops_of_one_parallel_share_one_launch() -> None:
    text = listing(CONV, "tir")
    assert text.count("T.parallel(2)") == 2
    assert sum(isinstance(s, Loop) and s.mark is Mark.PARALLEL for s in walk_stmts(CONV.body)) == 5


def test_one_thread_needs_no_launch() -> None:
    text = TvmCompiler().compile(CONV, SERIAL, listings=True).listings["tir"]
    assert "T.parallel" not in text


def test_a_nest_for_an_unknown_target_is_refused() -> None:
    unknown = Nest("k", "metal", (), (), (), (), (), ())
    with pytest.raises(CompileError, match="found one for metal"):
        TvmCompiler().compile(unknown, HOST)


def test_buffers_whose_indices_tvm_would_narrow_are_refused() -> None:
    large = param("x", 2, 2**30)
    with pytest.raises(CompileError, match="at most"):
        TvmCompiler().compile(nest([large], []), HOST)


def test_an_unknown_cpu_is_refused_and_a_foreign_one_is_compiled_for() -> None:
    with pytest.raises(CompileError, match="cortex-z9"):
        TvmCompiler().compile(CONV, replace(HOST, cpu="cortex-z9"))
    board = replace(HOST, cpu="cortex-a76", triple="aarch64-linux-gnu", vector_bytes=16, threads=4)
    artifact = TvmCompiler().compile(CONV, board, listings=True)
    assert artifact.executable is None
    assert "fmla" in artifact.listings["asm"]
    assert artifact.cost.code_bytes is not None
    assert artifact.cost.code_bytes > 500


def test_without_tvm_there_is_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tvm", None)
    with pytest.raises(PrerequisiteError, match="pip install"):
        compiler.start_tvm(2)


def test_a_guarded_loop_with_a_remainder_as_index_is_right() -> None:
    """LLVM 22 made wrong vectors of it, until its conversion of guards was turned off."""
    workload = load_catalogue().workload("speech/upsample_block@c36-n211-d18-s2-f32").twin()
    facts = verify_compute(workload.kernel())
    inputs = dict(zip((p.name for p in facts.kernel.params), make_inputs(workload, 1), strict=True))
    found = run(TvmCompiler(), build_nest(facts, "llvm", HOST), inputs)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=256)
