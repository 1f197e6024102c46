"""`ekb check`: is a text legal on a target, and what will it cost?"""

from typing import Annotated

import typer

from edgekernelbench.analysis.inspection import inspect_nest
from edgekernelbench.analysis.rendering import inspection_as_json, render_inspection
from edgekernelbench.cli.files import left_open, parse_sizes, read_text, shown
from edgekernelbench.cli.options import File, Json, ProfileName, Size, Target, command_app, find_profile
from edgekernelbench.cli.output import diagnostics_as_json, print_json, print_lines
from edgekernelbench.cli.refusal import refuse
from edgekernelbench.cli.status import Status
from edgekernelbench.cli.usage import cost_as_json, cost_as_lines, headline
from edgekernelbench.lang.source import line_ends
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.peaks import load_peaks

app = command_app()


@app.command()
def check(
    file: File,
    *,
    target: Target = None,
    profile: ProfileName = None,
    nest: Annotated[bool, typer.Option("--nest", help="Show the loop nest that the text means.")] = False,
    analyse: Annotated[
        bool, typer.Option("--analyse", help="Say what bounds it on the device, and what to try first.")
    ] = False,
    size: Size = None,
    as_json: Json = False,
) -> int:
    """Check a kernel text: parse, prove, resolve the layers, compare with the device's limits.

    Prints what each stage costs, or every refusal with its place and a remedy; with --analyse what costs most
    on the device, one bottleneck after another, each with the directive that it belongs to.
    Nothing is compiled and nothing is run.
    """
    device = find_profile(target, profile)
    source = line_ends(read_text(file))
    found = survey_text(source, device, parse_sizes(size or []))
    if found.open:
        raise left_open(found.open)
    built = found.nest
    if built is None:
        return refuse(found.diagnostics, source, file, as_json=as_json)
    inspected = None
    if analyse and found.facts is not None:
        inspected = inspect_nest(built, found.facts.kernel, device, peaks=load_peaks(device))
    if as_json:
        print_json(
            {
                "accepted": True,
                "diagnostics": diagnostics_as_json(found.diagnostics),
                **cost_as_json(built, device),
                **({"nest": print_nest(built)} if nest else {}),
                **({"analysis": inspection_as_json(inspected)} if inspected else {}),
            }
        )
        return Status.YES
    print_lines(d.render(source, shown(file)) for d in found.diagnostics)
    print_lines([headline(built, device), ""], fold=True)
    if inspected is not None:
        print_lines(render_inspection(inspected), fold=True)
        return Status.YES
    if nest:
        print_lines(print_nest(built).splitlines())
    else:
        print_lines(cost_as_lines(built, device), fold=True)
    return Status.YES
