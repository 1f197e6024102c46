"""The terminal table of runs, and the same as JSON."""

from collections.abc import Mapping, Sequence
from fractions import Fraction

from edgekernelbench.metrics.headline import Headline, Score, Withheld
from edgekernelbench.records.seals import Flaw
from edgekernelbench.reports.cost_tables import cost_lines, costs_as_json
from edgekernelbench.reports.runs import RunScores
from edgekernelbench.reports.text import columns, counted, percent, wrapped

FLAGS = {
    "one-child": ("speed", "not final, from one set of processes"),
    "measured-under-load": ("speed", "measured while the machine did something else"),
    "processor-time-stolen": ("speed", "measured while a hypervisor took processor time"),
    "clock-changed": ("speed", "measured while the clock rate changed"),
    "everything-slowed-down": ("speed", "measured while everything became slower"),
    "faster-than-roofline": ("kernel", "faster than the device can be, to be looked at"),
    "stopped-early": ("kernel", "too slow to be measured to the end"),
    "nondeterministic": ("kernel", "with two results on the same inputs, both within the tolerance"),
}
"""What is counted of a run's judgements that carry a flag, and what is said of it after the number."""


def table_lines(runs: Sequence[RunScores]) -> list[str]:
    """Write runs as tables: one for each run, since runs of different kinds are never in one.

    Args:
        runs: Scored runs.

    Returns:
        Lines of about 80 characters.
    """
    lines: list[str] = []
    for run in runs:
        lines += [*([""] if lines else []), *_run_lines(run)]
    return lines


def runs_as_json(runs: Sequence[RunScores]) -> list[dict[str, object]]:
    """Give runs as plain values, shares as floats."""
    return [
        {
            "folder": run.folder,
            "run": run.manifest.run,
            "settings": dict(run.manifest.settings),
            "device": run.manifest.device.model_dump(),
            "catalogue": run.manifest.catalogue,
            "reference": {
                "kind": run.reference.kind,
                "release": run.reference.release,
                "baseline": run.reference.baseline,
            },
            "records": {"digest": run.digest, "flaws": [str(flaw) for flaw in run.flaws]},
            "notes": list(run.notes),
            "flags": run.flags,
            "references_apart": run.apart,
            "rows": [
                {**_row_as_json(row), **costs_as_json(run.costs.get(row.agent), run.vendors.get(row.agent))}
                for row in run.rows
            ],
        }
        for run in runs
    ]


def _run_lines(run: RunScores) -> list[str]:
    lines = [conditions(run), ""]
    scored = [row for row in run.rows if isinstance(row, Headline)]
    if scored:
        names = [score.name for score in scored[0].scores]
        cells = [["", *names]]
        for line in scored:
            cells.append([line.agent, *(percent(_as_float(score.value)) for score in line.scores)])
            cells.append(["", *(interval_text(score) for score in line.scores)])
        lines += [*columns(cells, right=frozenset(range(1, len(names) + 1))), ""]
    lines += cost_lines(run.costs, run.vendors)
    for row in run.rows:
        lines += _row_notes(row)
    for note in (*run.notes, *population(run)):
        lines += wrapped(note)
    lines += flaw_lines(run.flaws, run.folder)
    return [*lines, f"records: {run.digest}", f"run folder: {run.folder}"]


def conditions(run: RunScores) -> str:
    """Say what a run was and where: suite, track, device with its class, processor and threads."""
    device = run.manifest.device
    facts = [run.manifest.run, *(run.setting(name) for name in ("suite", "track")), *_control(run)]
    facts += [f"on {device.profile}"]
    head = ", ".join(fact for fact in facts if fact)
    return f"{head} ({device.device_class}: {device.cpu or device.machine}, {device.threads} threads)"


def _control(run: RunScores) -> list[str]:
    return (
        ["in plain C (a control: in no column with kernel texts)"] if run.setting("language") == "c" else []
    )


