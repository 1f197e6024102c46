"""What a run would take."""

import pytest
from tests.agents.support import ask

from edgekernelbench.agents.plan import plan_calls
from edgekernelbench.agents.prices import Price


def test_a_plan_counts_calls_tokens_money_and_time() -> None:
    plan = plan_calls(
        [ask("x" * 395, max_tokens=100), ask("y" * 395, max_tokens=4096)],
        price=Price(input=1.0, cached=1.0, output=10.0),
        concurrency=2,
        tokens_per_second=50.0,
    )
    assert (plan.calls, plan.input_tokens) == (2, 2 * (99 + 2))
    assert (plan.output_tokens, plan.most_output_tokens) == (900, 4196)
    assert plan.money == pytest.approx((202 + 9000) / 1e6)
    assert plan.most_money == pytest.approx((202 + 41960) / 1e6)
    assert plan.seconds == pytest.approx(9.0)


def test_without_a_price_the_money_is_not_known() -> None:
    plan = plan_calls([ask()])
    assert (plan.money, plan.most_money) == (None, None)
