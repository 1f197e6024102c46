"""`ekb report`: the scores of runs."""

from typing import Annotated

import typer

from edgekernelbench.base.errors import RecordError
from edgekernelbench.cli.going import print_rows, show_runs
from edgekernelbench.cli.options import Json, command_app

app = command_app()


@app.command()
def report(
    runs: Annotated[list[str], typer.Argument(help="Run folders.", metavar="RUN...")],
    *,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one row an attempt, as CSV.")] = False,
    as_json: Json = False,
) -> int:
    """Show what each agent of a run scored, with intervals and what its failures were.

    The status is 1 when a run has attempts that are not judged: it has no score until it is resumed. It is
    also 1 when records were changed after they were written.
    """
    if markdown + as_csv + as_json > 1:
        raise RecordError("--markdown, --csv and --json are three forms: name one")
    if as_csv:
        return print_rows(runs)
    return show_runs(runs, as_json=as_json, markdown=markdown)
