"""What came of judging attempts once more, for people and as JSON."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from edgekernelbench.bench.reproduction import Agreement, Repetition
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.outcome import Unjudged
from edgekernelbench.reports.text import wrapped


def repetition_lines(repetitions: Sequence[Repetition]) -> list[str]:
    """Write one paragraph an attempt, and a last line that counts."""
    lines = []
    for one in repetitions:
        lines += [one.stored.attempt, *(f"  {line}" for line in wrapped(_sentence(one), 78))]
    counts = Counter(one.agreement for one in repetitions)
    parts = [f"{counts[kind]} {words}" for kind, words in _COUNTED.items() if counts[kind]]
    return [*lines, f"{len(repetitions)} judged again: {', '.join(parts) or 'nothing to repeat'}"]


_COUNTED = {
    Agreement.AGREES: "agree",
    Agreement.DIFFERS: "differ",
    Agreement.UNKNOWN: "taught nothing, since this machine failed or was not quiet",
}


def _sentence(one: Repetition) -> str:
    then, now = failure_kind(one.stored.outcome), failure_kind(one.repeated.outcome)
    text = f"{then}, and again {now}" if then == now else f"{then}, and now {now}"
    if isinstance(one.repeated.outcome, Unjudged):
        text += f" ({one.repeated.outcome.detail})"
    speed = one.speed
    if speed is not None:
        text += (
            f"; {speed.stored:.3f} times as fast, and now {speed.repeated:.3f} times: {_apart(speed.apart)} "
            f"apart, {_apart(speed.allowed)} allowed"
        )
        if not one.speed_counts:
            text += " (another machine: not held against it)"
        elif one.disturbed and not speed.agrees:
            text += f" (this machine was not quiet: {', '.join(one.disturbed)})"
    return f"{text}: {one.agreement}"


def _apart(log: float) -> str:
    return f"{100 * math.expm1(log):.1f} %"


def repetitions_as_json(repetitions: Sequence[Repetition]) -> list[Mapping[str, object]]:
    """Give repetitions as plain values: both judgements whole, and how they compare."""
    return [
        {
            "attempt": one.stored.attempt,
            "agreement": str(one.agreement),
            "speed": None
            if one.speed is None
            else {
                "stored": one.speed.stored,
                "repeated": one.speed.repeated,
                "apart": math.expm1(one.speed.apart),
                "allowed": math.expm1(one.speed.allowed),
                "agrees": one.speed.agrees,
                "counts": one.speed_counts,
                "disturbed": list(one.disturbed),
            },
            "stored": one.stored.model_dump(mode="json", by_alias=True),
            "repeated": one.repeated.model_dump(mode="json", by_alias=True),
        }
        for one in repetitions
    ]
