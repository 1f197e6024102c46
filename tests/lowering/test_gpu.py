"""The default lowering of GPUs: which rule takes which nest."""

import pytest
from tests.interp.texts import bound, facts_of

from edgekernelbench.lang.parse import read
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


def of_text(text: str) -> list[str]:
    facts = verify_compute(read(text).bind())
    kernel = default_lowering(facts, "cuda", PROFILE)
    lines = [*kernel.schedules[0].directives, *kernel.memories[0].directives]
    return [print_directive(line) for line in lines]


CHAIN = """
def k(x: f32[64, 256]):
    with compute:
        a[i, j]: f32[64, 256] = exp(x[i, j])
        b[i, j]: f32[64, 256] = a[i, j] + a[i, 255 - j]
        c[i, j]: f32[64, 256] = b[i, j] * b[63 - i, j]
        return c
"""
REPEATED = """
def k(x: f32[4096], w: f32[4096]):
    with compute:
        a[i]: f32[4096] = tanh(exp(x[i]) + 1.0)
        b[j]: f32[4096] = sum(a[i] if i <= j else 0.0 for i in range(4096))
        return b
"""
ROUNDED = """
def k(x: bf16[64, 64]):
    with compute:
        a[i, j]: bf16[64, 64] = bf16(f32(x[i, j]) * 1.5 + f32(x[i, 63 - j]))
        b[i, j]: bf16[64, 64] = bf16(f32(a[i, j]) * 1.5 + f32(a[i, 63 - j]))
        c[i, j]: bf16[64, 64] = bf16(f32(b[i, j]) * 1.5 + f32(b[i, 63 - j]))
        d[i, j]: bf16[64, 64] = bf16(f32(c[i, j]) * 1.5 + f32(c[i, 63 - j]))
        return d
"""
COLUMNS = """
def k(x: f32[16, 128, 384]):
    with compute:
        s[b, j]: f32[16, 384] = sum(x[b, i, j] for i in range(128))
        return s
"""
GEMV = """
def k(x: f16[1024], w: f16[200, 1024]):
    with compute:
        y[n]: f32[200] = sum(f32(x[k]) * f32(w[n, k]) for k in range(1024))
        return y
"""
TRANSPOSED = """
def k(a: {kind}[128, 512], b: {kind}[256, 512]):
    with compute:
        c[i, j]: f32[128, 256] = sum(f32(a[i, k]) * f32(b[j, k]) for k in range(512))
        return c
"""
APART = """
def k(x: f32[40960], w: f32[64, 256]):
    with compute:
        c[i, r]: f32[64, 128] = sum(x[r * 256 + n] * w[i, n] for n in range(256))
        return c
"""


def test_what_costs_less_than_a_launch_is_inlined() -> None:
    assert of_text(CHAIN)[0] == "inline(a, b)"


def test_what_would_be_computed_too_often_is_stored() -> None:
    assert not any(line.startswith("inline") for line in of_text(REPEATED))


def test_roundings_to_16_bits_are_not_stacked() -> None:
    """Four of them in each other took TVM's simplifier minutes."""
    assert of_text(ROUNDED)[0] == "inline(a, c)"


def test_columns_are_shared_out_to_threads_one_above_the_other() -> None:
    lines = of_text(COLUMNS)
    assert 'bind(s_j_i, "threadIdx.x")' in lines
    assert 'bind(s_i_i, "threadIdx.y")' in lines


def test_threads_that_share_a_sum_read_sixteen_bytes_at_a_time() -> None:
    lines = of_text(GEMV)
    assert any(line.startswith("cache(w,") and line.endswith("vector=8)") for line in lines)


@pytest.mark.parametrize(("kind", "pad"), [("f32", "pad=1"), ("f16", "vector=2, pad=2"), ("bf16", "pad=2")])
def test_rows_that_threads_read_side_by_side_lie_in_different_banks(kind: str, pad: str) -> None:
    (line,) = (one for one in of_text(TRANSPOSED.format(kind=kind)) if one.startswith("cache(b,"))
    assert pad in line


def test_a_box_that_is_mostly_gaps_is_not_fetched() -> None:
    assert not any(line.startswith("cache(x,") for line in of_text(APART))


def test_few_rows_have_more_threads_each() -> None:
    assert any("split(den.j, 1024)" in line for line in written("softmax", {"R": 3, "N": 16384}))


def test_very_many_short_rows_have_a_thread_each() -> None:
    lines = written("softmax", {"R": 20000, "N": 60})
    assert 'bind(out_i_i, "threadIdx.x")' in lines
    assert "compute_at(den, out_i_i)" in lines


POOLED = """
def k(x: f32[{channels}, 20, 60], left: i32[3] in range(40)):
    with compute:
        s[c, q]: f32[{channels}, 3] = sum(x[c, i, left[q] + j] for i in range(20) for j in range(21))
        return s
"""


@pytest.mark.parametrize(("channels", "shared"), [(960, True), (3000, False)])
def test_long_sums_of_elements_that_do_not_keep_the_device_busy_are_shared(
    channels: int, *, shared: bool
) -> None:
    """A thread for each of 2,880 sums of 420 elements took ten times as long as a block for each."""
    lines = of_text(POOLED.format(channels=channels))
    assert any(line.startswith("order(s_i_s_j_i,") for line in lines) == shared
