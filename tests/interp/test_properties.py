"""Random computes: the block-wise evaluator says what the element-by-element one says."""

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.interp.comparing import assert_same
from tests.interp.texts import verified
from tests.strategies import computes, inputs_for

from edgekernelbench.interp.arithmetic import Precision
from edgekernelbench.interp.evaluate import BLOCK, evaluate
from edgekernelbench.interp.scalar import evaluate_scalar


@settings(max_examples=150, deadline=None)
@given(computes(), st.sampled_from(["reference", "declared"]), st.sampled_from([BLOCK, 40, 6, 1]))
def test_random_computes_have_the_values_that_the_language_says(
    source: str, precision: Precision, block: int
) -> None:
    facts = verified(source)
    inputs = inputs_for(facts.kernel)
    expected = evaluate_scalar(facts, inputs, precision)
    for found, right in zip(evaluate(facts, inputs, precision, block=block), expected, strict=True):
        assert_same(found, right)
