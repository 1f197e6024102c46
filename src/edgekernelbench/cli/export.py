"""`ekb export`: a kernel as C that a program can be linked with."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import SourceError
from edgekernelbench.bench.exporting import export_kernel
from edgekernelbench.cli.files import parse_sizes, read_kernel, read_text
from edgekernelbench.cli.options import File, Json, ProfileName, Size, command_app, find_profile
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.refusal import refuse
from edgekernelbench.cli.status import Status
from edgekernelbench.lang.source import line_ends
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.verify.compute import verify_compute

app = command_app()


@app.command()
def export(
    file: File,
    *,
    to: Annotated[str, typer.Option("--to", help="The folder, new or empty.", metavar="DIR")],
    default: Annotated[
        bool, typer.Option("--default", help="First write schedule and memory by the default rules.")
    ] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Leave out what entry points check of their arguments.")
    ] = False,
    profile: ProfileName = None,
    size: Size = None,
    as_json: Json = False,
) -> int:
    """Write a kernel as C with a header and an example: no TVM, no Python, no allocation at run time.

    Entry points refuse null and misaligned pointers and values outside declared ranges. `ekb verify DIR`
    builds the folder and holds it against the interpreter, also through a cross compiler and an emulator.
    """
    device = find_profile("llvm" if profile is None else None, profile)
    source = line_ends(read_text(file))
    try:
        kernel = read_kernel(source, size or [])
        if default:
            kernel = default_lowering(verify_compute(kernel), device.target, device)
        record = export_kernel(kernel, device, Path(to), checked=not unchecked)
    except SourceError as error:
        found = () if default else survey_text(source, device, parse_sizes(size or [])).diagnostics
        return refuse(found or error.diagnostics, source, file, as_json=as_json)
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        room = f"{record.workspace_bytes:,} B of workspace, {record.prepared_bytes:,} B for prepared weights"
        names = ", ".join(sorted(record.files))
        print_lines([f"{record.name} for {device.name}: {room}", f"in {to}: {names}"])
    return Status.YES
