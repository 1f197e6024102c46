"""The loop: agents × workloads × attempts, written and judged in stages that all resume.

```text
settings ─▶ manifest ─▶ attempts, each stored when it ends ─▶ judgements, each stored when it is made
```
Killed at any moment, a run loses what was being made and nothing else: what is stored is not made again.
"""

import os
import secrets
from collections.abc import Callable, Mapping
from contextlib import ExitStack, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock

from edgekernelbench.agents.hosted import Host
from edgekernelbench.agents.models.endpoint import Endpoints
from edgekernelbench.base.errors import CatalogueError, PrerequisiteError, RecordError
from edgekernelbench.bench.answers import copy_answers
from edgekernelbench.bench.assembly import Rate
from edgekernelbench.bench.beside import reference_baselines
from edgekernelbench.bench.contestants import Contestant, open_contestant
from edgekernelbench.bench.experiment import SEARCHES, AgentSetting, Experiment, check_control
from edgekernelbench.bench.generation import Doorkeeper, Generation
from edgekernelbench.bench.lanes import lanes_of
from edgekernelbench.bench.pipeline import Crew, Pipeline
from edgekernelbench.bench.progress import Silent, Watcher
from edgekernelbench.bench.provenance import make_manifest
from edgekernelbench.bench.release import release_name
from edgekernelbench.bench.tools import search_tools
from edgekernelbench.bench.trust import require_trust
from edgekernelbench.bench.verdicts import Verdicts
from edgekernelbench.evaluator.baselines import Baseline
from edgekernelbench.evaluator.boards.address import is_board
from edgekernelbench.evaluator.devices import find_device, open_judges
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.evaluator.pool import JudgePool, Share
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.store import RunFolder, RunWriter
from edgekernelbench.workloads.catalogue import Catalogue, find_catalogue
from edgekernelbench.workloads.schema import Workload


def unclocked(rates: tuple[Rate, ...], shares: tuple[Share, ...]) -> None:
    """Take no notice of what stages did."""
    del rates, shares


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What a run uses and its settings do not name, since it changes no result.

    Attributes:
        endpoints: Addresses and key of models that have them; a key is never stored.
        answers: Folder of stored answers of models; None stores nothing.
        watcher: Is told how far the run is.
        host: Lets an agent from elsewhere come; None where none can.
        clocked: Is told, at the end, what each stage did and how busy each device was.
        trusted: Whether programs of others that the settings name were read.
    """

    endpoints: Endpoints = field(default_factory=Endpoints)
    answers: Path | None = None
    watcher: Watcher = field(default_factory=Silent)
    host: Host | None = None
    clocked: Callable[[tuple[Rate, ...], tuple[Share, ...]], None] = unclocked
    trusted: bool = False


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
        CatalogueError: When it would run programs of others that nobody has read.
    """
    around = surroundings or Surroundings()
    manifest = folder.manifest()
    experiment = Experiment.from_settings(manifest.settings, folder.root.name)
    require_trust(experiment, trusted=around.trusted)
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
            timed=experiment.timing != "none",
        ) as judges,
    ):
        if experiment.answers_of is not None:
            copy_answers(RunFolder(folder.root.parent / experiment.answers_of), folder, writer)
        done = folder.generated()
        lanes = lanes_of(experiment, done) if experiment.answers_of is None else ()
        again = folder.attempts().keys() - done if lanes else frozenset()
        judged = folder.judged()
        stored = [a for a in folder.attempts().values() if a.id not in judged and a.id not in again]
        pipeline = Pipeline(_crew(folder, experiment, workloads, writer, judges, around))
        try:
            pipeline.run(lanes, stored)
        finally:
            around.clocked(pipeline.rates, judges.shares())


def _crew(
    folder: RunFolder,
    experiment: Experiment,
    workloads: Mapping[str, Workload],
    writer: RunWriter,
    judges: JudgePool,
    around: Surroundings,
) -> Crew:
    """Put together who writes and who judges."""
    keeper = Doorkeeper(judges, secrets.token_bytes(16), nullcontext(), experiment.language)
    others = tuple(find_device(name).profile for name in experiment.also)
    found = search_tools(experiment, workloads, judges.first)
    tools = replace(found, host=around.host, run=folder.root)

    def opened(setting: AgentSetting, stack: ExitStack) -> Contestant:
        endpoint = around.endpoints.of(setting.model)
        contestant = open_contestant(setting, experiment, judges.profile, endpoint, around.answers, tools)
        return stack.enter_context(contestant)

    return Crew(
        Generation(experiment, judges.profile, workloads, keeper, writer, Lock(), others),
        Verdicts(experiment, folder, writer, judges, workloads),
        opened,
        around.watcher,
        writers=experiment.concurrency,
        readiers=host_threads() if judges.readier is not None else 0,
        boards=max(1, judges.size),
        overlaps=is_board(experiment.profile),
    )


def host_threads() -> int:
    """Say how many texts are made ready at one time: this machine's cores, of which one writes and judges."""
    return max(1, len(os.sched_getaffinity(0)) - 1)


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
