"""`ekb compare`: is one agent better than another, and could that be chance?"""

from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import Annotated

import typer

from edgekernelbench.base.errors import RecordError
from edgekernelbench.cli.going import read_all
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.metrics.measures import Measure, find_measure
from edgekernelbench.reports.comparison_tables import comparison_lines, comparisons_as_json, points
from edgekernelbench.reports.comparisons import (
    SPEED,
    Comparison,
    all_judged,
    compare_rows,
    pair_rows,
    rows_of,
)
from edgekernelbench.reports.portable import PORTABLE_MEASURE, join_run, runs_together
from edgekernelbench.reports.runs import RunAttempts, reference_of
from edgekernelbench.reports.tables import flaw_lines

app = command_app()

PORTABLE_WORD = "portable"
DEFAULT = ("accepted", "correct", "fast", "sure-fast")


@app.command()
def compare(
    runs: Annotated[
        list[str],
        typer.Argument(help="Run folders; one is enough if it has several agents.", metavar="RUN..."),
    ],
    *,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help="accepted@k, correct@k, fast@p, sure-fast@p, portable, or speed; may be repeated.",
            metavar="SCORE",
            show_default="all at 1",
        ),
    ] = None,
    agent: Annotated[
        list[str] | None,
        typer.Option("--agent", "-a", help="Only rows of this agent; may be repeated.", metavar="NAME"),
    ] = None,
    fail_under: Annotated[
        float | None,
        typer.Option(
            "--fail-under", help="Status 1 when a difference is less than this, in points.", metavar="X"
        ),
    ] = None,
    sure: Annotated[
        bool, typer.Option("--sure", help="Hold the lower end of the interval to --fail-under instead.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the draws.", metavar="N")] = 0,
    as_json: Json = False,
) -> int:
    """Hold rows against the first: difference, interval, and how likely chance alone shows as much.

    Pairs are workloads that both rows were given; speeds are held against each other on those that both did
    right. Runs with the same several agents are compared agent by agent, runs on several devices device by
    device. Rows of another release, track, device or reference are refused.

    The status is 1 when an attempt is not judged, records were changed after they were written, or a
    difference is under --fail-under.
    """
    if fail_under is not None and metric and set(metric) == {SPEED}:
        raise RecordError("--fail-under is in points of a score, and speed is none: name a score besides")
    given = [read_all([run]) for run in runs]
    read = [run for several in given for run in several]
    _say_what_is_left_out(read)
    comparisons = _comparisons(given, agent or (), metric or (*DEFAULT, PORTABLE_WORD, SPEED), seed)
    if as_json:
        print_json(comparisons_as_json(comparisons, seed=seed))
    else:
        print_lines(comparison_lines(comparisons, seed=seed))
    if metric and any(comparison.unknown for comparison in comparisons):
        say("ekb: a score that was asked for could not be compared")
        return Status.NO
    below = [] if fail_under is None else _below(comparisons, fail_under, sure=sure)
    for line in below:
        say(line)
    changed = any(run.flaws for run in read)
    return Status.YES if all_judged(comparisons) and not below and not changed else Status.NO


def _say_what_is_left_out(read: Sequence[RunAttempts]) -> None:
    """Name changed records, and agents that are in no comparison."""
    for run in read:
        for line in flaw_lines(run.flaws, run.folder):
            say(line)
        for name, why in run.barred.items():
            say(f"ekb: {name} in {run.folder} is left out: {why}")


def _comparisons(
    given: Sequence[Sequence[RunAttempts]], agents: Sequence[str], words: Sequence[str], seed: int
) -> tuple[Comparison, ...]:
    """Compare rows; those of runs on several devices device by device, and then by Portable@1."""
    groups: dict[str, list[RunAttempts]] = defaultdict(list)
    several = any(len(runs) > 1 for runs in given)
    for run in (run for runs in given for run in runs):
        groups[run.manifest.device.profile if several else ""].append(run)
    found: list[Comparison] = []
    for runs in groups.values():
        baseline = reference_of(runs[0]).baseline
        measures = [_measure(word, baseline) for word in words if word not in (PORTABLE_WORD, SPEED)]
        against = baseline if SPEED in words else None
        if measures or against:
            pairs = pair_rows(rows_of(runs, agents))
            found += compare_rows(pairs, measures, speed_against=against, seed=seed)
    together = [join_run(one) for runs in given for one in runs_together(runs)]
    if PORTABLE_WORD in words and together:
        found += compare_rows(pair_rows(rows_of(together, agents)), [PORTABLE_MEASURE], seed=seed)
    if not found:
        raise RecordError("there is nothing to compare: Portable@1 is of runs on several devices alone")
    return tuple(found)


def _measure(word: str, baseline: str) -> Measure:
    found = find_measure(word, baseline=baseline)
    if found is None:
        raise RecordError(
            f"no score {word!r}; there are accepted@k, correct@k, fast@p, sure-fast@p, portable and speed, "
            "k at least 1 and p above 0"
        )
    return found


def _below(comparisons: Sequence[Comparison], limit: float, *, sure: bool) -> list[str]:
    """Name the differences that are under a limit, in points."""
    lines = []
    for comparison in comparisons:
        for score in comparison.scores:
            difference = score.difference
            value = difference.value
            if sure:
                # Fewer than two patterns have no interval: then nothing is sure.
                value = Fraction(-1) if difference.interval is None else Fraction(difference.interval.low)
            if 100 * value < Fraction(str(limit)):
                what = "the lower end of the difference" if sure else "the difference"
                lines.append(
                    f"ekb: {difference.measure} of {comparison.second.label}: {what} is "
                    f"{points(float(value))} points, under {limit:g}"
                )
    return lines
