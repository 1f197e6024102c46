"""The default lowering, rule by rule: the directives that a small text gets, and that they are right."""

from dataclasses import replace

import pytest
from tests.nest.running import assert_right

from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

DEVICE = replace(load_profile("llvm"), threads=2, vector_bytes=64, vector_registers=32)


def lower(text: str, *, runs: bool = True) -> str:
    """Lower a text, see that its values are kept unless it is too large, and give the new layers."""
    facts = verify_compute(parse(text))
    done = replace(facts, kernel=default_lowering(facts, "llvm", DEVICE))
    nest = build_nest(done, "llvm", DEVICE)
    if runs:
        assert_right(done, nest)
    printed = print_kernel(done.kernel)
    return printed[printed.index("    with schedule") :]


TRANSPOSED = """def f(x: f32[4, 30], w: const[f32[4, 6]]):
    with compute:
        y[k, i]: f32[2, 90] = sum(
            x[c, (i + 1 - r) // 3] * w[c, r] for c in range(4) for r in range(6)
            if (i + 1 - r) % 3 == 0 and 0 <= (i + 1 - r) // 3 < 30)
        out[k, i]: f32[2, 90] = y[k, i] + 1.0
        return out
"""


def test_a_transposed_convolution_is_computed_phase_by_phase() -> None:
    layers = lower(TRANSPOSED)
    assert "y_i_o, y_i_i = split(y.i, 3)" in layers
    assert "order(y_i_i, y.r, y.c, y_i_o)" in layers
    assert 'layout(y, "a0 a1 -> a0 a1%3 a1/3")' in layers


def test_a_choice_by_remainder_is_no_gather() -> None:
    layers = lower("""def f(x: i32[40, 66]):
    with compute:
        tap: i32[2, 3] = [[1, 2, 1], [0, 4, 0]]
        pad[i, j]: i32[40, 66] = x[i, abs(j - 1)]
        y[i, j]: i32[40, 64] = sum(tap[j % 2, s] * pad[i, j + s] for s in range(3))
        out[i, j]: i32[40, 64] = y[i, j] >> 2
        return out
""")
    assert 'layout(pad, "a0 a1 -> a0 a1%2 a1/2")' in layers
    assert "split(y.j, 2)" in layers


def test_a_search_inside_a_step_is_split_into_lanes() -> None:
    layers = lower("""def f(p: f32[64, 3]):
    with compute:
        for s in range(4):
            near[s, i]: f32[4, 64] = inf if s == 0 else min(
                near[s - 1, i], (p[i, 0] - p[pick[s - 1], 0]) ** 2 + (p[i, 1] - p[pick[s - 1], 1]) ** 2)
            pick[s]: i32[4] = argmax(near[s, i] for i in range(64))
        return pick
""")
    assert "pick_part = rfactor(pick_i_i)" in layers
    assert "fold(pick_part.s, 1)" in layers
    assert 'layout(p, "a0 a1 -> a1 a0")' in layers, "records are stored field by field"


def test_a_batch_of_small_problems_fills_the_lanes() -> None:
    layers = lower("""def f(a: f32[40, 5, 5], z: f32[40, 5]):
    with compute:
        for n in range(6):
            h[b, n, i]: f32[40, 6, 5] = sum(
                a[b, i, j] * (h[b, n - 1, j] if n > 0 else z[b, j]) for j in range(5))
        out[b, i]: f32[40, 5] = h[b, 5, i]
        return out
""")
    assert "h_b_h = hoist(h.b, 16)" in layers
    assert "order(h.i, h.j, h.b)" in layers
    assert 'layout(a, "a0 a1 a2 -> a1 a2 a0")' in layers


def test_a_batch_smaller_than_a_vector_is_one_vector() -> None:
    layers = lower("""def f(x: f32[12, 50]):
    with compute:
        for t in range(50):
            y[n, t]: f32[12, 50] = x[n, t] + (0.5 * y[n, t - 1] if t > 0 else 0.0)
        return y
""")
    assert "hoist(y.n, 12)" in layers


