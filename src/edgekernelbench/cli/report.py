"""`ekb report`: the scores of runs."""

from typing import Annotated

import typer

from edgekernelbench.cli.going import show_runs
from edgekernelbench.cli.options import Json, command_app

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
    return show_runs(runs, as_json=as_json)
