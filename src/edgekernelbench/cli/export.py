"""`ekb export`: a kernel as files that a program can be linked with."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError, SourceError
from edgekernelbench.base.names import nearest
from edgekernelbench.bench.measuring import measure_kernel
from edgekernelbench.bench.optimising.results import open_source
from edgekernelbench.cli.files import parse_sizes, read_kernel, read_text
from edgekernelbench.cli.options import Json, ProfileName, Size, command_app, find_profile
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.refusal import refuse
from edgekernelbench.cli.status import Status
from edgekernelbench.deploy.kernels import Wish, export_kernel
from edgekernelbench.deploy.models import export_model
from edgekernelbench.deploy.record import Exported, ExportRecord, Form, ModelRecord
from edgekernelbench.lang.source import line_ends
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute

app = command_app()

MACHINES = {"aarch64": "aarch64", "native": "llvm"}
"""What `--target` takes, with the profile that stands for it."""

Exportable = Annotated[
    str,
    typer.Argument(help="A kernel text, or a folder of `ekb optimise` or `ekb import`.", metavar="FILE|DIR"),
]
FormName = Annotated[
    str,
    typer.Option(
        "--format",
        help="object (LLVM's code), shared (a library of it), c (source), relax (for TVM).",
        metavar="FORM",
    ),
]
Machine = Annotated[
    str | None,
    typer.Option(
        "--target", "-t", help="native or aarch64; a profile says it better.", show_default="native"
    ),
]


@app.command()
def export(
    file: Exportable,
    *,
    to: Annotated[str, typer.Option("--to", help="The folder, new or empty.", metavar="DIR")],
    form: FormName = "object",
    target: Machine = None,
    default: Annotated[
        bool, typer.Option("--default", help="First write schedule and memory by the default rules.")
    ] = False,
    unchecked: Annotated[
        bool, typer.Option("--unchecked", help="Leave out what entry points check of their arguments.")
    ] = False,
    measure: Annotated[
        bool, typer.Option("--measure", help="Judge and time the kernel here first, and record it.")
    ] = False,
    profile: ProfileName = None,
    size: Size = None,
    as_json: Json = False,
) -> int:
    """Write a kernel or a model as files that a program can be linked with: no TVM, no Python at run time.

    The object file is the code that the judge measures. Entry points refuse null and misaligned pointers
    and values outside declared ranges. `ekb verify DIR` builds the folder and holds it against the
    interpreter, through a cross compiler and an emulator where it is for another machine.
    """
    device = _device(target, profile)
    if Path(file).is_dir():
        if default or measure or size:
            raise CatalogueError(f"{file} is a model: --default, --measure and --size are for kernel texts")
        return _export_model(file, to, device, Wish(_form(form), not unchecked), as_json=as_json)
    source = line_ends(read_text(file))
    try:
        kernel = read_kernel(source, size or [])
        if default:
            kernel = default_lowering(verify_compute(kernel), device.target, device)
        measured = measure_kernel(kernel, device) if measure else {}
        record = export_kernel(kernel, device, Path(to), Wish(_form(form), not unchecked, measured))
    except SourceError as error:
        found = () if default else survey_text(source, device, parse_sizes(size or [])).diagnostics
        return refuse(found or error.diagnostics, source, file, as_json=as_json)
    return _shown(record, _lines(record, to), as_json=as_json)


def _export_model(file: str, to: str, device: Profile, wish: Wish, *, as_json: bool) -> int:
    record = export_model(open_source(Path(file), device), device, Path(to), wish)
    return _shown(record, _model_lines(record, to), as_json=as_json)


def _shown(record: Exported, lines: list[str], *, as_json: bool) -> int:
    if as_json:
        print_json(record.model_dump(mode="json"))
    else:
        print_lines(lines)
    return Status.YES


def _device(target: str | None, profile: str | None) -> Profile:
    if target is None:
        return find_profile("llvm" if profile is None else None, profile)
    if target not in MACHINES:
        raise CatalogueError(f"no target {target!r} to export for; there are {', '.join(sorted(MACHINES))}")
    if profile is not None:
        raise CatalogueError(f"give --target {target} or --profile {profile}, not both")
    return load_profile(MACHINES[target])


def _form(word: str) -> Form:
    known = [str(form) for form in Form]
    if word not in known:
        close = nearest(word, known)
        guess = f"did you mean {close!r}?" if close else f"there are {', '.join(known)}"
        raise CatalogueError(f"no format {word!r}; {guess}")
    return Form(word)


def _model_lines(record: ModelRecord, to: str) -> list[str]:
    rooms = (
        f"{record.weights_bytes:,} B of weights, {record.prepared_bytes:,} B prepared of them, "
        f"{record.workspace_bytes:,} B of workspace"
    )
    kernels = f"{len(record.kernels)} kernel{'' if len(record.kernels) == 1 else 's'}"
    files = ", ".join(sorted(file for file in record.files if "/" not in file))
    return [f"{record.name} for {record.profile}, {kernels}: {rooms}", f"in {to}: {files}, and kernels/"]


def _lines(record: ExportRecord, to: str) -> list[str]:
    room = f"{record.workspace_bytes:,} B of workspace, {record.prepared_bytes:,} B for prepared weights"
    threads = f"{record.threads} thread{'' if record.threads == 1 else 's'}"
    lines = [
        f"{record.name} for {record.profile}, {threads}: {room}",
        f"in {to}: {', '.join(sorted(record.files))}",
    ]
    if record.measured:
        time = float(record.measured["time_ns"]) / 1000
        lines.append(f"measured on {record.measured['device']}: {time:,.1f} us a run")
    return lines
