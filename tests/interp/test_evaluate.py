"""`evaluate` against the literal element-by-element evaluator, on all texts, whole and in small blocks."""

import time
import tracemalloc

import numpy as np
import pytest
from tests.interp.comparing import assert_same
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Precision
from edgekernelbench.interp.evaluate import BLOCK, evaluate
from edgekernelbench.interp.scalar import evaluate_scalar


@pytest.mark.parametrize("precision", ["reference", "declared"])
@pytest.mark.parametrize("name", SMALL)
def test_a_text_has_the_values_that_the_language_says(name: str, precision: Precision) -> None:
    facts = facts_of(name)
    inputs = random_inputs(facts.kernel)
    expected = evaluate_scalar(facts, inputs, precision)
    for block in (BLOCK, 50, 7):
        for found, right in zip(evaluate(facts, inputs, precision, block=block), expected, strict=True):
            assert_same(found, right)


def test_a_convolution_of_60_million_operations_takes_under_a_second_and_little_memory() -> None:
    facts = facts_of("conv3x3_bias_relu", full=True)
    inputs = random_inputs(facts.kernel)
    start = time.process_time()
    evaluate(facts, inputs)
    assert time.process_time() - start < 1
    tracemalloc.start()
    evaluate(facts, inputs)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 256 * 2**20


def test_inputs_must_have_the_declared_shape_and_type() -> None:
    facts = facts_of("matmul")
    inputs = random_inputs(facts.kernel)
    with pytest.raises(InternalError, match=r"expected a as float32\[5, 7\], found float32\[7, 5\]"):
        evaluate(facts, {**inputs, "a": inputs["a"].T})
    with pytest.raises(InternalError, match=r"found float64\[5, 7\]"):
        evaluate(facts, {**inputs, "a": inputs["a"].astype(np.float64)})


def test_inputs_are_left_alone() -> None:
    for name in ("matmul", "lstm", "conv3x3_q8"):
        facts = facts_of(name)
        inputs = random_inputs(facts.kernel)
        before = {key: array.copy() for key, array in inputs.items()}
        evaluate(facts, inputs, "declared")
        for key, array in inputs.items():
            np.testing.assert_array_equal(array, before[key])
