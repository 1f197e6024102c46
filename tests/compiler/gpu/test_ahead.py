"""Loops that fetch for the next iteration: what is marked, that values stay, and how it is written."""

import re
import shutil
from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, run
from tests.interp.texts import random_inputs

from edgekernelbench.compiler.cuda.compiler import CudaCompiler
from edgekernelbench.compiler.gpu.ahead import fetch_ahead
from edgekernelbench.compiler.opencl.compiler import OpenClCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Read
from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.linear import number, variable
from edgekernelbench.nest.tree import (
    Allocate,
    Buffer,
    Kind,
    Loop,
    Mark,
    Nest,
    Role,
    Store,
    walk_stmts,
    workspace,
)
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

ORIN, POCL = load_profile("cuda-sm87"), load_profile("opencl")
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")

MATMUL = """
def k(a: {kind}[10, 20], b: {kind}[20, 7]):
    with compute:
        c[i, j]: f32[10, 7] = sum(f32(a[i, k]) * f32(b[k, j]) for k in range(20))
        return c

    with schedule("cuda", "opencl"):
        ib, it, ii = split(c.i, 2, 2)
        jb, jt = split(c.j, 4)
        ko, ki = split(c.k, {part})
        order(ib, jb, it, jt, ko, ki, ii)
        bind(ib, "blockIdx.y")
        bind(jb, "blockIdx.x")
        bind(it, "threadIdx.y")
        bind(jt, "threadIdx.x")

    with memory("cuda", "opencl"):
        cache(a, "shared", at=ko, vector={lanes}, buffers={buffers})
        cache(b, "shared", at=ko, buffers={buffers})
        accumulate(c, "local")
"""
PLACED = """
def k(x: f32[3, 40], w: f32[40]):
    with compute:
        y[i, j]: f32[3, 40] = exp(x[i, j] * 0.125) + w[j]
        z[i]: f32[3] = sum(y[i, j] for j in range(40))
        return z

    with schedule("cuda", "opencl"):
        jo, ji = split(z.j, 8)
        bind(z.i, "blockIdx.x")
        compute_at(y, jo)
        bind(y.j, "threadIdx.x")

    with memory("cuda", "opencl"):
        place(y, "shared", buffers=2)
"""


def matmul(kind: str = "f32", *, part: int = 4, lanes: int = 1, buffers: int = 2) -> Facts:
    text = MATMUL.format(kind=kind, part=part, lanes=lanes, buffers=buffers)
    return verify_compute(read(text).bind())


def ahead(nest: Nest) -> list[Loop]:
    return [s for s in walk_stmts(nest.body) if isinstance(s, Loop) and s.mark is Mark.AHEAD]


def marked(facts: Facts) -> Nest:
    nest = build_nest(facts, "cuda", ORIN)
    return replace(nest, body=fetch_ahead(nest.body))


CASES = {
    "two buffers": matmul(),
    "three buffers": matmul(buffers=3),
    "a last part that is not full": matmul(part=6),
    "wide copies": matmul(lanes=4),
    "narrow elements": matmul("f16"),
    "wide copies of narrow elements": matmul("f16", lanes=4),
    "bytes": matmul("i8"),
    "more buffers than parts": matmul(part=10, buffers=4),
    "a stage in shared memory": verify_compute(read(PLACED).bind()),
}


@pytest.mark.parametrize("name", CASES)
def test_values_stay(name: str) -> None:
    facts = CASES[name]
    nest = marked(facts)
    assert len(ahead(nest)) == 1
    inputs = random_inputs(facts.kernel)
    found = run_nest(nest, [inputs[b.name] for b in nest.params])
    assert_right(found, evaluate(facts, inputs, "declared"))


def test_shared_memory_gets_slots() -> None:
    shapes = {b.name: b.shape for b in workspace(marked(matmul(buffers=3)))}
    assert shapes["a.shared"] == (3, 4, 4)
    assert shapes["b.shared"] == (3, 4, 4)


def test_there_are_no_more_slots_than_parts() -> None:
    shapes = {b.name: b.shape for b in workspace(marked(matmul(part=10, buffers=4)))}
    assert shapes["a.shared"] == (2, 4, 10)


def test_one_buffer_is_fetched_when_it_is_needed() -> None:
    assert not ahead(marked(matmul(buffers=1)))


