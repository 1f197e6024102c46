"""`ekb release`: what scores rest on, and whether it is still what was frozen."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.bench.release import (
    RELEASE,
    describe_release,
    differences,
    freeze_release,
    read_release,
    release_name,
)
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.status import Status
from edgekernelbench.records.release import ReleaseRecord
from edgekernelbench.reports.text import columns

app = command_app("Show, verify and freeze a release: what scores rest on.")

Name = Annotated[str, typer.Argument(help="Id of a release.", metavar="RELEASE", show_default=RELEASE)]


@app.command(short_help="Show what a release froze.")
def show(name: Name = RELEASE, *, as_json: Json = False) -> int:
    """Show the hashes, versions and references of a release."""
    release = read_release(name)
    if as_json:
        print_json(release.model_dump(mode="json", by_alias=True))
    else:
        print_lines(_lines(release))
    return Status.YES


@app.command(short_help="Say what is not as it was frozen.")
def verify(name: Name = RELEASE, *, as_json: Json = False) -> int:
    """Compare what is installed with a release. The status is 1 when something differs."""
    found = differences(read_release(name), describe_release(name))
    if as_json:
        print_json([{"what": d.what, "frozen": d.frozen, "now": d.now} for d in found])
    elif found:
        cells = [[d.what, d.frozen or "none", d.now or "none"] for d in found]
        print_lines(columns([["differs", "frozen", "now"], *cells]))
        print_lines(["", f"records that are made now say {release_name()}"])
    else:
        print_lines([f"release {name} is as it was frozen"])
    return Status.NO if found else Status.YES


@app.command(short_help="Freeze what is there now under an id.")
def freeze(
    name: Name = RELEASE,
    *,
    baselines: Annotated[
        str | None,
        typer.Option("--baselines", help="Folder of tuned references to take in.", metavar="FOLDER"),
    ] = None,
) -> int:
    """Write the data file of a release, with tuned references, into this package: for its maintainers."""
    freeze_release(name, None if baselines is None else Path(baselines))
    print_lines(_lines(read_release(name)))
    return Status.YES


def _lines(release: ReleaseRecord) -> list[str]:
    counted = f"{release.patterns} patterns, {release.workloads} workloads"
    lines = [
        f"release {release.id}, frozen {release.frozen}",
        f"catalogue {release.catalogue_version}: {counted}",
        "",
        *columns([[what, value] for what, value in {**release.hashes, **release.versions}.items()]),
        "",
    ]
    for profile, facts in release.references.items():
        trials = " and ".join(map(str, facts.trials))
        share = f"{facts.metaschedule} of {facts.workloads} by MetaSchedule, {trials} trials a part"
        lines.append(f"R1 on {profile}: {share}; {facts.file}")
        lines += [f"  made on {machine}" for machine in facts.machines]
    if not release.references:
        lines.append("no tuned references: every device counts against R0, the default lowering")
    return lines
