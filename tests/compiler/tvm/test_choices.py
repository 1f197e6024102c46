"""A side that is not chosen reads nothing, also where TVM knows more of an index under the condition."""

import subprocess
import sys

import numpy as np
import pytest
from tests.compiler.hand import SERIAL
from tests.compiler.running import run

from edgekernelbench.compiler.tvm.compiler import TvmCompiler
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

TEXT = """def f(x: f32[4, 128]):
    with compute:
        half[c, i]: f32[4, 128] = x[c, i] * 2.0
        end[c]: f32[4] = sum(x[c, i] for i in range(8))
        out[c, k]: f32[4, 129] = end[c] if k == 128 else half[c, k // 16 * 16 + k % 16]
        return out

    with schedule("llvm"):
        compute_at(half, out.c)
        compute_at(end, out.c)
"""
VECTOR = """        ko, ki = split(out.k, 16)
        vectorize(ki)
"""


@pytest.mark.needs_tvm
@pytest.mark.parametrize("extra", ["", VECTOR], ids=["scalar", "vector"])
def test_the_last_element_does_not_read_past_the_row(extra: str) -> None:
    facts = verify_compute(parse(TEXT + extra))
    inputs = {"x": np.random.default_rng(0).standard_normal((4, 128)).astype(np.float32)}
    (found,) = run(TvmCompiler(), build_nest(facts, "llvm", load_profile("llvm")), inputs)
    np.testing.assert_allclose(np.asarray(found, np.float32), evaluate(facts, inputs)[0], rtol=1e-5)


@pytest.mark.needs_tvm
def test_no_read_that_leans_on_a_condition_leaves_its_parameter() -> None:
    command = [sys.executable, "-m", "tests.compiler.tvm.guarded", "0", "24"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout.rpartition("seed ")[2] + done.stderr


RECOMBINED = """def f(x: f32[300]):
    with compute:
        half[k]: f32[300] = x[k] * 2.0
        out[k]: f32[250] = half[(k + 3) // 16 * 16 + (k + 3) % 16] + x[(k + 7) // 4 * 4 + (k + 7) % 4]
        return out

    with schedule("llvm"):
        ko, ki = split(out.k, 16)
        vectorize(ki)
        compute_at(half, ko)
        vectorize(half.k)
"""


@pytest.mark.needs_tvm
def test_positions_taken_apart_and_put_together_are_neighbours() -> None:
    facts = verify_compute(parse(RECOMBINED))
    nest = build_nest(facts, "llvm", SERIAL)
    tir = TvmCompiler().compile(nest, SERIAL, listings=True).listings["tir"]
    assert "gather" not in tir
    assert "Shuffle" not in tir
    inputs = {"x": np.random.default_rng(0).standard_normal(300).astype(np.float32)}
    (found,) = run(TvmCompiler(), nest, inputs, SERIAL)
    np.testing.assert_array_equal(found, evaluate(facts, inputs, "declared")[0])


UNIFORM = """def f(x: f32[20, 64]):
    with compute:
        out[i, j]: f32[22, 66] = x[i - 1, j - 1] if 1 <= i <= 20 and 1 <= j <= 64 else 0.0
        return out

    with schedule("llvm"):
        jo, ji = split(out.j, 16)
        vectorize(ji)
"""


@pytest.mark.needs_tvm
def test_a_condition_that_is_the_same_for_all_lanes_is_a_branch() -> None:
    facts = verify_compute(parse(UNIFORM))
    nest = build_nest(facts, "llvm", SERIAL)
    tir = TvmCompiler().compile(nest, SERIAL, listings=True).listings["tir"]
    assert "Broadcast(1 <= out_i" not in tir
    assert "if_then_else" in tir
    inputs = {"x": np.random.default_rng(0).standard_normal((20, 64)).astype(np.float32)}
    (found,) = run(TvmCompiler(), nest, inputs, SERIAL)
    np.testing.assert_array_equal(found, evaluate(facts, inputs, "declared")[0])
