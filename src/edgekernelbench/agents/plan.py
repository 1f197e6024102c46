"""What a run would take, before anything is asked."""

from collections.abc import Iterable
from dataclasses import dataclass

from edgekernelbench.agents.models.protocol import Request, Usage
from edgekernelbench.agents.prices import Price
from edgekernelbench.agents.tokens import estimate_tokens

LIKELY_OUTPUT = 800
"""Tokens that an answer is taken to have; a card's own limit may be far higher."""
TOKENS_PER_SECOND = 60.0
"""Writing speed that is taken when none is known."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What a number of calls would take; every figure is an estimate.

    Attributes:
        calls: Number of calls.
        input_tokens: Tokens read.
        output_tokens: Tokens written if answers are of likely length.
        most_output_tokens: Tokens written if every answer is as long as it may be.
        money: Price of the likely case; None when the price is not known.
        most_money: Price of the longest case; None when the price is not known.
        seconds: Time of the likely case.
    """

    calls: int
    input_tokens: int
    output_tokens: int
    most_output_tokens: int
    money: float | None
    most_money: float | None
    seconds: float


def plan_calls(
    requests: Iterable[Request],
    *,
    price: Price | None = None,
    concurrency: int = 1,
    tokens_per_second: float = TOKENS_PER_SECOND,
) -> Plan:
    """Estimate what calls would take.

    Args:
        requests: All calls.
        price: Money for tokens.
        concurrency: Calls at one time.
        tokens_per_second: Writing speed of one call.
    """
    calls = list(requests)
    read = sum(estimate_tokens(m.content) for r in calls for m in r.messages)
    most = sum(r.max_tokens for r in calls)
    likely = sum(min(r.max_tokens, LIKELY_OUTPUT) for r in calls)
    return Plan(
        calls=len(calls),
        input_tokens=read,
        output_tokens=likely,
        most_output_tokens=most,
        money=None if price is None else price.of(Usage(input=read, output=likely)),
        most_money=None if price is None else price.of(Usage(input=read, output=most)),
        seconds=likely / tokens_per_second / max(1, concurrency),
    )
