"""The thirty texts at sizes that element-by-element evaluation can bear."""

from functools import cache
from pathlib import Path
from typing import Any

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.parse import read
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

FOLDER = Path(__file__).parents[1] / "texts"

SMALL: dict[str, dict[str, float | str]] = {
    "argmax_rows": {"R": 3, "N": 17},
    "biquad_cascade": {"N": 3, "T": 9, "S": 2},
    "conv2d": {"N": 2, "C": 3, "H": 7, "W": 6, "K": 4, "F": 3, "S": 2, "P": 1, "T": "f16"},
    "conv3x3_bias_relu": {"C": 3, "K": 5, "H": 6, "W": 7},
    "conv3x3_q8": {"C": 4, "K": 6, "H": 5, "W": 6},
    "conv_transpose4x4_s2": {"C": 3, "K": 2, "H": 4, "W": 5},
    "conv_transpose4x4_s2_direct": {"C": 3, "K": 2, "H": 4, "W": 5},
    "cumsum": {"R": 3, "N": 13},
    "cumsum_blocked": {"R": 3, "N": 12, "B": 4},
    "decode_attention": {"HQ": 4, "HK": 2, "D": 5, "L": 12, "B": 4},
    "depthwise5x5_s2": {"C": 3, "H": 8, "W": 6},
    "dft": {"R": 3, "N": 10},
    "dtw": {"N": 6, "M": 7},
    "dtw_wavefront": {"N": 6, "M": 7},
    "farthest_point_sampling": {"N": 20, "S": 6},
    "fft": {"R": 2, "LOG": 4},
    "gemv_i4": {"N": 7, "K": 24, "G": 8},
    "histogram": {"N": 500},
    "inverted_residual": {"C": 3, "E": 5, "S": 2, "H": 4, "W": 5},
    "layer_norm": {"R": 4, "D": 12},
    "lstm": {"T": 5, "I": 4, "H": 3},
    "matmul": {"M": 5, "N": 6, "K": 7},
    "matmul_tensorcore": {"M": 5, "N": 6, "K": 7},
    "nms": {"N": 14, "M": 5},
    "resize_bilinear": {"C": 2, "H": 5, "W": 4, "OH": 9, "OW": 11},
    "row_norms": {"R": 4, "N": 40},
    "softmax": {"R": 4, "N": 12},
    "softmax_online": {"R": 3, "N": 24, "B": 4},
    "topk": {"R": 3, "N": 15, "K": 4},
    "winograd": {"C": 3, "K": 4, "H": 6, "W": 4},
}
FULL: dict[str, dict[str, float | str]] = {
    name: {"N": 1, "C": 32, "H": 56, "W": 56, "K": 64, "F": 3, "S": 1, "P": 1, "T": "f32"}
    if name == "conv2d"
    else {}
    for name in SMALL
}

_KINDS: dict[DType, Any] = {
    DType.F16: np.float16,
    DType.BF16: ml_dtypes.bfloat16,
    DType.F32: np.float32,
    DType.F64: np.float64,
}


@cache
def facts_of(name: str, *, full: bool = False) -> Facts:
    """Read, bind and verify a text."""
    return verify_compute(bound(name, (FULL if full else SMALL)[name]))


def bound(name: str, sizes: dict[str, float | str]) -> Kernel:
    """Read a text and give its constants other values."""
    return read((FOLDER / f"{name}.kir").read_text()).bind(sizes)


def verified(source: str) -> Facts:
    """Read and verify a text given as a string."""
    return verify_compute(read(source).bind())


def random_inputs(kernel: Kernel, seed: int = 0) -> dict[str, NDArray[Any]]:
    """Draw inputs that fit the signature: floats of a normal distribution, integers over their range."""
    rng = np.random.default_rng(seed)
    drawn: dict[str, NDArray[Any]] = {}
    for param in kernel.params:
        if param.dtype.is_float:
            drawn[param.name] = rng.standard_normal(param.shape).astype(_KINDS[param.dtype])
            continue
        low, high = param.dtype.bounds
        low, high = param.bounds or (max(low, -(2**20)), min(high, 2**20) + 1)
        kind = {1: "bool", 4: "int8"}.get(param.dtype.bits, f"int{param.dtype.bits}")
        kind = "bool" if param.dtype is DType.BOOL else kind
        kind = kind if param.dtype.is_signed or kind == "bool" else f"u{kind}"
        drawn[param.name] = rng.integers(low, high, param.shape).astype(kind)
    return drawn
