"""`ekb catalogue`: list, show and check patterns and workloads."""

from typing import Annotated

import typer

from edgekernelbench.base.errors import EkbError
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.reports.text import columns
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

app = command_app("List, show and check patterns and workloads.")

Names = Annotated[
    list[str] | None,
    typer.Argument(help="Workloads, patterns or families; all without any.", show_default=False),
]
Suite = Annotated[str, typer.Option("--suite", help="Only of this suite.", metavar="NAME")]


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
def list_workloads(names: Names = None, *, suite: Suite = "full", as_json: Json = False) -> int:
    """List workloads with their domain and level."""
    catalogue = load_catalogue()
    found = catalogue.select(names or [], suite=suite)
    if as_json:
        print_json([_as_json(w) for w in found])
        return Status.YES
    print_lines(columns([["workload", "domain", "level"], *([w.id, w.domain, w.level] for w in found)]))
    patterns = len({w.pattern.id for w in found})
    say(f"{len(found)} workloads of {patterns} patterns; catalogue {catalogue.version}")
    return Status.YES


@app.command(short_help="Show one workload with both of its texts.")
def show(
    workload: Annotated[str, typer.Argument(help="Id of a workload.", metavar="WORKLOAD")],
    *,
    as_json: Json = False,
) -> int:
    """Show one workload: its canonical text, its PyTorch function, its inputs and their source."""
    found = load_catalogue().workload(workload)
    text = print_kernel(found.kernel())
    if as_json:
        print_json({**_as_json(found), "canonical": text, "pytorch": found.pattern.torch_text})
        return Status.YES
    inputs = [f"{name}: {draw!r}" for name, draw in found.inputs.items()]
    print_lines([found.id, f"{found.domain}, {found.level}; sums in {found.accumulate}", found.source, ""])
    print_lines([text, found.pattern.torch_text, *inputs])
    return Status.YES


@app.command(short_help="Check that every text parses and is proven.")
def check(names: Names = None, *, suite: Suite = "full", as_json: Json = False) -> int:
    """Check that every text parses with its sizes and is proven; says which is not."""
    rows: list[dict[str, object]] = []
    for workload in load_catalogue().select(names or [], suite=suite):
        try:
            facts = verify_compute(workload.kernel())
            stages = sum(1 for _ in placed_stages(facts.kernel.compute))
            rows.append({"id": workload.id, "ok": True, "stages": stages, "problem": None})
        except EkbError as error:
            rows.append({"id": workload.id, "ok": False, "stages": None, "problem": str(error)})
    wrong = [row for row in rows if not row["ok"]]
    if as_json:
        print_json(rows)
    else:
        print_lines(f"{row['id']}: {row['problem']}" for row in wrong)
        print_lines([f"{len(rows) - len(wrong)} of {len(rows)} workloads are in order"])
    return Status.NO if wrong else Status.YES
