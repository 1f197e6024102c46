"""Attacks that know what inputs are drawn: texts that are right for those alone, and wrong for what may come.

Each of these was once correct on all inputs of its workload. What is nothing there in every distribution, or
fits a narrower type, or comes from a small pool, is work that can be left out unless some inputs need it.
"""

import pytest
from tests.cheats.support import SECRET

from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.workloads.catalogue import load_catalogue

LAST_ROW = """
def masked_mean_embedding(x: f16[7, 97, 768], count: i32[7] in range(1, 98)):
    with compute:
        total[b, d]: f32[7, 768] = sum(f32(x[b, l, d]) for l in range(97) if l < count[b] and b < 6)
        mean[b, d]: f32[7, 768] = total[b, d] / f32(count[b])
        square[b]: f32[7] = sum(mean[b, d] ** 2 for d in range(768))
        out[b, d]: f32[7, 768] = mean[b, d] / max(sqrt(square[b]), 1e-12)
        return out
"""
LAST_TENTH = """
def voice_activity(x: i16[160000]):
    with compute:
        energy[r]: i64[1000] = sum(i64(x[r * 160 + n]) * i64(x[r * 160 + n]) for n in range(160) if r < 900)
        below[r, n]: bool[1000, 160] = x[r * 160 + n] < 0
        cross[r]: i32[1000] = sum(1 for n in range(1, 160) if r < 900 and below[r, n] != below[r, n - 1])
        for r in range(1000):
            noise[r]: i64[1000] = energy[r] if r == 0 else min(
                energy[r], noise[r - 1] + (noise[r - 1] >> 5) + 1)
        active[r]: bool[1000] = energy[r] > 16 * noise[r] or (energy[r] > 4 * noise[r] and cross[r] <= 40)
        for r in range(1000):
            left[r]: i32[1000] = 9 if active[r] else (max(left[r - 1] - 1, 0) if r > 0 else 0)
        speech[r]: i32[1000] = 1 if left[r] > 0 else 0
        return speech, noise
"""
SMALL_POOL = """
def quantile_buckets(x: i32[1021, 10], border: const[i32[10, 127]], table: const[f32[10, 128, 9]]):
    with compute:
        lut[f, v]: i32[10, 4002] = sum(1 for q in range(127) if border[f, q] < v)
        out[b, f, d]: f32[1021, 10, 9] = table[f, lut[f, clamp(x[b, f], 0, 4001)], d]
        return out
    with schedule("llvm"):
        precompute(lut)
"""
NARROW_STEPS = """
def gesture_dtw(a: i8[105, 3], b: const[i8[8, 103, 3]]):
    with compute:
        cost[k, i, j]: i32[8, 105, 103] = sum(abs(i32(a[i, d]) - b[k, j, d]) for d in range(3))
        for s in range(207):
            cell[k, s, i]: i16[8, 207, 105] = i16(32000 if s < i or s - i >= 103 else cost[k, i, s - i] + (
                0 if s == 0 else min(
                    i32(cell[k, s - 1, i]),
                    i32(cell[k, s - 1, i - 1]) if i > 0 else 32000,
                    i32(cell[k, s - 2, i - 1]) if i > 0 and s > 1 else 32000)))
        dist[k]: i32[8] = i32(cell[k, 206, 104])
        best: i32 = argmin(dist[k] for k in range(8))
        return dist, best
"""
NARROW_SUM = """
def layer_norm_q8(x: i8[1500, 384], g: const[f32[384]], b: const[f32[384]]):
    with compute:
        total[r]: i16[1500] = sum(i16(x[r, d]) for d in range(384))
        square[r]: i32[1500] = sum(i32(x[r, d]) * i32(x[r, d]) for d in range(384))
        spread[r]: i64[1500] = i64(square[r]) * 384 - i64(total[r]) * i64(total[r])
        inv[r]: f32[1500] = rsqrt(f32(max(spread[r], 1)))
        dev[r, d]: f32[1500, 384] = f32(x[r, d] * 384 - i32(total[r]))
        out[r, d]: i8[1500, 384] = sat_i8(round(dev[r, d] * inv[r] * g[d] + b[d]) + 2)
        return out
"""

ATTACKS = {
    "the row that was always void": ("norm/masked_mean_embedding@b7-l97-d768-f16", LAST_ROW, "wrong values"),
    "the end that was always silent": (
        "audio/voice_activity@s160000-n160-i16", LAST_TENTH, "wrong values"
    ),
    "a table of all values that were drawn": (
        "recommendation/quantile_buckets@b1021-f10-q127-d9-i32", SMALL_POOL, "wrong values"
    ),
    "steps in a type that fits what was drawn": (
        "sensing/gesture_dtw@n105-m103-k8-i8", NARROW_STEPS, "wrong values"
    ),
    "a sum in a type that fits what was drawn": (
        "norm/layer_norm_q8@r1500-d384-i8", NARROW_SUM, "rejected T08"
    ),
}  # fmt: skip


@pytest.mark.parametrize("attack", ATTACKS)
def test_a_text_that_is_right_for_what_was_drawn_alone_gets_its_outcome(judge: Judge, attack: str) -> None:
    name, text, expected = ATTACKS[attack]
    workload = load_catalogue().workload(name)
    found = judge.judge(Submission(workload, text, choose_inputs(SECRET, workload)))
    assert failure_kind(found.outcome) == expected, found.outcome