def test_long_inner_axes_are_the_vectors_of_a_step() -> None:
    layers = lower("""def f(x: f32[20, 30], w: const[f32[32, 32]]):
    with compute:
        for t in range(30):
            g[b, t, k]: f32[20, 30, 32] = sum(
                0.05 * w[k, j] * (h[b, t - 1, j] if t > 0 else 0.0) for j in range(32))
            h[b, t, k]: f32[20, 30, 32] = tanh(g[b, t, k] + x[b, t])
        out[b, k]: f32[20, 32] = h[b, 29, k]
        return out
""")
    assert "hoist(g.b)" in layers


def test_what_readers_run_across_is_stored_as_they_run() -> None:
    layers = lower("""def f(x: f32[12, 44]):
    with compute:
        t[i, j, s]: f32[12, 40, 5] = exp(-x[i, j + s])
        num[i, j]: f32[12, 40] = sum(t[i, j, s] * x[i, j + s] for s in range(5))
        den[i, j]: f32[12, 40] = sum(t[i, j, s] for s in range(5))
        out[i, j]: f32[12, 40] = num[i, j] / den[i, j]
        return out
""")
    assert 'layout(t, "a0 a1 a2 -> a0 a2 a1")' in layers


def test_a_padding_is_stored_as_its_only_reader_wants_it() -> None:
    layers = lower("""def f(x: f32[64, 7, 7], w: const[f32[64, 3, 3]]):
    with compute:
        pad[c, i, j]: f32[64, 9, 9] = x[c, i - 1, j - 1] if 1 <= i < 8 and 1 <= j < 8 else 0.0
        acc[c, i, j]: f32[64, 3, 3] = sum(
            pad[c, 2 * i + r, 2 * j + s] * w[c, r, s] for r in range(3) for s in range(3))
        out[c, i, j]: f32[64, 3, 3] = max(acc[c, i, j], 0.0)
        return out
""")
    assert 'layout(pad, "a0 a1 a2 -> a1 a2 a0")' in layers
    assert "vectorize(acc.c)" in layers


@pytest.mark.parametrize(
    ("work", "across"), [("x[n, 0] + x[n, 1] * x[n, 2] - x[n, 0] ** 2 * 3.0", True), ("x[n, 0]", False)]
)
def test_short_last_axes_are_unrolled_where_there_is_work(work: str, *, across: bool) -> None:
    layers = lower(f"""def f(x: f32[64, 3]):
    with compute:
        out[n, e]: f32[64, 3] = ({work}) if e == 0 else x[n, 1] + 1.0
        return out
""")
    assert ("unroll(out.e)" in layers) is across


def test_indices_that_nobody_can_follow_are_read_once() -> None:
    layers = lower("""def f(x: f32[30, 60]):
    with compute:
        near[i, j, s]: f32[30, 60, 3] = x[i, clamp(j + s - 1, 0, 59)]
        a[i, j]: f32[30, 60] = sum(near[i, j, s] for s in range(3))
        b[i, j]: f32[30, 60] = sum(near[i, j, s] ** 2 for s in range(3))
        out[i, j]: f32[30, 60] = b[i, j] - a[i, j]
        return out
""")
    assert "inline" not in layers


def test_weights_beyond_the_caches_are_read_once_and_in_panels() -> None:
    text = """def f(x: bf16[13, 896], w: const[bf16[4864, 896]]):
    with compute:
        y[r, e]: f32[13, 4864] = sum(f32(x[r, d]) * f32(w[e, d]) for d in range(896))
        return y
"""
    layers = lower(text, runs=False)
    assert "split(y.r, 13)" in layers
    assert 'layout(w, "a0 a1 -> a0/32 a1 a0%32")' in layers


def test_what_shares_nothing_is_unrolled_little() -> None:
    layers = lower("""def f(x: f32[40, 70]):
    with compute:
        y[c, n]: f32[40, 64] = sum(x[c, n + k] for k in range(7))
        return y
""")
    assert "split(y.c, 8)" in layers
    assert "split(y.n, 16)" in layers


def test_a_choice_of_two_bins_is_no_scatter() -> None:
    layers = lower("""def f(x: i32[40] in range(9)):
    with compute:
        y[b]: i32[9] = sum(1 for i in range(40) if x[i] == b or (x[i] + 1) % 9 == b)
        z[i]: i32[40] = x[i] * 3
        return y, z
""")
    assert "scatter" not in layers
    assert "vectorize(z_i_i)" in layers, "no rule is dropped for the sake of another"
