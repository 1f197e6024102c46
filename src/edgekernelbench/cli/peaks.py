"""`ekb peaks`: what a device of this machine reaches at best; the judge compares kernels with it."""

from dataclasses import asdict
from typing import Annotated

import typer

from edgekernelbench.cli.options import Compiler, Json, command_app, find_profile
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.roofline import measure_peaks
from edgekernelbench.evaluator.watch import MOST_WAITED
from edgekernelbench.profiles.peaks import Peaks, load_peaks, store_peaks
from edgekernelbench.reports.text import columns

app = command_app()


@app.command()
def peaks(
    *,
    device: Annotated[
        str, typer.Option("--device", "-d", help="Profile of the device.", metavar="NAME")
    ] = "llvm",
    again: Annotated[bool, typer.Option("--again", help="Measure even when peaks are kept.")] = False,
    compiler: Compiler = "tvm",
    as_json: Json = False,
) -> int:
    """Measure what a device reaches: operations a second, and bytes a second by working set.

    Takes some seconds, and is kept for this machine if it did nothing else meanwhile.
    From then on, judgements say how long a workload takes at least, and flag kernels that claim less.
    """
    profile = find_profile(None, device)
    found = None if again else load_peaks(profile)
    if found is None:
        found = measure_peaks(profile, compiler=compiler)
        if found.waited <= MOST_WAITED:
            store_peaks(found, profile)
        else:
            say(
                f"ekb: not kept: threads waited for a core in {found.waited:.0%} of the time; "
                "measure on a machine that does nothing else"
            )
    if as_json:
        print_json(asdict(found))
    else:
        print_lines(_lines(found, profile.title))
    return Status.YES if found.waited <= MOST_WAITED else Status.NO


def _lines(found: Peaks, title: str) -> list[str]:
    rows = [["working set", "GB/s"], *([_size(s), f"{rate / 1e9:,.1f}"] for s, rate in found.bytes_per_s)]
    threads = f"{found.threads} thread{'' if found.threads == 1 else 's'}"
    return [
        f"{title}, {threads}",
        f"operations on f32: {found.operations_per_s / 1e9:,.1f} G/s",
        f"shortest run: {found.launch_ns / 1e3:,.2f} us",
        "",
        *columns(rows, right=frozenset({0, 1})),
    ]


def _size(count: int) -> str:
    return f"{count >> 20:,} MiB" if count >= 1 << 20 else f"{count >> 10:,} KiB"
