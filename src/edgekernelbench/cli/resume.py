"""`ekb resume`: go on with a run that was interrupted."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.several import run_folders
from edgekernelbench.bench.trust import require_trust_to_go_on
from edgekernelbench.cli.going import finish_runs
from edgekernelbench.cli.options import Answers, BaseUrls, Json, command_app
from edgekernelbench.cli.run_options import Trust

app = command_app()


@app.command()
def resume(
    run: Annotated[str, typer.Argument(help="A run folder.", metavar="RUN")],
    *,
    base_url: BaseUrls = None,
    answers: Answers = None,
    trust: Trust = False,
    as_json: Json = False,
) -> int:
    """Make the attempts that are missing, judge what is not judged, and print the table.

    What is stored is neither made nor judged again; attempts whose model failed are. A run may name programs:
    commands that see this machine, PyTorch functions of a catalogue beside it. Read them, then add --trust.
    """
    folders = run_folders(Path(run))
    for folder in folders:
        experiment = Experiment.from_settings(folder.manifest().settings, folder.root.name)
        require_trust_to_go_on(experiment, trusted=trust)
    return finish_runs(folders, base_url=base_url, answers=answers, trusted=trust, as_json=as_json)
