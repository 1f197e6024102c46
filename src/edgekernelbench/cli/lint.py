"""`ekb catalogue lint`: the null battery and the honest battery, workload by workload."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.battery.honest import Judged, honest_pairs, judge_rewrite
from edgekernelbench.battery.lint import Battery, Fate, null_battery
from edgekernelbench.cli.catalogues import Folder
from edgekernelbench.cli.options import Compiler, Json, find_profile
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.reports.text import columns
from edgekernelbench.workloads.catalogue import find_catalogue, load_catalogue
from edgekernelbench.workloads.schema import Workload

HEAD = ["workload", "mistakes", "killed", "equivalent", "alive", "least margin"]
HONEST_HEAD = ["workload", "rewrite", "outcome", "of the limit", "RMS ratio"]


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
    honest: Annotated[
        bool, typer.Option("--honest", help="Judge legitimate rewrites instead; none may be refused.")
    ] = False,
    device: Annotated[
        str, typer.Option("--device", "-d", help="With --honest: profile of the device.", metavar="NAME")
    ] = "llvm",
    compiler: Compiler = "tvm",
    folder: Folder = None,
    as_json: Json = False,
) -> int:
    """Put mistakes and false answers before the judge; none may pass.

    Each workload's canonical text is changed in one place at a time (a range, a term, a condition, a
    constant, an operator, a stage), and outputs are replaced by zeros, means, inputs and answers to other
    inputs. Each must be called wrong on the judge's own input sets, or have a stated reason why it changes
    nothing.

    With --honest the other way round: texts that compute the same by another algorithm, written by hand, are
    lowered by the default rules, compiled and judged at full size. Each must be correct.
    """
    chosen = find_catalogue(folder).select(names or [], suite=suite)
    if honest and folder is not None:
        raise CatalogueError("rewrites by hand are there for our catalogue alone: leave --honest or --in out")
    if honest:
        return _honest(chosen, device, compiler, as_json=as_json)
    found: list[Battery] = []
    for workload in chosen:
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


def _honest(chosen: Sequence[Workload], device: str, compiler: str, *, as_json: bool) -> int:
    found: list[Judged] = []
    with Judge(find_profile(None, device), compiler=compiler) as judge:
        for rewrite, workload in honest_pairs(load_catalogue(), chosen):
            found.append(judge_rewrite(judge, rewrite, workload))
            if found[-1].is_refused:
                say(f"{workload.id}: {rewrite.id}: {found[-1].outcome}: {found[-1].detail}")
    if as_json:
        print_json([asdict(judged) for judged in found])
    else:
        print_lines(columns([HONEST_HEAD, *map(_honest_row, found)]))
        refused = sum(judged.is_refused for judged in found)
        print_lines([f"{len(found)} rewrites, {refused} refused"])
    return Status.NO if any(judged.is_refused for judged in found) else Status.YES


def _honest_row(judged: Judged) -> list[str]:
    numbers = ["" if n is None else f"{n:.3g}" for n in (judged.elementwise, judged.rms_ratio)]
    return [judged.workload, judged.rewrite.rpartition("/")[2], judged.outcome, *numbers]
