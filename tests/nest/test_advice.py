"""Usage and advice of a check that succeeds."""

from dataclasses import replace

import pytest
from tests.interp.texts import facts_of
from tests.nest.running import nest_of, profile_of

from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.verify.compute import verify_compute

CONV = """
def conv(x: f32[1, 8, 30, 30], w: const[f32[32, 8, 3, 3]]):
    with compute:
        acc[n, k, i, j]: f32[1, 32, 28, 28] = sum(
            x[n, c, i + r, j + s] * w[k, c, r, s] for c in range(8) for r in range(3) for s in range(3))
        out[n, k, i, j]: f32[1, 32, 28, 28] = max(acc[n, k, i, j], 0.0)
        return out

    with schedule("llvm"):
        ko, ki = split(out.k, 16)
        jo, ji = split(out.j, 8)
        order(ko, out.i, jo, ji, ki)
        compute_at(acc, jo)
        order(acc.c, acc.r, acc.s, acc.j, acc.k)
        vectorize(acc.k)
"""


def nest(source: str, **changes: int) -> Nest:
    facts = verify_compute(read(source.strip() + "\n").bind())
    return build_nest(facts, "llvm", replace(profile_of("llvm"), **changes))  # type: ignore[arg-type]


def test_a_strided_vector_is_told_the_layout_that_mends_it() -> None:
    advice = nest(CONV).advice
    assert 'vectorize(acc.k) writes acc with stride 8: layout(acc, "n k i j -> n i j k") makes it 1' in advice
    assert (
        'vectorize(acc.k) reads w with stride 72: layout(w, "k c r s -> k/16 c r s k%16") makes it 1'
        in advice
    )


def test_a_tail_is_told_with_a_size_that_divides() -> None:
    assert "out.j has 28 iterations, no multiple of 8: the last turn has 4; 7 divides" in nest(CONV).advice


def test_idle_cores_are_told() -> None:
    source = CONV + "        parallel(ko)\n"
    assert "parallel(ko) has 2 iterations, the device has 8 threads" in nest(source, threads=8).advice


def test_a_fold_that_fits_is_told() -> None:
    source = """
def scan(x: f32[4, 90]):
    with compute:
        for t in range(90):
            h[n, t]: f32[4, 90] = x[n, t] + (h[n, t - 2] if t > 1 else 0.0)
            g[n, t]: f32[4, 90] = h[n, t] * 0.5
        out[n]: f32[4] = g[n, 89]
        return out
"""
    advice = nest(source).advice
    assert "fold(h.t, 3) keeps 3 of 90 steps of h: 48 B for 1,440 B" in advice
    assert "fold(g.t, 1) keeps 1 of 90 steps of g: 16 B for 1,440 B" in advice


@pytest.mark.parametrize(
    ("name", "stage", "recompute"),
    [("conv3x3_bias_relu", "conv", 1.0), ("inverted_residual", "h1", 96.0), ("inverted_residual", "ex", 1.0)],
)
def test_usage_says_how_often_a_stage_is_computed(name: str, stage: str, recompute: float) -> None:
    usage = {u.stage: u for u in nest_of(facts_of(name, full=True), "llvm").usage}
    assert usage[stage].recompute == pytest.approx(recompute)


def test_usage_lists_every_stage_in_text_order() -> None:
    usage = nest_of(facts_of("softmax", full=True), "llvm").usage
    assert [u.stage for u in usage] == ["tops", "top", "ex", "dens", "den", "out"]
    assert usage[2].loops == ("out.i:128 parallel", "eo:64", "ei:16 vector")
