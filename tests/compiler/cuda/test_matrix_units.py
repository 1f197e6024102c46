"""Matrix units and wide copies in CUDA code."""

import shutil
from dataclasses import replace

import pytest
from tests.compiler.running import assert_right, run
from tests.interp.texts import bound, random_inputs

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.cuda.compiler import CudaCompiler
from edgekernelbench.compiler.gpu.plan import walk_launches
from edgekernelbench.compiler.gpu.preamble import Preamble
from edgekernelbench.compiler.tvm import TvmCompiler
from edgekernelbench.compiler.tvm.gpu.build import write_device_code
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

pytestmark = pytest.mark.needs_tvm

ORIN = load_profile("cuda-sm87")
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")


def product() -> Facts:
    return verify_compute(bound("matmul_tensorcore", {"M": 128, "N": 64, "K": 64}))


def nest() -> Nest:
    return build_nest(product(), "cuda", ORIN)


def test_a_block_has_whole_warps() -> None:
    (launch,) = walk_launches(write_device_code(nest(), ORIN).run.steps)
    assert launch.threads == (32, 4, 1)


def test_a_warp_makes_one_call_a_tile_and_fetches_sixteen_bytes_at_a_time() -> None:
    source = write_device_code(nest(), ORIN).source
    kernel = source[source.index("run_0(", source.index("run_0(") + 1) :]
    assert kernel.count("ekb_product_f16_held_row_row(") == 1
    assert kernel.count("ekb_fetch_16(") == 4  # those of the first part, and those of the next in the loop
    assert "threadIdx.x) == 0" not in kernel


def test_sums_stay_in_registers_while_the_reduction_runs() -> None:
    source = write_device_code(nest(), ORIN).source
    kernel = source[source.index("run_0(", source.index("run_0(") + 1) :]
    load, product, store = (kernel.index(f"ekb_{word}(") for word in (
        "tile_load_f16_row", "product_f16_held_row_row", "tile_store_f16_row",
    ))  # fmt: skip
    loop = kernel.index("for (int ko_")
    assert load < loop < product < store
    assert "for (int ko_" not in kernel[product:]


@NVCC
def test_tiles_need_no_stack() -> None:
    made = CudaCompiler().compile(nest(), ORIN)
    assert any("0 B of stack, no spills" in note for note in made.cost.notes)


def test_opencl_has_no_matrix_units() -> None:
    with pytest.raises(CompileError, match="no tensorize on opencl"):
        Preamble("opencl").product("f16", "row", "row", "row")


@pytest.mark.parametrize(
    ("bits", "lanes", "text"),
    [
        (32, 4, "vstore4(vload4(0, (const __global uint *)from), 0, (__local uint *)to)"),
        (32, 1, "*(__local uint *)to"),
    ],
)
def test_opencl_copies_by_vectors_of_elements(bits: int, lanes: int, text: str) -> None:
    preamble = Preamble("opencl")
    preamble.copy(bits, lanes, "shared", "global")
    assert text in preamble.text()


@NVCC
@pytest.mark.parametrize("arch", ["sm_87", "sm_90"])
def test_matrix_units_become_a_cubin(arch: str) -> None:
    made = CudaCompiler().compile(nest(), replace(ORIN, cpu=arch))
    assert any("no spills" in note for note in made.cost.notes)


@pytest.mark.needs_cuda
def test_matrix_units_are_right() -> None:
    facts, profile = product(), load_profile("cuda")
    inputs = random_inputs(facts.kernel)
    found = run(TvmCompiler(), build_nest(facts, "cuda", profile), inputs, profile)
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=128)


@pytest.mark.parametrize(
    ("target", "source", "text"),
    [
        ("local", "global", "const uint4 held = *(const uint4 *)from; memcpy(to, &held, 16);"),
        ("global", "local", "uint4 held; memcpy(&held, from, 16); *(uint4 *)to = held;"),
        ("shared", "global", "*(uint4 *)to = *(const uint4 *)from;"),
    ],
)
def test_cuda_reads_and_stores_wide_where_addresses_allow_it(target: str, source: str, text: str) -> None:
    """A `memcpy` between memory of a thread and other memory went byte by byte."""
    preamble = Preamble("cuda")
    preamble.copy(16, 8, target, source)
    assert text in preamble.text()
