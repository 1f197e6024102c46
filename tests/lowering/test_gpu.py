"""The default lowering of GPUs: which rule takes which nest."""

import pytest
from tests.interp.texts import bound, facts_of

from edgekernelbench.lang.printing import print_directive
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.footprint import launches
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

PROFILE = load_profile("cuda-h200")


def written(name: str, sizes: dict[str, float | str]) -> list[str]:
    facts = verify_compute(bound(name, sizes))
    kernel = default_lowering(facts, "cuda", PROFILE)
    lines = [*kernel.schedules[0].directives, *kernel.memories[0].directives]
    return [print_directive(line) for line in lines]


def test_a_product_is_tiled_in_shared_memory_and_registers() -> None:
    lines = written("matmul", {"M": 1024, "N": 1024, "K": 512})
    assert 'cache(a, "shared", at=c_k_o, vector=4)' in lines
    assert 'cache(b, "shared", at=c_k_o, vector=4)' in lines
    assert 'accumulate(c, "local")' in lines
    assert "c_i_o, c_i_m, c_i_i = split(c.i, 16, 4)" in lines


def test_a_small_product_has_smaller_tiles_so_that_there_are_enough_blocks() -> None:
    small = written("matmul", {"M": 128, "N": 128, "K": 512})
    assert "c_i_o, c_i_m, c_i_i = split(c.i, 16, 4)" not in small


def test_rows_that_start_anywhere_are_fetched_one_by_one() -> None:
    lines = written("matmul", {"M": 1024, "N": 1022, "K": 512})
    assert 'cache(b, "shared", at=c_k_o)' in lines
    assert 'cache(a, "shared", at=c_k_o, vector=4)' in lines


def test_a_convolution_is_tiled_with_its_epilogue() -> None:
    lines = written("conv3x3_bias_relu", {"C": 32, "K": 64, "H": 56, "W": 56})
    assert 'cache(w, "shared", at=conv.c)' in lines
    assert any(line.startswith("compute_at(conv, out_") for line in lines)


def test_rows_have_a_block_each_whose_threads_share_the_sums() -> None:
    lines = written("softmax", {"R": 512, "N": 768})
    assert 'bind(out.i, "blockIdx.x")' in lines
    assert "compute_at(den, out.i)" in lines
    assert any(line.startswith("bind(den_") and "threadIdx.x" in line for line in lines)


def test_a_long_reduction_of_few_elements_is_shared_out() -> None:
    lines = written("row_norms", {"R": 8, "N": 4096})
    assert any("threadIdx.x" in line for line in lines)


@pytest.mark.parametrize("device", ["cuda-h200", "cuda-sm87", "opencl", "opencl-nvidia"])
@pytest.mark.parametrize("name", ["softmax", "conv2d", "winograd", "lstm", "inverted_residual"])
def test_what_is_written_fits_the_device(name: str, device: str) -> None:
    profile = load_profile(device)
    facts = facts_of(name)
    kernel = default_lowering(facts, profile.target, profile)
    nest = build_nest(verify_compute(kernel), profile.target, profile)
    for launch in launches(nest.body):
        x, y, z = launch.threads
        assert x * y * z <= profile.max_threads
