"""`ekb catalogue`: list, show and check patterns and workloads."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, TypeVar

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.bench.progress import Bar
from edgekernelbench.cli.catalogues import Folder, HeldOut, find_workload
from edgekernelbench.cli.lint import lint
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.shown_workload import counts_of, workload_json, workload_lines
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.foreign import check_foreign
from edgekernelbench.ir.dtype import DType
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


def _said(workload: Workload) -> str:
    """Give everything that is said of a workload, to be searched."""
    sizes = " ".join(f"{name}={value}" for name, value in workload.sizes.items())
    return f"{workload.pattern.source_text} {workload.source} {sizes} {workload.accumulate}".lower()


def _counted(workload: Workload) -> dict[str, object]:
    counts = counts_of(workload)
    return {"operations": counts.operations, "moved_bytes": counts.moved_bytes}


def _counts(workload: Workload) -> list[str]:
    counts = counts_of(workload)
    return [f"{counts.operations:,}", f"{counts.moved_bytes:,}", f"{counts.intensity:.3g}"]


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
    find: Annotated[
        str | None,
        typer.Option("--find", help="Only with this text in docstring, source or sizes.", metavar="TEXT"),
    ] = None,
    counts: Annotated[
        bool, typer.Option("--counts", help="Also operations and bytes of a run; takes seconds.")
    ] = False,
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
    found = tuple(w for w in found if find is None or find.lower() in _said(w))
    if as_json:
        print_json([{**_as_json(w), **(_counted(w) if counts else {})} for w in found])
        return Status.YES
    head = ["workload", "domain", "level", *(["operations", "bytes", "a byte"] if counts else [])]
    rows = [[w.id, w.domain, w.level, *(_counts(w) if counts else [])] for w in found]
    print_lines(columns([head, *rows]), fold=True)
    patterns = len({w.pattern.id for w in found})
    say(f"{counted(len(found), 'workload')} of {counted(patterns, 'pattern')}; catalogue {catalogue.version}")
    return Status.YES


@app.command(short_help="Show one workload: sizes, counts, texts, card.")
def show(
    workload: Annotated[str, typer.Argument(help="Id of a workload.", metavar="WORKLOAD")],
    *,
    held_out: HeldOut = None,
    folder: Folder = None,
    as_json: Json = False,
) -> int:
    """Show one workload: sizes and their source, what a run does, baselines, inputs, both texts, the card.

    With --held-out as that seed redraws it: other sizes, constants and names within the pattern's bounds.
    """
    found = find_workload(workload, folder, held_out)
    if as_json:
        print_json({**_as_json(found), **workload_json(found)})
        return Status.YES
    print_lines(workload_lines(found))
    return Status.YES


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
