"""Judging stored answers again: on another device, with another compiler, or as a final verdict."""

from pathlib import Path

from edgekernelbench.bench.answers import copy_answers
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.run import start_run
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import Catalogue


def judge_again(
    source: RunFolder, root: Path, changes: dict[str, object], catalogue: Catalogue | None = None
) -> RunFolder:
    """Make a run of the answers of another one; no agent is asked.

    Args:
        source: The run with the answers; it is only read.
        root: The folder of the new run.
        changes: Settings that differ: `profile`, `compiler`, `timing`, `vendor`.
        catalogue: Where the workloads are; None for the one that comes with the package.

    Returns:
        The new run, all its attempts stored, ready for `continue_run`. Attempts that were lost, or that the
        other run had not come to, are left to be made.

    Raises:
        RecordError: When the new folder holds a run already, or a record cannot be read.
        CatalogueError: When a workload or the profile does not exist.
    """
    settings = {**source.manifest().settings, **changes}
    folder = start_run(root, Experiment.from_settings(settings, source.root.name), catalogue)
    with folder.writing() as writer:
        copy_answers(source, folder, writer)
    return folder
