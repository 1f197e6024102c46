"""`ekb baseline`: TVM's tuner on the workloads, and what came of it."""

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.bench.experiment import resolve_workloads
from edgekernelbench.bench.progress import Bar
from edgekernelbench.bench.tune import TunePlan, tune_workloads
from edgekernelbench.bench.verdicts import FINAL_RINGS
from edgekernelbench.cli.options import Json, command_app, find_profile
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.references import baseline_path, read_tuned
from edgekernelbench.records.tuned import TunedRecord
from edgekernelbench.reports.text import columns
from edgekernelbench.workloads.catalogue import load_catalogue

app = command_app("Tune references with TVM's MetaSchedule; show what came of it.")

Folder = Annotated[
    str, typer.Option("--out", "-o", help="Folder of baselines, a file a profile.", metavar="FOLDER")
]
Device = Annotated[str, typer.Option("--device", "-d", help="Profile of the device.", metavar="NAME")]
Suite = Annotated[str, typer.Option("--suite", help="The suite of workloads.", metavar="NAME")]
Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "--workloads", "-w", help="Only this workload, pattern or family; may be repeated.", metavar="NAME"
    ),
]


@app.command(short_help="Tune workloads with MetaSchedule.")
def tune(
    *,
    workloads: Workloads = None,
    suite: Suite = "quick",
    trials: Annotated[
        int, typer.Option("--trials", help="Candidates of each part of a workload.", min=1, metavar="N")
    ] = 32,
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a file that is there; do nothing twice.")
    ] = False,
    sets: Annotated[
        int, typer.Option("--sets", help="Sets of fresh processes to measure in.", min=1, metavar="N")
    ] = FINAL_RINGS,
    beside: Annotated[
        bool, typer.Option("--beside", help="Also time TVM without a schedule, and the vendor's library.")
    ] = False,
    seed: Annotated[int, typer.Option("--seed", help="Of the search.", min=0, metavar="N")] = 0,
    out: Folder = "baselines",
    device: Device = "llvm",
    as_json: Json = False,
) -> int:
    """Tune workloads with TVM's MetaSchedule, a child a candidate, and measure what comes of each.

    A workload is stored as soon as it is done: after Ctrl-C, or a crash, --resume goes on. The default
    lowering stays the reference where TVM cannot schedule a workload, is wrong, or is slower.
    """
    profile = find_profile(None, device)
    chosen = resolve_workloads(load_catalogue(), tuple(workloads or ()), suite=suite)
    plan = TunePlan(trials, seed, sets, beside)
    folder = Path(out)
    try:
        with Bar() as bar:
            records = tune_workloads(folder, profile, chosen, plan, resume=resume, watcher=bar)
    except KeyboardInterrupt:
        say(f"interrupted; what is done is in {baseline_path(folder, profile.name)}: --resume goes on")
        return Status.INTERRUPTED
    _show(list(records.values()), as_json=as_json)
    return Status.YES


@app.command(short_help="Show what was tuned, and what it took.")
def status(
    *,
    workloads: Workloads = None,
    suite: Suite = "full",
    out: Folder = "baselines",
    device: Device = "llvm",
    as_json: Json = False,
) -> int:
    """Show how fast TVM's schedules are beside the default lowering, and what the search took.

    The status is 1 while workloads of the suite are missing.
    """
    profile = find_profile(None, device)
    chosen = resolve_workloads(load_catalogue(), tuple(workloads or ()), suite=suite)
    known = read_tuned(baseline_path(Path(out), profile.name))
    found = [known[w.id] for w in chosen if w.id in known]
    _show(found, as_json=as_json)
    missing = len(chosen) - len(found)
    if missing:
        say(f"{missing} of {len(chosen)} workloads are not tuned yet")
    return Status.NO if missing else Status.YES


def _show(records: Sequence[TunedRecord], *, as_json: bool) -> None:
    if as_json:
        print_json([r.model_dump(mode="json", by_alias=True) for r in records])
        return
    if not records:
        print_lines(["nothing is tuned"])
        return
    head = ["workload", "default", "tuned", "ratio", "plain", "vendor", "R1", "trials", "right", "s"]
    rows = [head, *(_row(r) for r in records)]
    print_lines(columns(rows, right=frozenset(range(1, len(head))) - {6}))
    print_lines(["", *summary(records)])


def _row(record: TunedRecord) -> list[str]:
    beside = record.beside
    default = record.default_ns or (beside.default_ns if beside else None)
    return [
        record.workload,
        _time(default),
        _time(record.tuned_ns),
        "–" if record.ratio is None else f"{record.ratio:.2f}",
        _time(beside.plain_ns if beside else None),
        _time(beside.vendor_ns if beside else None),
        record.choice,
        str(sum(p.trials for p in record.parts)),
        str(sum(p.right for p in record.parts)),
        f"{record.seconds:.0f}",
    ]


def summary(records: Sequence[TunedRecord]) -> list[str]:
    """Say what tuning came to, and what it took, in a few lines."""
    faster = sum(r.choice == "metaschedule" for r in records)
    ratios = [r.ratio for r in records if r.ratio is not None]
    lines = [
        f"{len(records)} workloads: MetaSchedule is faster on {faster}, the default lowering on the rest"
    ]
    if ratios:
        mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
        lines.append(
            f"default over tuned: {mean:.2f} in geometric mean over {len(ratios)} that were measured"
        )
    reasons = Counter(r.reason.partition(":")[0] for r in records if r.reason)
    if reasons:
        lines.append("default, because: " + ", ".join(f"{n} {k}" for k, n in reasons.most_common()))
    failed: Counter[str] = Counter()
    for record in records:
        for part in record.parts:
            failed.update(part.failed)
    trials = sum(p.trials for r in records for p in r.parts)
    right = sum(p.right for r in records for p in r.parts)
    drawn = sum(p.drawn for r in records for p in r.parts)
    seconds = sum(r.seconds for r in records)
    lines.append(f"{trials} trials in {seconds:.0f} s, {right} right; {drawn} draws refused or repeated")
    if failed:
        lines.append("failed: " + ", ".join(f"{n} {k}" for k, n in failed.most_common()))
    return lines


def _time(ns: float | None) -> str:
    return "–" if ns is None else f"{ns / 1e3:.1f} µs" if ns < 1e6 else f"{ns / 1e6:.2f} ms"
