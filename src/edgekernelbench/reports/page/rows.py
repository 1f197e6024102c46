"""The rows of the page: what each attempt came to, in numbers that a person sorts and filters by."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import stdev
from typing import TypeGuard, assert_never

from edgekernelbench.base.diagnostics import errors_in
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.metrics.references import reference_time
from edgekernelbench.metrics.speed import log_ratios, log_speedup, sure_log_speedup
from edgekernelbench.records.attempt import Attempt
from edgekernelbench.records.conditions import Conditions
from edgekernelbench.records.judgement import Judgement, RooflineRecord
from edgekernelbench.records.outcome import (
    Cause,
    Correct,
    Crashed,
    Outcome,
    Rejected,
    Ring,
    Unjudged,
    Wrong,
)
from edgekernelbench.reports.page.shown import shown
from edgekernelbench.reports.runs import split_id

NOT_YET = Unjudged(Cause.MISSING, "the run has not come to it")
MOST_REASON = 240
DIGITS = 5
"""Significant digits of ratios: a tenth of what the best measurement can tell apart."""


@dataclass(frozen=True, slots=True)
class Known:
    """What a run knows of one planned attempt.

    Attributes:
        id: Its id.
        attempt: What the agent did; None when it has not come to it.
        judgement: What the judge found; None likewise.
        order: How many were judged before it; None when it is not judged.
    """

    id: str
    attempt: Attempt | None
    judgement: Judgement | None
    order: int | None

    @property
    def outcome(self) -> Outcome | Unjudged:
        """What came of it."""
        return NOT_YET if self.judgement is None else self.judgement.outcome


def row_of(
    known: Known, agents: Mapping[str, int], baseline: str, *, is_apart: bool = False
) -> dict[str, object]:
    """Give the row of an attempt as plain values; what is not known is left out.

    Args:
        known: The attempt.
        agents: The place of each agent.
        baseline: Name of the reference of its run.
        is_apart: Whether its reference took another time than those of the others on its workload.
    """
    agent, workload, number = split_id(known.id)
    outcome = known.outcome
    row: dict[str, object] = {
        "agent": agents[agent],
        "workload": workload,
        "number": number,
        "outcome": outcome.kind,
        "kind": failure_kind(outcome),
        "reason": shown(reason(outcome), MOST_REASON),
        "order": known.order,
    }
    if is_timed(outcome):
        row |= _speed(outcome.rings, baseline)
        if is_apart:
            row["apart"] = True
    if known.judgement is not None:
        row |= _cost(known.judgement)
    if known.attempt is not None:
        usage = known.attempt.usage
        row |= {
            "tokens": usage.input_tokens + usage.output_tokens,
            "calls": usage.calls,
            "submissions": usage.submissions,
            "wall_ms": usage.wall_ms,
        }
    return {name: value for name, value in row.items() if value is not None}


def is_timed(outcome: Outcome | Unjudged) -> TypeGuard[Correct]:
    """Whether a kernel is correct and was measured."""
    return isinstance(outcome, Correct) and bool(outcome.rings)


def reason(outcome: Outcome | Unjudged) -> str:
    """Say in one line why an attempt came to what it did; empty for a correct one."""
    match outcome:
        case Rejected(diagnostics=diagnostics):
            first = next(iter(errors_in(diagnostics)), None)
            return f"{first.code}: {first.message}" if first else ""
        case Crashed(phase=phase, timed_out=timed_out, signal=signal, detail=detail):
            how = "passed its deadline" if timed_out else f"signal {signal}" if signal else "ended"
            last = detail.strip().split("\n")[-1]
            return f"{how} in phase {phase}" + (f": {last}" if last else "")
        case Wrong(output=output, inputs=inputs, mismatched=mismatched, detail=detail):
            return f"{output} on inputs {inputs!r}: {mismatched} wrong; {detail}"
        case Unjudged(detail=detail):
            return detail
        case Correct():
            return ""
        case _:
            assert_never(outcome)


def _speed(rings: tuple[Ring, ...], baseline: str) -> dict[str, object]:
    names = [series.name for series in rings[0].baselines]
    middle = sorted(ring.kernel.per_run for ring in rings)[len(rings) // 2]
    reference = reference_time(rings, baseline)
    logs = log_ratios(rings, baseline)
    return {
        "ns": _short(middle),
        "reference_ns": None if reference is None else _short(reference),
        "sets": len(rings),
        "speed": {name: ratio for name in names if (ratio := _ratio(rings, name)) is not None},
        "spread": _short(stdev(logs)) if len(logs) > 1 else None,
        "drift": _short(drift(rings)),
    }


def _ratio(rings: tuple[Ring, ...], baseline: str) -> list[float] | None:
    point, sure = log_speedup(rings, baseline), sure_log_speedup(rings, baseline)
    return None if point is None or sure is None else [_short(math.exp(point)), _short(math.exp(sure))]


def drift(rings: tuple[Ring, ...]) -> float:
    """Compare the last third of all samples of a measurement with the first third.

    Args:
        rings: The measurements of one kernel.

    Returns:
        How many times as long the last samples took, in geometric mean over kernel and baselines: above 1
        where a device slowed down while it was measured.
    """
    logs = []
    for ring in rings:
        for series in (ring.kernel, *ring.baselines):
            third = max(1, len(series.samples) // 3)
            logs.append(math.log(sum(series.samples[-third:]) / sum(series.samples[:third])))
    return math.exp(math.fsum(logs) / len(logs))


def _cost(judgement: Judgement) -> dict[str, object]:
    cost = judgement.cost
    found: dict[str, object] = {"flags": list(judgement.flags)} if judgement.flags else {}
    if judgement.roofline is not None:
        found |= _bound(judgement.roofline)
    if judgement.sustained:
        first = judgement.sustained[0].per_run_ns
        found["held"] = [[m.at_ms, _short(first / m.per_run_ns)] for m in judgement.sustained]
    if judgement.conditions:
        found |= _conditions(judgement.conditions)
    if cost is None:
        return found
    scopes = cost.workspace_bytes
    return found | {
        "code_bytes": cost.code_bytes,
        "workspace": sum(size for scope, size in scopes.items() if scope != "prepared"),
        "compile_ms": round(cost.compile_ns / 1e6),
    }


def _bound(roofline: RooflineRecord) -> dict[str, object]:
    """Say what the device cannot beat, and what holds it."""
    limits = {
        "memory": roofline.memory_ns,
        "arithmetic": roofline.compute_ns,
        "starting a kernel": roofline.launch_ns,
    }
    held_by = max(limits, key=lambda name: limits[name])
    return {"bound_ns": _short(limits[held_by]), "bound_by": held_by}


def _conditions(conditions: Sequence[Conditions]) -> dict[str, object]:
    """Say how the machine was over all sets of an attempt: the hottest, the slowest, what was not quiet."""
    hottest = [c.celsius for c in conditions if c.celsius is not None]
    slowest = [c.mhz_low for c in conditions if c.mhz_low is not None]
    marks = sorted({mark for c in conditions for mark in c.marks})
    return {
        "celsius": max(hottest, default=None),
        "mhz": min(slowest, default=None),
        "marks": marks or None,
    }


def _short(value: float) -> float:
    return float(f"{value:.{DIGITS}g}")
