"""Everything needed to repeat a run."""

from typing import Literal

from pydantic import Field, JsonValue

from edgekernelbench.records.schema import Record


class DeviceFacts(Record):
    """The machine as the run found it."""

    profile: str
    """Name of the device profile."""
    device_class: str
    """`edge`, `server` or `stand-in`."""
    threads: int
    """Threads that kernels and baselines use."""
    machine: str
    """Architecture, such as `x86_64`."""
    system: str
    """Operating system and release."""
    cpu: str
    """The processor's name; empty when unknown."""
    cores: int
    """Cores that this process may use."""
    memory_bytes: int
    """Memory of the machine."""


class Manifest(Record):
    """Everything needed to repeat a run, as stored in `manifest.json`."""

    version: Literal["manifest/1", "manifest/2"] = Field(default="manifest/2", alias="schema")
    run: str
    """Name of the run."""
    settings: dict[str, JsonValue]
    """The experiment, resolved."""
    catalogue: str
    """Hash of the catalogue."""
    commit: str | None
    """Commit of the code; None outside a checkout."""
    dirty: bool
    """Whether the code differed from that commit."""
    versions: dict[str, str]
    """Versions of Python and of the packages that matter."""
    device: DeviceFacts
    """The machine."""
    environment: dict[str, str]
    """The environment that workers see."""
    planned: tuple[str, ...]
    """Ids of all attempts of the run, in order: the fixed denominator."""
    started: str
    """UTC, ISO 8601."""
    digest: str | None = None
    """SHA-256 of the rest, as JSON with sorted keys; None in version 1, when records had no seals."""
