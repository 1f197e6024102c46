"""A device for the policy, small kernels of its families, and values to compare."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.interp.texts import random_inputs

from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

DEVICE = replace(
    load_profile("llvm"), threads=2, vector_bytes=64, vector_registers=32, instructions=("dot4",)
)

DENSE8 = '''def dense(x: i8[5, 12], w: const[i8[32, 12]], bias: const[i32[32]]):
    """A quantised product."""

    with compute:
        acc[i, n]: i32[5, 32] = sum((x[i, k] - 3) * w[n, k] for k in range(12))
        y[i, n]: i8[5, 32] = sat_i8((acc[i, n] + bias[n]) >> 4)
        return y
'''
CONV8 = '''def conv(x: u8[3, 4, 4], w: const[i8[20, 3, 3, 3]], mul: const[f32[20]]):
    """A quantised convolution of an image with three channels."""

    with compute:
        pad[c, i, j]: u8[3, 6, 6] = x[c, i - 1, j - 1] if 1 <= i <= 4 and 1 <= j <= 4 else 128
        acc[k, i, j]: i32[20, 4, 4] = sum(
            (pad[c, i + r, j + s] - 128) * i32(w[k, c, r, s])
            for c in range(3) for r in range(3) for s in range(3))
        out[k, i, j]: i8[20, 4, 4] = sat_i8(round(f32(acc[k, i, j]) * mul[k]))
        return out
'''
CONV16 = '''def conv(x: f16[4, 4, 4], w: const[f16[16, 4, 3, 3]]):
    """A convolution in half precision, summed in single."""

    with compute:
        pad[c, i, j]: f16[4, 6, 6] = x[c, i - 1, j - 1] if 1 <= i <= 4 and 1 <= j <= 4 else 0.0
        acc[k, i, j]: f32[16, 4, 4] = sum(
            f32(pad[c, i + r, j + s]) * f32(w[k, c, r, s])
            for c in range(4) for r in range(3) for s in range(3))
        out[k, i, j]: f16[16, 4, 4] = f16(max(acc[k, i, j], 0.0))
        return out
'''
NORM = '''def norm(x: f32[8, 96]):
    """Rows of mean square one."""

    with compute:
        square[i]: f32[8] = sum(x[i, j] ** 2 for j in range(96))
        out[i, j]: f32[8, 96] = x[i, j] * rsqrt(square[i] / 96.0 + 0.00001)
        return out
'''
CELL = '''def cell(x: f32[9, 8], w: const[f16[8, 8]]):
    """A recurrent cell."""

    with compute:
        for t in range(9):
            p[t, j]: f32[9, 8] = sum((h[t - 1, k] if t > 0 else 0.0) * f32(w[j, k]) for k in range(8))
            h[t, j]: f32[9, 8] = tanh(p[t, j] + x[t, j])
        return h
'''
TEXTS = {"dense8": DENSE8, "conv8": CONV8, "conv16": CONV16, "norm": NORM}


def facts_of(text: str) -> Facts:
    return verify_compute(parse(text))


def values(facts: Facts, inputs: dict[str, NDArray[Any]]) -> list[NDArray[Any]]:
    return [np.asarray(one, np.float64) for one in evaluate(facts, inputs)]


def assert_same_values(before: Facts, after: Facts) -> None:
    """Hold two compute layers against each other: exact on integers, within rounding on floats."""
    inputs = random_inputs(before.kernel, 5)
    for one, other in zip(values(before, inputs), values(after, inputs), strict=True):
        np.testing.assert_allclose(other, one, rtol=2e-3, atol=2e-3)
