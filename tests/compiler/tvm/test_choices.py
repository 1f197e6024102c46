"""A side that is not chosen reads nothing, also where TVM knows more of an index under the condition."""

import numpy as np
import pytest
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
