"""Functions stay calls while TVM schedules, and are written out with lanes; nested ones in linear time."""

import time

import numpy as np
import pytest
from tests.compiler.running import assert_right
from tests.compiler.tvm.metaschedule.support import run_traced, traced_of

from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.parse import parse
from edgekernelbench.verify.compute import verify_compute

pytestmark = pytest.mark.needs_tvm

DEEP = """
def deep(x: f32[64]):
    with compute:
        y[i]: f32[64] = exp(tanh(sin(cos(exp(tanh(x[i]))))))
        return y
"""
CHOSEN = """
def chosen(x: f32[8], n: i32[64] in range(64)):
    with compute:
        y[i]: f32[64] = exp(tanh(x[n[i]])) if n[i] < 8 else 0.0
        return y
"""


def test_functions_inside_functions_are_built_in_time() -> None:
    facts = verify_compute(parse(DEEP))
    inputs = {"x": np.linspace(-1, 1, 64, dtype=np.float32)}
    start = time.process_time()
    found = run_traced(traced_of(facts), inputs)
    assert (
        time.process_time() - start < 20
    )  # imports of TVM included; without statements of their own: minutes
    assert_right(found, evaluate(facts, inputs, "declared"), ulps=256)


def test_what_a_choice_leaves_out_is_not_read_before_it() -> None:
    facts = verify_compute(parse(CHOSEN))
    inputs = {
        "x": np.linspace(-1, 1, 8, dtype=np.float32),
        "n": np.arange(64, dtype=np.int32)[::-1].copy(),
    }
    assert_right(run_traced(traced_of(facts), inputs), evaluate(facts, inputs, "declared"), ulps=256)
