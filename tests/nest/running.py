"""Builds nests and holds what they compute against the compute layer."""

from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tests.interp.texts import FOLDER, SMALL, random_inputs

from edgekernelbench.base.errors import SourceError
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.interp.nests import run_nest
from edgekernelbench.lang.parse import read
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

TARGETS = ("llvm", "cuda", "opencl")
PROFILES = {"llvm": "llvm", "cuda": "cuda-sm87", "opencl": "opencl"}

TAILS: dict[str, dict[str, float | str]] = {
    "argmax_rows": {"R": 2, "N": 300},
    "biquad_cascade": {"N": 11, "T": 5, "S": 2},
    "conv3x3_bias_relu": {"C": 1, "K": 18, "H": 2, "W": 17},
    "conv3x3_q8": {"C": 5, "K": 18, "H": 1, "W": 9},
    "conv_transpose4x4_s2": {"C": 2, "K": 1, "H": 5, "W": 17},
    "depthwise5x5_s2": {"C": 1, "H": 18, "W": 66},
    "dft": {"R": 2, "N": 34},
    "farthest_point_sampling": {"N": 260, "S": 3},
    "gemv_i4": {"N": 19, "K": 24, "G": 8},
    "histogram": {"N": 70},
    "inverted_residual": {"C": 2, "E": 3, "S": 2, "H": 3, "W": 15},
    "layer_norm": {"R": 2, "D": 36},
    "lstm": {"T": 3, "I": 2, "H": 18},
    "matmul": {"M": 9, "N": 20, "K": 20},
    "matmul_tensorcore": {"M": 64, "N": 64, "K": 32},
    "nms": {"N": 19, "M": 3},
    "row_norms": {"R": 2, "N": 1028},
    "softmax": {"R": 2, "N": 35},
    "softmax_online": {"R": 2, "N": 38, "B": 19},
    "topk": {"R": 2, "N": 130, "K": 2},
    "winograd": {"C": 9, "K": 17, "H": 2, "W": 4},
}
"""Sizes at which loops that are split have several turns, the last one not full."""

CASES = [(name, size) for name in SMALL for size in ("small", "tails") if size == "small" or name in TAILS]


def profile_of(target: str) -> Profile:
    """Load the profile that tests use for a target."""
    return load_profile(PROFILES[target])


@cache
def text_at(name: str, size: str) -> Facts:
    """Read, bind and verify a text at a set of sizes."""
    source = (FOLDER / f"{name}.kir").read_text()
    if name == "matmul":  # 256 threads, each run in turn, would take a minute
        source = source.replace("16, 8)", "2, 4)")
    text = read(source)
    return verify_compute(text.bind((SMALL if size == "small" else TAILS)[name]))


def bare(facts: Facts) -> Facts:
    """Leave only compute."""
    return replace(facts, kernel=replace(facts.kernel, schedules=(), memories=()))


def nest_of(facts: Facts, target: str) -> Nest:
    """Build a nest with the profile of the tests."""
    return build_nest(facts, target, profile_of(target))


def try_nest(facts: Facts, target: str) -> tuple[Nest | None, set[str]]:
    """Build a nest; when it is refused, give the codes instead."""
    try:
        return nest_of(facts, target), set()
    except SourceError as error:
        return None, {d.code for d in error.diagnostics}


def inputs_of(facts: Facts) -> Mapping[str, NDArray[Any]]:
    """Draw inputs that fit the signature."""
    return random_inputs(facts.kernel)


def assert_right(facts: Facts, nest: Nest) -> None:
    """Check that a nest computes what the compute layer says, marked loops run forwards and backwards."""
    inputs = inputs_of(facts)
    wanted = evaluate(facts, inputs)
    params = [inputs[p.name] for p in facts.kernel.params]
    for backwards in (False, True):
        found = run_nest(nest, params, backwards=backwards)
        for got, right in zip(found, wanted, strict=True):
            assert_close(got.reshape(np.shape(right)), right)


def assert_close(found: NDArray[Any], right: NDArray[Any]) -> None:
    """Integers exactly; floats within rounding of the type that was found."""
    if found.dtype.kind in "biu":
        np.testing.assert_array_equal(found, right)
        return
    tolerance = 1e-2 if found.dtype.itemsize == 2 else 1e-3
    np.testing.assert_allclose(
        found.astype(np.float64), np.asarray(right, dtype=np.float64), rtol=tolerance, atol=tolerance
    )
