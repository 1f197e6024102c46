"""`evaluate` against the literal element-by-element evaluator, on all texts, whole and in small blocks."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.interp.texts import SMALL, facts_of, random_inputs

from edgekernelbench.interp.arithmetic import Precision
from edgekernelbench.interp.evaluate import BLOCK, evaluate
from edgekernelbench.interp.scalar import evaluate_scalar

EPS = {"float16": 2.0**-10, "bfloat16": 2.0**-7, "float32": 2.0**-23, "float64": 2.0**-52}


def assert_same(found: NDArray[Any], expected: NDArray[Any], *, ulps: float = 64) -> None:
    """Integers exactly; floats within some units in the last place of the greatest magnitude."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    if found.dtype.name not in EPS:
        np.testing.assert_array_equal(found, expected)
        return
    wide, right = found.astype(np.float64), expected.astype(np.float64)
    finite = np.abs(right[np.isfinite(right)])
    scale = max(1e-30, float(finite.max(initial=0.0)))
    np.testing.assert_allclose(wide, right, rtol=0, atol=ulps * EPS[found.dtype.name] * scale)


@pytest.mark.parametrize("precision", ["reference", "declared"])
@pytest.mark.parametrize("name", SMALL)
def test_a_text_has_the_values_that_the_language_says(name: str, precision: Precision) -> None:
    facts = facts_of(name)
    inputs = random_inputs(facts.kernel)
    expected = evaluate_scalar(facts, inputs, precision)
    for block in (BLOCK, 50, 7):
        for found, right in zip(evaluate(facts, inputs, precision, block=block), expected, strict=True):
            assert_same(found, right)
