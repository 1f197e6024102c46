"""`ekb resume`: go on with a run that was interrupted."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.bench.several import run_folders
from edgekernelbench.cli.going import finish_runs
from edgekernelbench.cli.options import Answers, BaseUrls, Json, command_app

app = command_app()


@app.command()
def resume(
    run: Annotated[str, typer.Argument(help="A run folder.", metavar="RUN")],
    *,
    base_url: BaseUrls = None,
    answers: Answers = None,
    as_json: Json = False,
) -> int:
    """Make the attempts that are missing, judge what is not judged, and print the table.

    What is stored is neither made nor judged again; attempts whose model failed are.
    """
    folders = run_folders(Path(run))
    for folder in folders:
        folder.manifest()
    return finish_runs(folders, base_url=base_url, answers=answers, as_json=as_json)
