"""A run on several devices: one run a device, and one set of answers, which the first run asks for.

```text
ROOT/
├── runs.json     the folders of the runs, in order
├── llvm/         asks the agents
└── opencl/       judges the answers of the first
```
Classes of devices are never mixed: each run has its own device, its own table, its own judgements of the same
attempts.
"""

import json
import re
from collections.abc import Sequence
from pathlib import Path

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.run import start_run
from edgekernelbench.evaluator.devices import find_device
from edgekernelbench.records.store import RunFolder, write_atomically
from edgekernelbench.workloads.catalogue import Catalogue

LIST = "runs.json"
FORMAT = "runs/1"


def start_runs(
    root: Path, experiment: Experiment, devices: Sequence[str], catalogue: Catalogue | None = None
) -> tuple[RunFolder, ...]:
    """Make the folders of a run on one device or several; nothing is generated yet.

    Args:
        root: The folder of all.
        experiment: The settings; its profile is put in each run.
        devices: Profiles or boards, agents work with the first; one, or none, makes a plain run.
        catalogue: Where the workloads are; None for the one that comes with the package.

    Returns:
        The runs, in the order of the devices.

    Raises:
        RecordError: When the folder holds runs already.
        CatalogueError: When a workload or a profile does not exist.
        PrerequisiteError: When there is no such board.
    """
    if len(devices) < 2:
        return (start_run(root, experiment, catalogue),)
    if (root / LIST).exists():
        raise RecordError(f"{root.name} holds runs already; resume them or name another folder")
    for device in devices:
        find_device(device)  # before anything is written: a board may be missing
    names = [folder_name(device) for device in devices]
    folders = []
    for number, (device, name) in enumerate(zip(devices, names, strict=True)):
        others = tuple(d for d in devices if d != device)
        source = {"answers_of": names[0]} if number else {}
        settings = experiment.model_copy(update={"profile": device, "also": others, **source})
        folders.append(start_run(root / name, settings, catalogue))
    write_atomically(root / LIST, json.dumps({"schema": FORMAT, "folders": names}).encode())
    return tuple(folders)


def run_folders(root: Path) -> tuple[RunFolder, ...]:
    """List the runs of a folder: itself, or those of a run on several devices.

    Raises:
        RecordError: When the list cannot be read.
    """
    path = root / LIST
    if not path.is_file():
        return (RunFolder(root),)
    try:
        names = json.loads(path.read_text(encoding="utf-8"))["folders"]
    except (ValueError, KeyError, TypeError):
        raise RecordError(f"{root.name}/{LIST} is no list of runs") from None
    return tuple(RunFolder(root / str(name)) for name in names)


def folder_name(device: str) -> str:
    """Name the folder of a device."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", device)
