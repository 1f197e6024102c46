"""`ekb lower`: what becomes of a text."""

from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError, SourceError
from edgekernelbench.base.names import nearest
from edgekernelbench.cli.files import parse_sizes, read_kernel, read_text
from edgekernelbench.cli.options import File, Json, ProfileName, Size, Target, command_app, find_profile
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.refusal import refuse
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.compilers import load_compiler
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lang.source import line_ends
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.printing import print_nest
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute

app = command_app()
FORMS = ("text", "nest", "tir", "llvm", "asm", "c", "opencl", "cuda")


@app.command()
def lower(
    file: File,
    *,
    to: Annotated[
        str,
        typer.Option(
            "--to",
            help="text, nest, tir, llvm, asm, c, opencl or cuda.",
            metavar="FORM",
            show_default="nest",
        ),
    ] = "",
    default: Annotated[
        bool, typer.Option("--default", help="First write schedule and memory by the default rules.")
    ] = False,
    target: Target = None,
    profile: ProfileName = None,
    size: Size = None,
    as_json: Json = False,
) -> int:
    """Show a text in one of the forms on its way to the machine.

    `ekb lower --default FILE` prints the whole text with the schedule and memory blocks that the default
    lowering writes; `--to` then goes on from there.
    """
    form = to or ("text" if default else "nest")
    if form not in FORMS:
        close = nearest(form, FORMS)
        guess = f"did you mean {close!r}?" if close else f"there are {', '.join(FORMS)}"
        raise CatalogueError(f"no form {form!r}; {guess}")
    device = find_profile(target, profile)
    source = line_ends(read_text(file))
    try:
        kernel = read_kernel(source, size or [])
        if default:
            kernel = default_lowering(verify_compute(kernel), device.target, device)
        listing = _listing(kernel, device, form)
    except SourceError as error:
        # The default rules write schedule and memory anew: what is wrong with those of the text is no matter.
        found = () if default else survey_text(source, device, parse_sizes(size or [])).diagnostics
        return refuse(found or error.diagnostics, source, file, as_json=as_json)
    if as_json:
        print_json({"target": device.target, "profile": device.name, "form": form, "listing": listing})
    else:
        print_lines(listing.rstrip("\n").split("\n"))
    return Status.YES


def _listing(kernel: Kernel, device: Profile, form: str) -> str:
    facts = verify_compute(kernel)
    nest = build_nest(facts, device.target, device)
    if form == "text":
        return print_kernel(kernel)
    if form == "nest":
        return print_nest(nest)
    compiler = load_compiler("c" if form == "c" else "tvm")
    listings = compiler.compile(nest, device, listings=True).listings
    if form not in listings:
        raise CatalogueError(
            f"{compiler.name} has no {form} for {device.target}; it has {', '.join(listings)}"
        )
    return listings[form]
