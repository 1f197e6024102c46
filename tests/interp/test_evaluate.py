"""`evaluate` against the literal element-by-element evaluator, on all texts, whole and in small blocks."""

import pytest
from tests.interp.comparing import assert_same
from tests.interp.texts import SMALL, facts_of, random_inputs

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
