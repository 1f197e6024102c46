"""One flat row an attempt: for CSV, notebooks and the tables of pages."""

import csv
import io
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.speed import log_speedup, sure_log_speedup
from edgekernelbench.records.attempt import Attempt, attempt_id
from edgekernelbench.records.judgement import CostRecord, Judgement
from edgekernelbench.records.outcome import Correct, Rejected, Ring, Unjudged
from edgekernelbench.reports.apart import apart_attempts
from edgekernelbench.reports.costs import VENDOR, peak_workspace, reference_cost, vendor_ratio
from edgekernelbench.reports.runs import RunAttempts, reference_of

Cell = str | int | float | bool | None

FORMULA = re.compile(r"(^|[;\t\r\n])\s*(?=[=+\-@])")
"""Where a spreadsheet would begin a formula: at the start of a text, and after what some take for the end of
a cell."""


@dataclass(frozen=True, slots=True)
class Known:
    """What is known of one planned attempt.

    Attributes:
        run: Its run.
        plan: Agent, workload, number and outcome.
        attempt: The stored attempt; None when the run has not come to it, or it is not at hand.
        judgement: The stored judgement; None when there is none.
        baseline: Name of what the run's speeds are counted against.
        is_apart: Whether its reference took another time than those of the others on its workload.
    """

    run: RunAttempts
    plan: Scored
    attempt: Attempt | None
    judgement: Judgement | None
    baseline: str
    is_apart: bool = False

    @property
    def rings(self) -> tuple[Ring, ...]:
        """The measurements; none unless it is correct and was timed."""
        return self.plan.outcome.rings if isinstance(self.plan.outcome, Correct) else ()


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the rows.

    Attributes:
        about: What it says, with its unit.
        read: Gives its value; None where there is none.
    """

    about: str
    read: Callable[[Known], Cell]


def _ratio(log: float | None) -> float | None:
    return None if log is None else math.exp(log)


def _per_run(known: Known, name: str) -> float | None:
    """Give the mean over the sets of processes of the median time of one run, in nanoseconds."""
    found = []
    for ring in known.rings:
        series = [s for s in (ring.kernel, *ring.baselines) if s.name == name]
        if not series:
            return None
        found.append(series[0].per_run)
    return sum(found) / len(found) if found else None


def _cost(read: Callable[[CostRecord], Cell]) -> Callable[[Known], Cell]:
    def of(known: Known) -> Cell:
        cost = None if known.judgement is None else known.judgement.cost
        return None if cost is None else read(cost)

    return of


def _of_reference(known: Known, read: Callable[[CostRecord], Cell]) -> Cell:
    cost = None if known.judgement is None else reference_cost(known.judgement)
    return None if cost is None else read(cost)


def _usage(name: str) -> Callable[[Known], Cell]:
    return lambda known: None if known.attempt is None else int(getattr(known.attempt.usage, name))


def _reference(known: Known, name: str) -> Cell:
    found = None if known.judgement is None else known.judgement.reference
    return None if found is None else str(getattr(found, name))


def _vendor_name(known: Known) -> Cell:
    vendor = None if known.judgement is None else known.judgement.vendor
    return None if vendor is None else vendor.name


def _judged(known: Known, answer: bool) -> Cell:  # noqa: FBT001 - a cell
    return None if isinstance(known.plan.outcome, Unjudged) else answer


def _worst_margin(known: Known) -> Cell:
    margins = () if known.judgement is None else known.judgement.margins
    return max((m.elementwise for m in margins), default=None)


COLUMNS: Mapping[str, Column] = {
    "run": Column("name of the run", lambda k: k.run.manifest.run),
    "catalogue": Column("hash of the catalogue: the release", lambda k: k.run.manifest.catalogue),
    "track": Column("`write` or `optimise`", lambda k: k.run.setting("track")),
    "device": Column("profile of the device", lambda k: k.run.manifest.device.profile),
    "device_class": Column("`edge`, `server` or `stand-in`", lambda k: k.run.manifest.device.device_class),
    "compiler": Column("name of the compiler", lambda k: k.run.setting("compiler")),
    "timing": Column("`none`, `one-child` or `final`", lambda k: k.run.setting("timing")),
    "agent": Column("name of the agent", lambda k: k.plan.agent),
    "workload": Column("id of the workload", lambda k: k.plan.workload),
    "pattern": Column("id of its pattern", lambda k: k.plan.pattern),
    "number": Column("which of the k attempts, from 0", lambda k: k.plan.number),
    "ending": Column(
        "how the agent's work ended", lambda k: None if k.attempt is None else str(k.attempt.ending)
    ),
    "outcome": Column(
        "`rejected`, `crashed`, `wrong`, `correct`; `unjudged` when nothing is known",
        lambda k: k.plan.outcome.kind,
    ),
    "kind": Column("the same with code, phase or fault", lambda k: failure_kind(k.plan.outcome)),
    "accepted": Column(
        "whether it was not rejected", lambda k: _judged(k, not isinstance(k.plan.outcome, Rejected))
    ),
    "correct": Column("whether it is correct", lambda k: _judged(k, isinstance(k.plan.outcome, Correct))),
    "speedup": Column(
        "time of the reference over time of the kernel, by medians",
        lambda k: _ratio(log_speedup(k.rings, k.baseline)),
    ),
    "sure_speedup": Column(
        "the lower confidence bound of that",
        lambda k: _ratio(sure_log_speedup(k.rings, k.baseline)),
    ),
    "reference": Column("`R0` or `R1`: what its speed is counted against", lambda k: _reference(k, "kind")),
    "release": Column("id of the release of the reference", lambda k: _reference(k, "release")),
    "kernel_ns": Column("time of one run, in nanoseconds", lambda k: _per_run(k, "kernel")),
    "reference_ns": Column("the same of the reference", lambda k: _per_run(k, k.baseline)),
    "reference_apart": Column(
        "whether its reference took another time than those of the others on the workload, by more than "
        "repetition shows",
        lambda k: k.is_apart if k.rings else None,
    ),
    "sets": Column("sets of fresh processes it was timed in", lambda k: len(k.rings)),
    "vendor": Column("library of the vendor baseline", _vendor_name),
    "vendor_speedup": Column(
        "time of the vendor over time of the kernel",
        lambda k: None if k.judgement is None else vendor_ratio(k.judgement),
    ),
    "vendor_ns": Column("time of one run of the vendor, in nanoseconds", lambda k: _per_run(k, VENDOR)),
    "workspace_bytes": Column("peak workspace, all scopes together", _cost(peak_workspace)),
    "reference_workspace_bytes": Column(
        "the same of the reference", lambda k: _of_reference(k, peak_workspace)
    ),
    "code_bytes": Column("size of the machine code", _cost(lambda cost: cost.code_bytes)),
    "compile_ns": Column("time to compile, in nanoseconds", _cost(lambda cost: cost.compile_ns)),
    "worst_margin": Column("largest error over what is allowed there", _worst_margin),
    "flags": Column(
        "flags of the judgement, `;` between", lambda k: ";".join(k.judgement.flags) if k.judgement else ""
    ),
    "calls": Column("model calls", _usage("calls")),
    "input_tokens": Column("tokens read by the model", _usage("input_tokens")),
    "output_tokens": Column("tokens written by the model", _usage("output_tokens")),
    "tokens_estimated": Column(
        "whether some of these tokens are estimates",
        lambda k: None if k.attempt is None else k.attempt.usage.estimated,
    ),
    "submissions": Column("measurements the agent asked for", _usage("submissions")),
    "checks": Column("free checks the agent asked for", _usage("checks")),
    "wall_ms": Column("time of the agent, in milliseconds", _usage("wall_ms")),
    "text": Column(
        "artifact hash of the kernel text", lambda k: None if k.attempt is None else k.attempt.text
    ),
}
"""All columns, in order."""


def known_attempts(run: RunAttempts) -> Iterator[Known]:
    """Go through all planned attempts of a run, judged or not, agent by agent."""
    baseline = reference_of(run).baseline
    apart = apart_attempts(run.judgements, baseline)
    for attempts in run.agents.values():
        for plan in attempts:
            name = attempt_id(plan.agent, plan.workload, plan.number)
            judged = run.judgements.get(name)
            yield Known(run, plan, run.attempts.get(name), judged, baseline, name in apart)


def attempt_rows(run: RunAttempts) -> Iterator[dict[str, Cell]]:
    """Give one flat row for each planned attempt of a run."""
    for known in known_attempts(run):
        yield {name: column.read(known) for name, column in COLUMNS.items()}


def attempts_as_csv(runs: Sequence[RunAttempts]) -> str:
    """Write the rows of some runs as CSV: a line of heads, then a line an attempt; what is unknown is empty.

    Args:
        runs: The runs, of any kind: columns tell them apart.

    Returns:
        The text, lines ended as RFC 4180 asks, numbers with all their digits. What a spreadsheet would take
        for a formula has an apostrophe before it: names of runs and agents come from strangers.
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, list(COLUMNS))
    writer.writeheader()
    for run in runs:
        writer.writerows({n: _harmless(cell) for n, cell in row.items()} for row in attempt_rows(run))
    return out.getvalue()


def _harmless(cell: Cell) -> Cell:
    """Let no text be a formula; numbers are no texts."""
    return FORMULA.sub(lambda found: f"{found[1]}'", cell) if isinstance(cell, str) else cell
