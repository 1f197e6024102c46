"""`ekb resume`: go on with a run that was interrupted."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.cli.going import finish_run
from edgekernelbench.cli.options import Answers, BaseUrl, Json, command_app
from edgekernelbench.records.store import RunFolder

app = command_app()


@app.command()
def resume(
    run: Annotated[str, typer.Argument(help="A run folder.", metavar="RUN")],
    *,
    base_url: BaseUrl = None,
    answers: Answers = None,
    as_json: Json = False,
) -> int:
    """Make the attempts that are missing, judge what is not judged, and print the table.

    What is stored is neither made nor judged again; attempts whose model failed are.
    """
    folder = RunFolder(Path(run))
    folder.manifest()
    return finish_run(folder, base_url=base_url, answers=answers, as_json=as_json)
