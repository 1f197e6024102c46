"""`ekb import`: take a model apart into functions of the language."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.imports.importing import Request, import_model
from edgekernelbench.imports.record import Function, ImportedModel
from edgekernelbench.reports.text import columns

app = command_app()

Sizes = Annotated[
    list[str] | None,
    typer.Option(
        "--size",
        "-s",
        help="Fixes a size that is open, or one of a problem file; may be repeated.",
        metavar="NAME=NUMBER",
    ),
]
Trust = Annotated[bool, typer.Option("--trust", help="Let a Python model run, in a process of its own.")]


@app.command(name="import")
def import_(
    model: Annotated[
        str,
        typer.Argument(help="A file .onnx, a problem file .py, or pkg:module:Class.", metavar="MODEL"),
    ],
    *,
    out: Annotated[str, typer.Option("--out", "-o", help="A folder for the catalogue.", metavar="DIR")],
    size: Sizes = None,
    trust: Trust = False,
    as_json: Json = False,
) -> int:
    """Read a model, fuse it as TVM does, and write each function as a workload of a private catalogue.

    What cannot be written in the language stays with TVM and is listed with the reason.
    Each text was compared with what TVM computes, and the whole with the model's own framework.
    """
    found = import_model(Request(model, parse_sizes(size or []), trust), Path(out))
    if as_json:
        print_json(found.model_dump(mode="json", by_alias=True))
        return Status.YES
    print_lines(_lines(found), fold=True)
    say(f"`ekb catalogue list --in {out}` lists the workloads; `ekb profile {out}` says where the time goes")
    return Status.YES


def parse_sizes(words: list[str]) -> dict[str, int]:
    """Read `NAME=NUMBER` words.

    Raises:
        CatalogueError: When one is something else.
    """
    sizes = {}
    for word in words:
        name, _, number = word.partition("=")
        if not number.isdigit() or int(number) < 1:
            raise CatalogueError(f"expected --size NAME=NUMBER with a number of at least 1, found {word!r}")
        sizes[name] = int(number)
    return sizes


def _left(function: Function) -> str:
    nodes = f" ({', '.join(function.nodes[:3])})" if function.nodes else ""
    return f"{' '.join(function.operators)}{nodes} stays with TVM: {function.reason}"


def _lines(found: ImportedModel) -> list[str]:
    rows = [[f.name, str(f.runs), " ".join(f.operators) if f.workload else _left(f)] for f in found.functions]
    raised = sum(f.workload is not None for f in found.functions)
    agreed = (
        f"{found.framework} gives the same outputs: {found.apart:.1e} of their size apart"
        if found.apart is not None
        else "not compared as a whole: the framework of the model is not installed"
    )
    return [
        *columns([["function", "runs", "operators"], *rows], right=frozenset({1})),
        "",
        f"{raised} of {len(found.functions)} functions raised; {agreed}",
    ]
