"""Going on with a run until it is done, and showing its table."""

from pathlib import Path

from edgekernelbench.agents.models.endpoint import endpoint_from
from edgekernelbench.bench.progress import Bar
from edgekernelbench.bench.run import Surroundings, continue_run
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.metrics.headline import Withheld
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.runs import read_run
from edgekernelbench.reports.tables import runs_as_json, table_lines


def finish_run(folder: RunFolder, *, base_url: str | None, answers: str | None, as_json: bool) -> int:
    """Do what is left of a run and print its table.

    Args:
        folder: The run.
        base_url: Address of the endpoint; None takes the environment's.
        answers: Folder of stored answers; None stores none.
        as_json: Whether to print JSON.

    Returns:
        YES when every attempt has an outcome, NO when some are unjudged, INTERRUPTED after Ctrl-C.
    """
    endpoint = endpoint_from(base_url=base_url)
    say(f"run folder: {folder.root}")
    try:
        with Bar() as watcher:
            continue_run(folder, Surroundings(endpoint, Path(answers) if answers else None, watcher))
    except KeyboardInterrupt:
        say(f"interrupted; nothing is lost: `ekb resume {folder.root}` goes on")
        return Status.INTERRUPTED
    except OSError:
        say(f"what is stored is not lost: `ekb resume {folder.root}` goes on when this is put right")
        raise
    return show_runs([str(folder.root)], as_json=as_json)


def show_runs(folders: list[str], *, as_json: bool) -> int:
    """Print the tables of runs.

    Returns:
        YES, or NO when a run has attempts that are not judged.
    """
    scored = [read_run(Path(folder)) for folder in folders]
    if as_json:
        print_json(runs_as_json(scored))
    else:
        print_lines(table_lines(scored))
    return Status.NO if any(isinstance(row, Withheld) for run in scored for row in run.rows) else Status.YES
