"""`tensorize("dot4")` on GPUs: one instruction where bytes are neighbours, plain loops where not."""

import shutil
from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, run
from tests.interp.texts import random_inputs

from edgekernelbench.compiler.cuda.compiler import CudaCompiler
from edgekernelbench.compiler.opencl.compiler import OpenClCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

ORIN = load_profile("cuda-sm87")
POCL = replace(load_profile("opencl"), instructions=("dot4",))
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")

TEXT = """
def k(a: {left}[20, 32], w: {right}[12, 32], bias: i32[12]):
    with compute:
        acc[i, j]: i32[20, 12] = sum(i32(a[i, k]) * i32(w[j, k]) for k in range(32))
        c[i, j]: i32[20, 12] = acc[i, j] + bias[j]
        return c

    with schedule("cuda", "opencl"):
        io, it = split(c.i, 8)
        jo, jt, jr = split(c.j, 2, 4)
        bind(io, "blockIdx.y")
        bind(jo, "blockIdx.x")
        bind(it, "threadIdx.y")
        bind(jt, "threadIdx.x")
        order(io, jo, it, jt, jr)
        compute_at(acc, jt)
        ko, km, ki = split(acc.k, 4, 4)
        order(ko, km, acc.i, acc.j, ki)
        tensorize("dot4", acc.j, ki)

    with memory("cuda", "opencl"):
        place(acc, "local")
        {layout}
        {cache}
"""
LAYOUT = 'layout(w, "j k -> k/4 j k%4")'
CACHE = (
    'cache(a, "shared", at=ko, buffers=2)\n        '
    'cache(w, "shared", at=ko, vector=4, layout="j k -> k/4 j k%4")'
)


def facts(left: str = "i8", right: str = "i8", layout: str = "", cache: str = "") -> Facts:
    text = TEXT.format(left=left, right=right, layout=layout, cache=cache)
    return verify_compute(read("\n".join(line for line in text.split("\n") if line.strip())).bind())


FORMS = {
    "rows": facts(),
    "packed": facts(layout=LAYOUT),
    "shared": facts(cache=CACHE),
    "unsigned": facts("u8", "u8"),
    "mixed": facts("u8", "i8"),
    "apart": facts(layout='layout(w, "j k -> k j")'),
}


@pytest.mark.needs_opencl
@pytest.mark.parametrize("name", FORMS)
def test_work_groups_compute_it(name: str) -> None:
    inputs = random_inputs(FORMS[name].kernel)
    found = run(OpenClCompiler(), build_nest(FORMS[name], "opencl", POCL), inputs, POCL)
    assert_right(found, evaluate(FORMS[name], inputs, "declared"))


@pytest.mark.needs_tvm
@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("rows", "ekb_dot4_i8_i8_global_global("),
        ("shared", "ekb_dot4_i8_i8_shared_shared("),
        ("unsigned", "dp4a.u32.u32"),
        ("mixed", "dp4a.u32.s32"),
    ],
)
def test_bytes_that_are_neighbours_take_one_instruction(name: str, call: str) -> None:
    from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415 - imports TVM

    assert call in write_device_code(build_nest(FORMS[name], "cuda", ORIN), ORIN).source


@pytest.mark.needs_tvm
def test_bytes_that_are_apart_take_plain_loops() -> None:
    from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415 - imports TVM

    assert "dot4" not in write_device_code(build_nest(FORMS["apart"], "cuda", ORIN), ORIN).source


@NVCC
@pytest.mark.needs_tvm
@pytest.mark.parametrize("arch", ["sm_87", "sm_90"])
def test_it_becomes_a_cubin(arch: str) -> None:
    made = CudaCompiler().compile(build_nest(FORMS["mixed"], "cuda", ORIN), replace(ORIN, cpu=arch))
    assert made.cost.code_bytes


@pytest.mark.needs_cuda
@pytest.mark.parametrize("name", FORMS)
def test_a_gpu_computes_it(name: str) -> None:
    profile = load_profile("cuda")
    inputs = random_inputs(FORMS[name].kernel)
    found = run(CudaCompiler(), build_nest(FORMS[name], "cuda", profile), inputs, profile)
    assert_right(found, evaluate(FORMS[name], inputs, "declared"))