def population(run: RunScores) -> list[str]:
    """Say what the scores are over, what speed is against, and what they are not."""
    device = run.manifest.device
    notes = [
        _counted(run),
        f"speed is against {run.reference}, at equal threads; [95 % intervals]",
    ]
    notes += flag_notes(run.flags)
    if run.apart:
        notes.append(
            f"{counted(run.apart, 'speed')} against a reference that took another time than beside other "
            "kernels for the workload: the machine was not the same for them"
        )
    if device.device_class != "edge":
        notes.append(f"the device is a {device.device_class}: this is no edge result")
    return notes


def flag_notes(flags: Mapping[str, int]) -> list[str]:
    """Say how many judgements raise which questions; one that has no words here is named as it is."""
    said = ((count, *FLAGS.get(flag, ("judgement", f"flagged {flag}"))) for flag, count in flags.items())
    return [f"{counted(count, noun)} {text}" for count, noun, text in said]


def flaw_lines(flaws: Sequence[Flaw], folder: str) -> list[str]:
    """Say that records are not as they were written, and where; nothing when they are."""
    if not flaws:
        return []
    head = f"the records of {folder} were changed after they were written: no score of them can be believed"
    return [*wrapped(head), *(line for flaw in flaws for line in wrapped(str(flaw)))]


def kinds_text(row: Headline | Withheld) -> str:
    """Say what the attempts of a row came to, the commonest first."""
    return ", ".join(f"{kind} {count}" for kind, count in row.kinds.items())


def _row_notes(row: Headline | Withheld) -> list[str]:
    kinds = kinds_text(row)
    if isinstance(row, Withheld):
        goes_on = "" if row.barred else "; `ekb resume` goes on"
        return wrapped(f"{row.agent}: no score, since {row.reason}{goes_on}: {kinds}")
    notes = wrapped(f"{row.agent}: {kinds}")
    if row.speedup is not None:
        mean, count = row.speedup
        notes += wrapped(f"{row.agent}: {mean:.2f} times as fast in geometric mean over {count} measured")
    return notes


def _counted(run: RunScores) -> str:
    row = run.rows[0] if run.rows else None
    if isinstance(row, Headline):
        each = row.attempts // row.workloads
        times = f", {each} attempts each" if each > 1 else ", one attempt each"
        of = f"{counted(row.workloads, 'workload')} of {counted(row.patterns, 'pattern')}"
        return f"counted over {of}{times}; none is left out"
    return f"planned: {counted(len(run.manifest.planned), 'attempt')}"


def _as_float(value: Fraction | None) -> float | None:
    return None if value is None else float(value)


def interval_text(score: Score) -> str:
    """Write the interval of a score in percent; empty when there is none."""
    if score.interval is None:
        return ""
    return f"[{100 * score.interval.low:.0f}, {100 * score.interval.high:.0f}]"


def _row_as_json(row: Headline | Withheld) -> dict[str, object]:
    if isinstance(row, Withheld):
        counts = {"agent": row.agent, "judged": row.judged, "attempts": row.attempts, "kinds": row.kinds}
        return {**counts, "barred": row.barred} if row.barred else counts
    return {
        "agent": row.agent,
        "workloads": row.workloads,
        "patterns": row.patterns,
        "attempts": row.attempts,
        "scores": {score.name: score_as_json(score) for score in row.scores},
        "speedup": None if row.speedup is None else {"mean": row.speedup[0], "kernels": row.speedup[1]},
        "kinds": row.kinds,
    }


def score_as_json(score: Score) -> dict[str, object]:
    """Give a score as plain values: as a float and exactly, with its interval."""
    exact = score.value
    return {
        "value": _as_float(exact),
        "exact": None if exact is None else _exact(exact),
        "low": None if score.interval is None else score.interval.low,
        "high": None if score.interval is None else score.interval.high,
        "patterns": None if score.interval is None else score.interval.clusters,
    }


def _exact(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"
