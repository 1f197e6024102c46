"""What an exported folder says of itself."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Literal

from pydantic import Field

from edgekernelbench.base.diagnostics import Layer
from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.hashing import hash_bytes
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.layers import layer_hash
from edgekernelbench.records.schema import Record

ABOUT = "export.json"
LAYERS = (Layer.COMPUTE, Layer.SCHEDULE, Layer.MEMORY)


def layer_hashes(kernel: Kernel) -> dict[str, str]:
    """Hash each layer of a text for CPUs."""
    return {str(layer): layer_hash(kernel, layer, "llvm") for layer in LAYERS}


class Form(StrEnum):
    """What an exported kernel is."""

    OBJECT = "object"
    """LLVM's object file, with its entry points as C."""
    SHARED = "shared"
    """The same, linked to a shared library."""
    C = "c"
    """C source, for compilers that LLVM does not know the part of."""
    RELAX = "relax"
    """A library that TVM's Relax virtual machine runs."""


class Exported(Record):
    """What every exported folder says of itself."""

    name: str
    """The name of the kernel or of the model, and the beginning of the files'."""
    form: str
    """What was exported."""
    profile: str
    """The device that it was lowered for."""
    triple: str
    """Its machine and system; empty for the machine that exported."""
    threads: int
    """Threads that parallel loops use."""
    checked: bool
    """Whether the entry points look at pointers, alignment and declared ranges."""
    workspace_bytes: int
    """What a run needs."""
    prepared_bytes: int
    """What is kept of the weights."""
    files: Mapping[str, str]
    """Hash of each file."""
    measured: Mapping[str, int | float | str] = Field(default_factory=dict)
    """What is known of its speed: device, nanoseconds a run; empty when it was not measured."""

    def changed_files(self, folder: Path) -> tuple[str, ...]:
        """Name the files that are not what was exported."""
        return tuple(n for n, digest in self.files.items() if not _is_same(folder / n, digest))

    def write(self, folder: Path) -> None:
        """Write `export.json`."""
        (folder / ABOUT).write_text(self.model_dump_json(indent=2, by_alias=True) + "\n", encoding="utf-8")


class ExportRecord(Exported):
    """What `export.json` says of a kernel."""

    what: Literal["kernel"] = "kernel"
    layers: Mapping[str, str]
    """Hash of each layer of the text."""


class KernelNote(Record):
    """What is known of one kernel of a model."""

    runs: int
    """How often one run of the model calls it."""
    layers: Mapping[str, str]
    """Hash of each layer of its text."""
    measured: Mapping[str, int | float | str] = Field(default_factory=dict)
    """What the judge measured of it; empty when it was not asked."""


class ModelRecord(Exported):
    """What `export.json` says of a model."""

    what: Literal["model"] = "model"
    weights_bytes: int
    """Size of the weights."""
    against: str
    """Who gave the outputs in `probe.npz`."""
    kernels: Mapping[str, KernelNote]
    """Its kernels, by name; the texts are `kernels/NAME.kir`."""


def read_export(folder: Path) -> ExportRecord | ModelRecord:
    """Read what an exported folder says of itself.

    Raises:
        RecordError: When it is no exported folder.
    """
    about = folder / ABOUT
    if not about.is_file():
        raise RecordError(f"{folder} has no {ABOUT}: it is no exported folder")
    text = about.read_text(encoding="utf-8")
    is_model = '"what": "model"' in text
    return ModelRecord.read(text, str(about)) if is_model else ExportRecord.read(text, str(about))


def new_folder(folder: Path) -> None:
    """Refuse a folder that holds something.

    Raises:
        RecordError: When it does.
    """
    if folder.exists() and any(folder.iterdir()):
        raise RecordError(f"{folder} is not empty: export to a new folder")


def _is_same(path: Path, digest: str) -> bool:
    return path.is_file() and hash_bytes(path.read_bytes()) == digest
