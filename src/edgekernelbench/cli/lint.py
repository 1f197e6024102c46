"""`ekb catalogue lint`: the null battery, workload by workload."""

from collections.abc import Iterable
from dataclasses import asdict
from typing import Annotated

import typer

from edgekernelbench.battery.lint import Battery, Fate, null_battery
from edgekernelbench.cli.options import Json
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.text import columns
from edgekernelbench.workloads.catalogue import load_catalogue

HEAD = ["workload", "mistakes", "killed", "equivalent", "alive", "least margin"]


def lint(
    names: Annotated[
        list[str] | None,
        typer.Argument(help="Workloads, patterns or families; all without any.", show_default=False),
    ] = None,
    *,
    suite: Annotated[str, typer.Option("--suite", help="Only of this suite.", metavar="NAME")] = "full",
    reasons: Annotated[
        bool, typer.Option("--reasons", help="List the equivalent mistakes with their reasons too.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Put mistakes and false answers before the judge; none may pass.

    Each workload's canonical text is changed in one place at a time (a range, a term, a condition, a
    constant, an operator, a stage), and outputs are replaced by zeros, means, inputs and answers to other
    inputs. Each must be called wrong on the judge's own input sets, or have a stated reason why it changes
    nothing.
    """
    found: list[Battery] = []
    for workload in load_catalogue().select(names or [], suite=suite):
        battery = null_battery(workload)
        found.append(battery)
        if battery.of(Fate.ALIVE):
            say(f"{workload.id}: {len(battery.of(Fate.ALIVE))} alive")
    if as_json:
        print_json([asdict(battery) for battery in found])
    else:
        print_lines(columns([HEAD, *map(_row, found)]))
        print_lines(_details(found, (Fate.ALIVE, Fate.EQUIVALENT) if reasons else (Fate.ALIVE,)))
    return Status.NO if any(battery.of(Fate.ALIVE) for battery in found) else Status.YES


def _row(battery: Battery) -> list[str]:
    counts = [str(len(battery.of(fate))) for fate in (Fate.KILLED, Fate.EQUIVALENT, Fate.ALIVE)]
    return [battery.workload, str(len(battery.verdicts)), *counts, f"{battery.least_margin:.3g}"]


def _details(found: Iterable[Battery], fates: tuple[Fate, ...]) -> Iterable[str]:
    for battery in found:
        for fate in fates:
            for verdict in battery.of(fate):
                place = f"{verdict.stage}: " if verdict.stage else ""
                why = f" ({verdict.reason})" if verdict.reason else ""
                yield f"{battery.workload}: {fate}: {place}{verdict.change}{why}"
