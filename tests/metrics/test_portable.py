"""One text on several devices."""

from fractions import Fraction

import pytest

from edgekernelbench.metrics.measures import correct
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.portable import joined
from edgekernelbench.records.outcome import Cause, Correct, Outcome, Rejected, Unjudged

GOOD, BAD, UNKNOWN = Correct(()), Rejected(()), Unjudged(Cause.DEVICE, "lost")


def row(*outcomes: Outcome | Unjudged) -> list[Scored]:
    return [Scored("a", f"p{n}@w", f"p{n}", 0, outcome) for n, outcome in enumerate(outcomes)]


def test_a_text_is_portable_where_every_device_says_correct() -> None:
    found = joined(
        {"llvm": row(GOOD, GOOD, BAD), "opencl": row(GOOD, BAD, GOOD), "cuda": row(GOOD, GOOD, GOOD)}
    )

    assert [isinstance(a.outcome, Correct) for a in found] == [True, False, False]
    assert correct().score(found) == Fraction(1, 3)


def test_a_device_that_has_not_judged_leaves_it_unknown() -> None:
    found = joined({"llvm": row(BAD), "opencl": row(UNKNOWN)})

    assert isinstance(found[0].outcome, Unjudged)
    assert correct().score(found) is None


def test_one_device_alone_is_what_it_was() -> None:
    assert [a.outcome for a in joined({"llvm": row(GOOD, BAD)})] == [GOOD, BAD]


def test_other_attempts_are_refused() -> None:
    with pytest.raises(ValueError, match="opencl was given other attempts than llvm"):
        joined({"llvm": row(GOOD, BAD), "opencl": row(GOOD)})
