"""What an exported folder says of itself."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Self

from pydantic import Field

from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.hashing import hash_bytes
from edgekernelbench.records.schema import Record

ABOUT = "export.json"


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


class ExportRecord(Record):
    """What `export.json` says of a folder."""

    name: str
    """The kernel's name, and the beginning of the files'."""
    form: str
    """What was exported."""
    profile: str
    """The device that the kernel was lowered for."""
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
    layers: Mapping[str, str]
    """Hash of each layer of the text."""
    files: Mapping[str, str]
    """Hash of each file."""
    measured: Mapping[str, int | float | str] = Field(default_factory=dict)
    """What the judge measured of this text: device, nanoseconds a run, times the default; empty when it was
    not asked."""

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the record of a folder.

        Raises:
            RecordError: When it is no exported folder.
        """
        about = folder / ABOUT
        if not about.is_file():
            raise RecordError(f"{folder} has no {ABOUT}: it is no exported folder")
        return cls.read(about.read_text(encoding="utf-8"), str(about))

    def changed_files(self, folder: Path) -> tuple[str, ...]:
        """Name the files that are not what was exported."""
        return tuple(n for n, digest in self.files.items() if not _is_same(folder / n, digest))

    def write(self, folder: Path) -> None:
        """Write `export.json`."""
        (folder / ABOUT).write_text(self.model_dump_json(indent=2) + "\n", encoding="utf-8")


def new_folder(folder: Path) -> None:
    """Refuse a folder that holds something.

    Raises:
        RecordError: When it does.
    """
    if folder.exists() and any(folder.iterdir()):
        raise RecordError(f"{folder} is not empty: export to a new folder")


def _is_same(path: Path, digest: str) -> bool:
    return path.is_file() and hash_bytes(path.read_bytes()) == digest
