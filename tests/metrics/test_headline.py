"""The line of a table."""

from fractions import Fraction

import pytest

from edgekernelbench.base.diagnostics import Diagnostic, Severity
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.metrics.headline import Headline, Withheld, headline
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.outcome import (
    Cause,
    Correct,
    Crashed,
    Fault,
    Outcome,
    Phase,
    Rejected,
    Ring,
    Series,
    Unjudged,
    Wrong,
)

FAST = Correct(
    (Ring(Series("kernel", 1, (Nanoseconds(50),), 2), (Series("default", 1, (Nanoseconds(100),), 2),)),)
)
EACH = (
    Rejected((Diagnostic("W01", "x", severity=Severity.WARNING), Diagnostic("C14", "y"))),
    Crashed(Phase.RUN, None, timed_out=True, detail=""),
    Wrong(Fault.VALUES, "output 0", "normal", 3, 9.0, ""),
    FAST,
)


def attempts(outcomes: tuple[Outcome | Unjudged, ...]) -> list[Scored]:
    return [Scored("direct", f"w{n}", f"p{n}", 0, outcome) for n, outcome in enumerate(outcomes)]


def test_a_headline_counts_over_every_attempt() -> None:
    line = headline(attempts(EACH))

    assert isinstance(line, Headline)
    values = {s.name: s.value for s in line.scores}
    assert values == {
        "Accepted@1": Fraction(3, 4),
        "Correct@1": Fraction(1, 4),
        "Fast@1.0": Fraction(1, 4),
        "sure Fast@1.0": Fraction(1, 4),
    }
    assert line.speedup is not None
    assert line.speedup[0] == pytest.approx(2.0)
    assert line.speedup[1] == 1
    assert line.kinds == {"correct": 1, "crashed run (timed out)": 1, "rejected C14": 1, "wrong values": 1}


def test_one_unjudged_attempt_withholds_the_headline() -> None:
    line = headline(attempts((*EACH, Unjudged(Cause.MODEL, "503"))))

    assert isinstance(line, Withheld)
    assert (line.judged, line.attempts) == (4, 5)
    assert line.kinds["unjudged model"] == 1


def test_k_attempts_give_correct_at_k() -> None:
    pair = [Scored("direct", "w", "p", n, FAST if n else Rejected(())) for n in range(2)]

    line = headline(pair)

    assert isinstance(line, Headline)
    assert {s.name: s.value for s in line.scores}["Correct@2"] == 1


def test_no_attempts_have_no_headline() -> None:
    with pytest.raises(ValueError, match="no attempts"):
        headline([])


def test_agents_are_not_mixed() -> None:
    with pytest.raises(ValueError, match="several agents"):
        headline([Scored("a", "w", "p", 0, FAST), Scored("b", "x", "p", 0, FAST)])
