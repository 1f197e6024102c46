"""What attempts failed of."""

from collections import Counter
from collections.abc import Iterable
from typing import assert_never

from edgekernelbench.base.diagnostics import errors_in
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.outcome import Correct, Crashed, Outcome, Rejected, Unjudged, Wrong


def failures_by_kind(attempts: Iterable[Scored]) -> dict[str, int]:
    """Count what attempts came to, the commonest first.

    Args:
        attempts: Attempts of one agent.

    Returns:
        Counts by kind, such as `"rejected C14"`, `"crashed run (timed out)"`, `"wrong values"`, `"correct"`.
    """
    counts = Counter(failure_kind(a.outcome) for a in attempts)
    return dict(sorted(counts.items(), key=lambda item: (-item[1], item[0])))


def failure_kind(outcome: Outcome | Unjudged) -> str:
    """Name what an attempt came to, in a few words.

    Args:
        outcome: What came of it.

    Returns:
        A refusal by the code of its first error, a crash by its phase, a wrong answer by its fault.
    """
    match outcome:
        case Rejected(diagnostics=diagnostics):
            first = next(iter(errors_in(diagnostics)), None)
            return f"rejected {first.code}" if first else "rejected"
        case Crashed(phase=phase, timed_out=timed_out):
            return f"crashed {phase} (timed out)" if timed_out else f"crashed {phase}"
        case Wrong(fault=fault):
            return f"wrong {fault}"
        case Correct():
            return "correct"
        case Unjudged(cause=cause):
            return f"unjudged {cause}"
        case _:
            assert_never(outcome)
