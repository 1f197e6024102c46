"""The loop: agents × workloads × attempts, in two stages that both resume.

```text
settings ─▶ manifest ─▶ attempts, each stored when it ends ─▶ judgements, each stored when it is made
```
Killed at any moment, a run loses what was being made and nothing else: what is stored is not made again.
"""

import secrets
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock

from edgekernelbench.agents.hosted import Host
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.base.errors import CatalogueError, PrerequisiteError, RecordError
from edgekernelbench.bench.answers import copy_answers
from edgekernelbench.bench.beside import reference_baselines
from edgekernelbench.bench.contestants import Tools, open_contestant
from edgekernelbench.bench.experiment import SEARCHES, Experiment, check_control
from edgekernelbench.bench.generation import Doorkeeper, Generation
from edgekernelbench.bench.progress import Silent, Watcher
from edgekernelbench.bench.provenance import make_manifest
from edgekernelbench.bench.release import release_name
from edgekernelbench.bench.tools import search_tools
from edgekernelbench.bench.verdicts import Verdicts
from edgekernelbench.evaluator.baselines import Baseline
from edgekernelbench.evaluator.boards.address import is_board
from edgekernelbench.evaluator.devices import find_device, open_judges
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.attempt import Attempt, attempt_id
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import Catalogue, find_catalogue


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run uses and its settings do not name, since it changes no result.

    Attributes:
        endpoint: Address and key of models that have them; a key is never stored.
        answers: Folder of stored answers of models; None stores nothing.
        watcher: Is told how far the run is.
        host: Lets an agent from elsewhere come; None where none can.
    """

    endpoint: Endpoint = field(default_factory=Endpoint)
    answers: Path | None = None
    watcher: Watcher = field(default_factory=Silent)
    host: Host | None = None


def start_run(root: Path, experiment: Experiment, catalogue: Catalogue | None = None) -> RunFolder:
    """Make the folder of a new run; nothing is generated yet.

    Args:
        root: The folder.
        experiment: The settings, resolved.
        catalogue: Where its workloads are; None for the one that comes with the package.

    Returns:
        The folder, ready for `continue_run`.

    Raises:
        RecordError: When the folder holds a run already.
        CatalogueError: When a workload or the profile does not exist, or an agent is not of the track.
    """
    known = catalogue or find_catalogue(experiment.catalogue)
    searching = [agent.name for agent in experiment.agents if agent.kind in SEARCHES or agent.policy]
    if searching and experiment.track != "optimise":
        raise CatalogueError(f"agent {searching[0]} starts from a given text: take --track optimise")
    if experiment.language == "c":
        check_control(experiment)
    for workload in experiment.workloads:
        known.workload(workload)
    device = find_device(experiment.profile)
    manifest = make_manifest(
        root.name,
        experiment,
        device,
        catalogue=known.hash,
        environment=worker_environment(device.profile.threads),
    )
    return RunFolder.create(root, manifest)


def continue_run(
    folder: RunFolder, surroundings: Surroundings | None = None, catalogue: Catalogue | None = None
) -> None:
    """Do what is left of a run.

    Args:
        folder: The run.
        surroundings: Endpoints and who watches.
        catalogue: Where its workloads are; None for the one that comes with the package.

    Raises:
        RecordError: When another process is at it, a record cannot be read, or the catalogue has changed.
    """
    around = surroundings or Surroundings()
    manifest = folder.manifest()
    experiment = Experiment.from_settings(manifest.settings, folder.root.name)
    known = catalogue or find_catalogue(experiment.catalogue)
    hold_release(folder, known, "resume it")
    workloads = {name: known.workload(name) for name in experiment.workloads}
    _check_vendor(experiment)
    with (
        folder.writing() as writer,
        open_judges(
            experiment.profile,
            experiment.compiler,
            partial(baselines_of, experiment),
            release=release_name(),
        ) as judges,
    ):
        keeper = Doorkeeper(judges, secrets.token_bytes(16), nullcontext(), experiment.language)
        if experiment.answers_of is None:
            others = tuple(find_device(name).profile for name in experiment.also)
            generation = Generation(experiment, judges.profile, workloads, keeper, writer, Lock(), others)
            tools = replace(
                search_tools(experiment, workloads, judges.first), host=around.host, run=folder.root
            )
            _generate(folder, generation, around, tools)
        else:
            copy_answers(RunFolder(folder.root.parent / experiment.answers_of), folder, writer)
        missing = _unjudged(folder, experiment, around.watcher)
        verdicts = Verdicts(experiment, folder, writer, judges, workloads)
        verdicts.judge_all(missing, around.watcher, at_once=max(1, judges.size))


def _check_vendor(experiment: Experiment) -> None:
    if experiment.vendor and is_board(experiment.profile):
        raise PrerequisiteError(
            "the vendor baseline runs on this machine, not on boards", "leave --vendor out"
        )


def hold_release(folder: RunFolder, catalogue: Catalogue, advice: str) -> None:
    """Refuse a run of another release: its workloads, inputs and tolerances may be others.

    Args:
        folder: The run.
        catalogue: The catalogue at hand.
        advice: What is to be done with the other release, such as "resume it".

    Raises:
        RecordError: When the catalogue is another one.
    """
    made = folder.manifest().catalogue
    if catalogue.hash != made:
        raise RecordError(
            f"{folder.root.name} was made with catalogue {made}, this is {catalogue.hash}; "
            f"{advice} with the release that began it"
        )


def baselines_of(experiment: Experiment, profile: Profile) -> tuple[Baseline, ...]:
    """Give what the kernels of a run are timed beside.

    Raises:
        PrerequisiteError: When the device has no such baseline.
    """
    if experiment.vendor and profile.target == "opencl":
        raise PrerequisiteError(
            f"the vendor baseline runs on CPUs and through CUDA, {profile.name} is neither",
            "leave --vendor out",
        )
    baselines = list(
        reference_baselines(experiment.reference, experiment.baselines, profile, experiment.compiler)
    )
    if experiment.vendor:
        baselines.append(VendorBaseline(profile))
    return tuple(baselines)


def _generate(folder: RunFolder, generation: Generation, around: Surroundings, tools: Tools) -> None:
    """Let each agent in turn make its missing attempts: two local models are never loaded at once."""
    experiment = generation.experiment
    done = folder.generated()
    around.watcher.begin("writing", len(experiment.planned()), len(done))
    for setting in experiment.agents:
        missing = [
            (workload, number)
            for workload in experiment.workloads
            for number in range(experiment.k)
            if attempt_id(setting.name, workload, number) not in done
        ]
        if missing:
            profile, endpoint = generation.profile, around.endpoint
            with open_contestant(setting, experiment, profile, endpoint, around.answers, tools) as contestant:
                generation.generate(contestant, missing, around.watcher)


def _unjudged(folder: RunFolder, experiment: Experiment, watcher: Watcher) -> list[Attempt]:
    done = folder.judged()
    watcher.begin("judging", len(experiment.planned()), len(done))
    return [attempt for attempt in folder.attempts().values() if attempt.id not in done]
