"""Other names, the same kernel."""

import pytest

from edgekernelbench.ir.renaming import rename
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel

TEXT = '''\
def scan(x: f32[3, 5], w: const[f32[5]]):
    """Sums that are carried on."""

    with compute:
        tap: f32[2] = [0.5, 2.0]
        for t in range(3):
            acc[t, k]: f32[3, 5] = (acc[t - 1, k] if t > 0 else 0.0) + x[t, k] * tap[k % 2]
        out[t]: f32[3] = sum(acc[t, k] * w[k] for k in range(5) if w[k] > 0.0)
        return out
'''
NAMES = {"scan": "walk", "x": "sand", "w": "x", "tap": "pair", "acc": "run", "out": "end", "t": "a", "k": "b"}


def test_every_tensor_and_axis_has_its_new_name_and_two_may_trade() -> None:
    printed = print_kernel(rename(parse(TEXT), NAMES))

    assert printed == (
        TEXT.replace("scan(x: f32[3, 5], w:", "walk(sand: f32[3, 5], x:")
        .replace("tap: f32", "pair: f32")
        .replace("for t in", "for a in")
        .replace(
            "acc[t, k]: f32[3, 5] = (acc[t - 1, k] if t > 0 else 0.0) + x[t, k] * tap[k % 2]",
            "run[a, b]: f32[3, 5] = (run[a - 1, b] if a > 0 else 0.0) + sand[a, b] * pair[b % 2]",
        )
        .replace("out[t]: f32[3] = sum(acc[t, k] * w[k] for k", "end[a]: f32[3] = sum(run[a, b] * x[b] for b")
        .replace("if w[k] > 0.0", "if x[b] > 0.0")
        .replace("return out", "return end")
    )


def test_back_again_gives_the_same_kernel() -> None:
    kernel = parse(TEXT)
    back = {new: old for old, new in NAMES.items()}

    assert rename(rename(kernel, NAMES), back) == kernel


def test_two_things_with_one_name_are_refused() -> None:
    with pytest.raises(ValueError, match="a name of its own"):
        rename(parse(TEXT), {"x": "y", "w": "y"})


def test_a_kernel_with_schedules_is_refused() -> None:
    lowered = TEXT.rstrip() + '\n\n    with schedule("llvm"):\n        parallel(out.t)\n'
    with pytest.raises(ValueError, match="the compute layer alone"):
        rename(parse(lowered), {"x": "y"})
