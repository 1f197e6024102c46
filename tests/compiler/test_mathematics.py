"""Our own functions against float64, in units of the last place, through both compilers."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.compiler.hand import SERIAL, loops, nest, output, param, places, read
from tests.compiler.running import COMPILERS, run

from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Call
from edgekernelbench.nest.tree import Mark, Store

Doubles = NDArray[np.float64]
N = 1 << 14
EXACT: dict[str, Callable[..., Any]] = {
    "exp": np.exp,
    "exp2": np.exp2,
    "log": np.log,
    "log2": np.log2,
    "sin": np.sin,
    "cos": np.cos,
    "tanh": np.tanh,
    "sigmoid": lambda x: 1 / (1 + np.exp(-x)),
    "erf": np.vectorize(math.erf),
    "pow": np.power,
}
ULPS = {"erf": 5.5, "sigmoid": 2.5, "exp": 1.1, "pow": 1.1, "log": 1.0}
EDGES = np.array(
    [
        *(0.0, np.inf, -np.inf, np.nan, 1, -1, 1e-45, -1e-45, 1e-39, 1.1754944e-38, 0.5, 88.72, 88.73, -87.3),
        *(-103.9, -104.1, 127.99, 128, -126, -149, -150.5, 0.625, -0.625, 4, -4, 9, -9, 1e-20, 3e38),
    ],
    np.float32,
)


def points(function: str) -> NDArray[np.float32]:
    rng = np.random.default_rng(1)
    wide = rng.standard_normal(N // 2) * np.exp2(rng.uniform(-140, 120, N // 2))
    near = rng.uniform(-20, 20, N // 2)
    x: NDArray[np.float32] = np.concatenate([wide, near]).astype(np.float32)
    if function in ("sin", "cos"):
        x[: N // 2] = rng.uniform(-1.6e6, 1.6e6, N // 2)
    x[: len(EDGES)] = EDGES
    if function in ("sin", "cos"):
        x[np.abs(x) > 1.6e6] = 1e5
    return x


def exponents() -> NDArray[np.float32]:
    rng = np.random.default_rng(2)
    halves = [rng.integers(-6, 7, N // 2), rng.uniform(-12, 12, N // 2)]
    y: NDArray[np.float32] = np.concatenate(halves).astype(np.float32)
    y[: len(EDGES)] = np.roll(EDGES, 3)
    return y


def distance(found: NDArray[np.float32], exact: Doubles) -> Doubles:
    """Units in the last place; 0 where both are the same or both are NaN."""
    near = exact.astype(np.float32)
    unit = np.spacing(np.minimum(np.abs(near), np.float32(3e38))).astype(np.float64)
    away = np.abs(found.astype(np.float64) - exact) / unit
    away[(found == near) | (np.isnan(found) & np.isnan(near))] = 0
    finite: Doubles = np.where(np.isfinite(away), away, np.inf)
    return finite


@pytest.mark.needs_tvm
@pytest.mark.parametrize("compiler", COMPILERS, ids=lambda c: c.name)
@pytest.mark.parametrize("function", PROGRAMS)
def test_programs_are_right_to_a_few_units(function: str, compiler: Any) -> None:
    x, y, out = param("x", N), param("y", N), output("out", N)
    given = (read(x, "i").expr, read(y, "i").expr)[: 1 + (function == "pow")]
    body = loops([("i", N, Mark.VECTOR)], Store("out", places("i"), Call(function, given, dtype=DType.F32)))
    inputs = {"x": points(function), "y": exponents()}
    (found,) = run(compiler, nest([x, y], [out], body), inputs, SERIAL)
    with np.errstate(all="ignore"):
        wide = [inputs["x"].astype(np.float64), inputs["y"].astype(np.float64)][: len(given)]
        away = distance(found.astype(np.float32), EXACT[function](*wide))
    worst = int(away.argmax())
    assert away[worst] <= ULPS.get(function, 1.6), (inputs["x"][worst], inputs["y"][worst], found[worst])
