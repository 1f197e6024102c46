"""A release: what every score of it rests on, frozen, as stored in `release.json`."""

from typing import Literal

from pydantic import Field

from edgekernelbench.records.schema import Record


class ReferenceFacts(Record):
    """The tuned references of one device profile."""

    file: str
    """Hash of the file."""
    workloads: int
    """How many workloads it has."""
    metaschedule: int
    """For how many of them TVM's schedule is the faster one on the machine that made it."""
    trials: tuple[int, ...]
    """Candidates of each part; one number, unless the file was made in several ways."""
    machines: tuple[str, ...]
    """Processors and threads that it was made with."""


class ReleaseRecord(Record):
    """What every score of a release rests on; written by `ekb release freeze`."""

    version: Literal["release/1"] = Field(default="release/1", alias="schema")
    id: str
    """Such as `2026.1`."""
    frozen: str
    """UTC, ISO 8601."""
    catalogue_version: str
    """Version of the catalogue."""
    patterns: int
    """How many patterns it has."""
    workloads: int
    """How many workloads it has."""
    hashes: dict[str, str]
    """By part: `catalogue`, `cards`, `default-rules`, `language`, `judge`."""
    versions: dict[str, str]
    """Versions of the packages that make machine code, and of the vendor's libraries."""
    references: dict[str, ReferenceFacts]
    """Tuned references by device profile; a profile that is not here counts against R0."""
