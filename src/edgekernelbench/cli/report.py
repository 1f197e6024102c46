"""`ekb report`: the scores of runs."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.status import Status
from edgekernelbench.metrics.headline import Withheld
from edgekernelbench.reports.runs import read_run
from edgekernelbench.reports.tables import runs_as_json, table_lines

app = command_app()


@app.command()
def report(
    runs: Annotated[list[str], typer.Argument(help="Run folders.", metavar="RUN...")],
    *,
    as_json: Json = False,
) -> int:
    """Show what each agent of a run scored, with intervals and what its failures were.

    The status is 1 when a run has attempts that are not judged: it has no score until it is resumed.
    """
    scored = [read_run(Path(run)) for run in runs]
    if as_json:
        print_json(runs_as_json(scored))
    else:
        print_lines(table_lines(scored))
    return Status.NO if any(isinstance(row, Withheld) for run in scored for row in run.rows) else Status.YES
