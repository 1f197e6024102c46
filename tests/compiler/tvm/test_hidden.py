"""TVM computes with floats as the language says: each operation rounds, and nothing is folded as if real."""

import random

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.compiler.hand import SERIAL
from tests.compiler.running import COMPILERS, run

from edgekernelbench.compiler.interface import Compiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts

pytestmark = pytest.mark.needs_tvm

COUNT = 32
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 1e20, 3e38, 1e-45, 16777217.0)
FOLDED = (
    "(x[i] + 12582912.0) - 12582912.0", "(x[i] - 12582912.0) + 12582912.0",
    "12582912.0 + (x[i] - 12582912.0)", "x[i] - x[i]", "x[i] * 0.0", "0.0 * x[i]", "x[i] / x[i]",
    "0.0 / x[i]", "x[i] + 0.0", "x[i] - 0.0", "0.0 - x[i]", "x[i] * 1e30 * 1e30", "x[i] * 1e-30 * 1e30",
    "x[i] / 1e30 / 1e30", "(x[i] + y[i]) - y[i]", "(x[i] + y[i]) - x[i]", "(x[i] - y[i]) - (x[i] - y[i])",
    "x[i] + 1e20 - 1e20 + 1.0", "abs(x[i]) - x[i]", "-x[i]", "-(-x[i])", "1.0 if x[i] == x[i] else 0.0",
    "1.0 if x[i] != x[i] else 0.0", "1.0 if x[i] - x[i] == 0.0 else 0.0", "1.0 if not (x[i] < 1.0) else 0.0",
    "1.0 if not (x[i] >= y[i]) else 0.0", "1.0 if x[i] - y[i] < 0.0 else 0.0",
    "1.0 if x[i] < y[i] + 1e-30 else 0.0", "1.0 if x[i] * 2.0 > x[i] else 0.0", "f32(f64(x[i]) * 0.1)",
    "f32(i32(round(y[i]))) * 0.3", "f32(f16(x[i] * 0.001))", "1.0 if x[i] / 3.0 * 3.0 == x[i] else 0.0",
    "x[i] * 3.0 / 3.0", "sqrt(abs(x[i])) ** 2",
)  # fmt: skip
"""Each was simplified, or would be in the reals. NaN compares as in IEEE: more than the language asks."""


def kernel(forms: tuple[str, ...], *, vector: bool) -> Facts:
    """Make a text with a stage for each form."""
    names = [f"s{n}" for n in range(len(forms))]
    lines = [f"def f(x: f32[{COUNT}], y: f32[{COUNT}]):", "    with compute:"]
    lines += [f"        {n}[i]: f32[{COUNT}] = {form}" for n, form in zip(names, forms, strict=True)]
    lines += [f"        return {', '.join(names)}", '    with schedule("llvm"):']
    lines += [f"        vectorize({n}.i)" for n in names] if vector else ["        pass"]
    return verify_compute(parse("\n".join(lines) + "\n"))


def inputs(seed: int) -> dict[str, NDArray[np.float32]]:
    """Draw numbers of many magnitudes."""
    rng = np.random.default_rng(seed)
    drawn = rng.standard_normal((2, COUNT)) * 10.0 ** rng.integers(-8, 9, (2, COUNT))
    x, y = drawn.astype(np.float32)
    return {"x": x, "y": y}


def assert_same(facts: Facts, given: dict[str, NDArray[np.float32]], compiler: Compiler) -> None:
    """Hold every bit against the declared interpreter; one NaN is as good as another."""
    found = run(compiler, build_nest(facts, "llvm", SERIAL), given, SERIAL)
    wanted = evaluate(facts, given, "declared")
    for number, (one, right) in enumerate(zip(found, wanted, strict=True)):
        exact = np.asarray(right, np.float32)
        same = (one.view(np.uint32) == exact.view(np.uint32)) | (np.isnan(one) & np.isnan(exact))
        assert same.all(), f"s{number} on {compiler.name}: {one[~same]}, not {exact[~same]}"


@pytest.mark.parametrize("compiler", COMPILERS, ids=[c.name for c in COMPILERS])
@pytest.mark.parametrize("vector", [False, True], ids=["scalar", "vector"])
def test_no_operation_on_floats_is_folded(compiler: Compiler, *, vector: bool) -> None:
    given = inputs(0)
    given["x"][: len(SPECIAL)] = SPECIAL
    assert_same(kernel(FOLDED, vector=vector), given, compiler)


def random_form(pick: random.Random, depth: int, *, added: bool = False) -> str:
    """Write an expression whose value is one number: no product is added, as that may be fused."""
    constant = pick.choice([0.0, 1.0, 3.0, 0.1, 12582912.0, 1e20, 1e-20, 16777216.0, 0.5, 1e38])
    if not depth:
        return pick.choice(["x[i]", "y[i]", f"max(x[i], {constant} + 0.75)", "x[i]"])
    op = pick.choice(["+", "-", "*", "/", "+c", "-c", "if"])
    if op == "if":
        sides = [random_form(pick, depth - 1, added=added) for _ in range(2)]
        return f"({sides[0]} if x[i] + {constant} > y[i] else {sides[1]})"
    inner = added or op[0] in "+-"
    left = random_form(pick, depth - 1, added=op[0] in "+-")
    right = str(constant) if op.endswith("c") else random_form(pick, depth - 1, added=op[0] in "+-")
    whole = f"({left} {op[0]} {right})"
    return f"abs({whole})" if op == "*" and inner else whole


@pytest.mark.parametrize("compiler", COMPILERS, ids=[c.name for c in COMPILERS])
@pytest.mark.parametrize("vector", [False, True], ids=["scalar", "vector"])
@pytest.mark.parametrize("seed", range(2))
def test_random_expressions_round_as_declared(seed: int, compiler: Compiler, *, vector: bool) -> None:
    pick = random.Random(seed)  # noqa: S311 - a test
    forms = tuple(random_form(pick, pick.choice([2, 3, 4])) for _ in range(24))
    assert_same(kernel(forms, vector=vector), inputs(seed), compiler)