def chosen(*, written: bool) -> Loop:
    """A loop that copies the row that it chose in the iteration before, or one that nobody wrote."""
    row = Read("pick", (number(0),), dtype=DType.I32)
    held = Buffer("x.shared", DType.F32, (4,), Role.WORK, "shared", copies=2)
    copy = Store(held.name, (variable("i"),), Read("x", (row, variable("i")), dtype=DType.F32))
    choice = Store("pick" if written else "other", (number(0),), variable("t"))
    body = (Loop("i", 4, (copy,), Kind.COPY, Mark.THREAD_X), choice)
    return Loop("t", 3, (Allocate((held,), body),), Kind.ORDERED)


@pytest.mark.parametrize("written", [False, True])
def test_what_the_loop_itself_decides_is_not_fetched_ahead(*, written: bool) -> None:
    (found,) = fetch_ahead((chosen(written=written),))
    marks = [s.mark for s in walk_stmts((found,)) if isinstance(s, Loop)]
    assert (Mark.AHEAD in marks) != written
    if written:
        assert found == chosen(written=True)


@pytest.mark.needs_opencl
@pytest.mark.parametrize("name", CASES)
def test_work_groups_get_the_same(name: str) -> None:
    facts = CASES[name]
    inputs = random_inputs(facts.kernel)
    found = run(OpenClCompiler(), build_nest(facts, "opencl", POCL), inputs, POCL)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)


@pytest.mark.needs_opencl
def test_opencl_reads_before_the_work_and_stores_after_it() -> None:
    made = OpenClCompiler().compile(build_nest(matmul(), "opencl", POCL), POCL, listings=True)
    source = made.listings["opencl"]
    assert any("a.shared, b.shared through registers" in note for note in made.cost.notes)
    loop = source[source.index("for (int ko_") :]
    assert loop.index("a_shared_held_") < loop.index("c_partial") < loop.rindex("a_shared_held_")


@pytest.mark.needs_tvm
def test_cuda_starts_copies_and_waits_for_them() -> None:
    from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415 - imports TVM

    code = write_device_code(build_nest(matmul(lanes=4), "cuda", ORIN), ORIN)
    kernel = code.source[code.source.rindex("__global__") :]
    assert code.notes == (
        "run_0: ko works on one of 2 parts while the next comes: a.shared, b.shared by asynchronous copies",
    )
    loop = kernel[kernel.index("for (int ko_") :]
    assert loop.count("ekb_barrier()") == 1
    assert loop.index("ekb_fetch_wait_0()") < loop.index("ekb_barrier()") < loop.index("ekb_fetch_16(")
    assert re.search(r"ekb_fetch_16\(.*ekb_fetch_4\(.*ekb_fetch_group\(\)", loop, re.DOTALL)


@pytest.mark.needs_tvm
@pytest.mark.parametrize(("arch", "kind", "said"), [
    ("sm_75", "f32", "through registers"), ("sm_87", "f32", "asynchronous"), ("sm_87", "f16", "registers"),
])  # fmt: skip
def test_what_cannot_be_started_goes_through_registers(arch: str, kind: str, said: str) -> None:
    from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415 - imports TVM

    code = write_device_code(build_nest(matmul(kind), "cuda", ORIN), replace(ORIN, cpu=arch))
    assert said in code.notes[0]


@NVCC
@pytest.mark.needs_tvm
@pytest.mark.parametrize("arch", ["sm_87", "sm_90"])
@pytest.mark.parametrize("name", ["three buffers", "narrow elements", "a stage in shared memory"])
def test_it_becomes_a_cubin(name: str, arch: str) -> None:
    made = CudaCompiler().compile(build_nest(CASES[name], "cuda", ORIN), replace(ORIN, cpu=arch))
    assert any("while the next comes" in note for note in made.cost.notes)


@pytest.mark.needs_cuda
@pytest.mark.parametrize("device", ["cuda", "opencl-nvidia"])
@pytest.mark.parametrize("name", CASES)
def test_gpus_get_the_same(name: str, device: str) -> None:
    from edgekernelbench.compiler.tvm import TvmCompiler  # noqa: PLC0415 - imports TVM

    facts, profile = CASES[name], load_profile(device)
    inputs = random_inputs(facts.kernel)
    found = run(TvmCompiler(), build_nest(facts, profile.target, profile), inputs, profile)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)
