"""`ekb catalogue`: list, show and check patterns and workloads."""

import json
from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer
from pydantic import BaseModel

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.bench.progress import Bar
from edgekernelbench.cli.catalogues import Folder
from edgekernelbench.cli.lint import lint
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.foreign import check_foreign
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.reports.text import columns, counted
from edgekernelbench.workloads.catalogue import find_catalogue
from edgekernelbench.workloads.check import check_catalogue
from edgekernelbench.workloads.scaffold import write_pattern
from edgekernelbench.workloads.schema import Domain, Level, Workload

app = command_app("List, show and check patterns and workloads.")
app.command(short_help="Put mistakes before the judge; none may pass.")(lint)

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Workloads, patterns or families; all without any.", show_default=False),
]
Suite = Annotated[str, typer.Option("--suite", help="Only of this suite.", metavar="NAME")]
Word = TypeVar("Word", bound=StrEnum)


def _one(kind: type[Word], what: str, word: str | None) -> Word | None:
    """Find a word of a closed list.

    Raises:
        CatalogueError: When it is not there; it names the nearest.
    """
    if word is None or word in list(kind):
        return None if word is None else kind(word)
    near = nearest(word, [str(one) for one in kind])
    raise CatalogueError(f"no {what} {word!r}; {f'did you mean {near!r}?' if near else ', '.join(kind)}")


def _as_json(workload: Workload) -> dict[str, object]:
    return {
        "id": workload.id,
        "pattern": workload.pattern.id,
        "sizes": dict(workload.sizes),
        "dtype": workload.dtype,
        "accumulate": workload.accumulate,
        "domain": workload.domain,
        "level": workload.level,
        "suites": list(workload.suites),
        "source": workload.source,
    }


@app.command("list")
def list_workloads(
    names: Names = None,
    *,
    suite: Suite = "full",
    domain: Annotated[
        str | None, typer.Option("--domain", help="Only of this domain.", metavar="NAME")
    ] = None,
    level: Annotated[
        str | None, typer.Option("--level", help="operator, fused or graph.", metavar="NAME")
    ] = None,
    dtype: Annotated[
        str | None, typer.Option("--type", help="Only of this main element type.", metavar="TYPE")
    ] = None,
    folder: Folder = None,
    as_json: Json = False,
) -> int:
    """List workloads with their domain and level; options can be joined."""
    catalogue = find_catalogue(folder)
    found = catalogue.select(
        names or [],
        suite=suite,
        domain=_one(Domain, "domain", domain),
        level=_one(Level, "level", level),
        dtype=_one(DType, "type", dtype),
    )
    if as_json:
        print_json([_as_json(w) for w in found])
        return Status.YES
    print_lines(
        columns([["workload", "domain", "level"], *([w.id, w.domain, w.level] for w in found)]), fold=True
    )
    patterns = len({w.pattern.id for w in found})
    say(f"{counted(len(found), 'workload')} of {counted(patterns, 'pattern')}; catalogue {catalogue.version}")
    return Status.YES


@app.command(short_help="Show one workload with both of its texts.")
def show(
    workload: Annotated[str, typer.Argument(help="Id of a workload.", metavar="WORKLOAD")],
    *,
    folder: Folder = None,
    as_json: Json = False,
) -> int:
    """Show one workload: its canonical text, its PyTorch function, its inputs and their source."""
    found = find_catalogue(folder).workload(workload)
    text = print_kernel(found.kernel())
    if as_json:
        print_json({**_as_json(found), "canonical": text, "pytorch": found.pattern.torch_text})
        return Status.YES
    inputs = [f"{name} = {_as_toml(draw)}" for name, draw in found.inputs.items()]
    print_lines([found.id, f"{found.domain}, {found.level}; sums in {found.accumulate}", found.source, ""])
    print_lines([text, "", found.pattern.torch_text, "", *inputs])
    return Status.YES


def _as_toml(draw: BaseModel) -> str:
    """Write how a parameter is drawn as a row of the catalogue does."""
    fields = draw.model_dump(mode="json", exclude_none=True)
    return f"{{ {', '.join(f'{key} = {json.dumps(value)}' for key, value in fields.items())} }}"


@app.command(short_help="Check what the catalogue promises.")
def check(
    names: Names = None,
    *,
    suite: Suite = "full",
    quick: Annotated[
        bool, typer.Option("--quick", help="Evaluate small twins of the workloads: seconds, not minutes.")
    ] = False,
    folder: Folder = None,
    trust: Annotated[
        bool, typer.Option("--trust", help="Let PyTorch functions of DIR run, in a process of their own.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Check ids, texts, proofs and inputs, that texts agree with PyTorch, and that outputs vary.

    Without --quick the real sizes are evaluated. PyTorch must be installed.
    With --in, the PyTorch functions are programs of somebody's: read them, then add --trust.
    """
    catalogue = find_catalogue(folder)
    if folder is not None and not trust:
        raise CatalogueError(f"{folder} has programs, and checking runs them; read them, then add --trust")
    chosen = catalogue.select(names or [], suite=suite)
    with Bar() as bar:
        bar.begin("checking", len(chosen), 0)

        def progress(_: str) -> None:
            bar.advance("workloads")

        if folder is None:
            findings = check_catalogue(catalogue, chosen, full_size=not quick, progress=progress)
        else:
            ids = [workload.id for workload in chosen]
            findings = check_foreign(Path(folder).resolve(), ids, full_size=not quick, progress=progress)
    if names or suite != "full":  # of a part of the catalogue, nothing is said of the rest
        asked = {place for w in chosen for place in (w.id, w.pattern.id, w.pattern.name)}
        findings = tuple(f for f in findings if f.place in asked)
    if as_json:
        rows = [{"place": f.place, "message": f.message} for f in findings]
        print_json({"workloads": [w.id for w in chosen], "quick": quick, "findings": rows})
    else:
        print_lines((f"{f.place}: {f.message}" for f in findings), fold=True)
        wrong = {f.place for f in findings} & {w.id for w in chosen}
        print_lines([f"{len(chosen) - len(wrong)} of {len(chosen)} workloads are in order"])
    return Status.NO if findings else Status.YES


@app.command(short_help="Begin a catalogue of your own, or a family in it.")
def new(
    root: Annotated[str, typer.Argument(help="The folder of the catalogue.", metavar="DIR")],
    pattern: Annotated[str, typer.Argument(help="The first pattern.", metavar="FAMILY/NAME")],
) -> int:
    """Write a pattern that works, with a workload: two texts and a row, to be changed into yours.

    `ekb catalogue check --in DIR --trust` then says what is not in order.
    """
    print_lines(str(path) for path in write_pattern(Path(root), pattern))
    return Status.YES
