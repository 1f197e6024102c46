"""What the assembler says of a kernel, read; and, where nvcc is, kernels for real architectures."""

import shutil
from dataclasses import replace

import pytest
from tests.compiler.running import plain
from tests.interp.texts import bound, facts_of

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.cuda.compiler import CudaCompiler
from edgekernelbench.compiler.cuda.nvcc import Usage, compile_cubin, read_usage
from edgekernelbench.compiler.gpu.plan import plan_run
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

LOG = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'run_1' for 'sm_87'
ptxas info    : Function properties for run_1
    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 1040 bytes smem
ptxas info    : Compiling entry function 'run_0' for 'sm_87'
ptxas info    : Function properties for run_0
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 18 registers, used 0 barriers, 368 bytes cmem[0]
"""
NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")
ORIN = load_profile("cuda-sm87")


def test_registers_memory_and_spills_are_read() -> None:
    assert list(read_usage(LOG)) == [Usage("run_1", 40, 1040, 16, 20), Usage("run_0", 18, 0, 0, 0)]


def test_a_kernel_is_described_in_a_sentence() -> None:
    assert Usage("run_0", 40, 1040, 16, 20).sentence() == (
        "run_0: 40 registers, 1,040 B of shared memory, 16 B of stack, 20 B spilled"
    )


@NVCC
def test_what_nvcc_refuses_is_said() -> None:
    with pytest.raises(CompileError, match=r"nvcc refused the kernel: kernel\.cu\(1\): error"):
        compile_cubin('extern "C" __global__ void k() { nothing(); }', "sm_87")


def matmul() -> Facts:
    return verify_compute(bound("matmul", {"M": 128, "N": 128, "K": 32}))


@NVCC
@pytest.mark.needs_tvm
@pytest.mark.parametrize("arch", ["sm_87", "sm_90"])
@pytest.mark.parametrize("name", ["softmax", "conv2d", "gemv_i4", "histogram", "lstm", "matmul", "topk"])
def test_texts_become_cubins_without_a_gpu(name: str, arch: str) -> None:
    facts = matmul() if name == "matmul" else facts_of(name)
    made = CudaCompiler().compile(build_nest(facts, "cuda", ORIN), replace(ORIN, cpu=arch))
    assert made.executable is None
    assert made.cost.code_bytes is not None
    assert made.cost.code_bytes > 0
    assert any("registers" in note for note in made.cost.notes)


@NVCC
@pytest.mark.needs_tvm
def test_compute_alone_becomes_a_cubin() -> None:
    made = CudaCompiler().compile(build_nest(plain(facts_of("winograd")), "cuda", ORIN), ORIN, listings=True)
    assert "__global__" in made.listings["cuda"]
    assert made.cost.workspace_bytes["global"] > 0


@pytest.mark.needs_tvm
def test_tvm_is_told_what_a_kernel_is_given() -> None:
    from edgekernelbench.compiler.tvm.gpu.cuda import describe_kernels  # noqa: PLC0415 - imports TVM

    plan = plan_run(build_nest(facts_of("softmax"), "cuda", ORIN))
    (info,) = describe_kernels(plan.steps).values()
    assert str(info.name) == "run_0"
    assert [str(tag) for tag in info.launch_param_tags] == ["blockIdx.x", "threadIdx.x"]
    assert len(info.arg_types) == 2
