"""What tuning one workload came to, as stored in a file of baselines: one line a workload."""

from typing import Literal

from pydantic import Field

from edgekernelbench.records.manifest import DeviceFacts
from edgekernelbench.records.schema import Record

Choice = Literal["metaschedule", "default"]


class PartRecord(Record):
    """What the search made of some stages that are scheduled together."""

    stages: tuple[str, ...]
    """Their names, in text order."""
    trace: str
    """The fastest schedule, as TVM writes it in JSON; empty when none was right."""
    best_ns: float | None
    """What that took by itself in the search, in a warm cache; None when none was right."""
    trials: int
    """Candidates that were tried."""
    right: int
    """How many were compiled and right."""
    failed: dict[str, int]
    """Why the others were not, with their number."""
    drawn: int
    """Draws that TVM refused or that came twice; they cost no trial."""
    seconds: float
    """Time of the search, builds and runs included."""


class BesideRecord(Record):
    """Durations of one run beside `default`, from one set of processes, in nanoseconds."""

    default_ns: float
    """The default lowering."""
    plain_ns: float | None = None
    """TVM's own loops, without a schedule; None when they failed."""
    vendor_ns: float | None = None
    """The fastest correct library; None when none is correct here."""
    vendor: str | None = None
    """Which library that was."""


class TunedRecord(Record):
    """What tuning one workload came to, and how fast that is; written by `ekb baseline tune`."""

    version: Literal["tuned/1"] = Field(default="tuned/1", alias="schema")
    workload: str
    """Id of the workload."""
    kernel: str
    """Hash of the canonical text that was scheduled."""
    trials: int
    """Candidates of each part."""
    seed: int
    """Of the search."""
    choice: Choice
    """Which of the two is faster: what R1 is on this machine."""
    reason: str = ""
    """Why it is `default`: what TVM could not do, or that it is not faster."""
    prepared: tuple[str, ...] = ()
    """Stages that are evaluated once per weights."""
    parts: tuple[PartRecord, ...] = ()
    """The parts, in the order in which they run; empty when TVM cannot take the workload."""
    outcome: str = ""
    """What the judge found of the scheduled kernel, such as `correct`; empty when there was none."""
    rings: int = 0
    """Sets of fresh processes that were measured."""
    default_ns: float | None = None
    """Median duration of one run of the default lowering over all sets; None when nothing was measured."""
    tuned_ns: float | None = None
    """The same of the scheduled kernel."""
    ratio: float | None = None
    """Geometric mean of default over scheduled; above 1 TVM is faster."""
    sure_ratio: float | None = None
    """Its lower bound, of 95 % confidence."""
    beside: BesideRecord | None = None
    """TVM out of the box and the vendor; None when they were not asked for."""
    seconds: float
    """Time of everything."""
    versions: dict[str, str]
    """Versions of the packages that matter."""
    device: DeviceFacts
    """The machine, with its threads."""
    started: str
    """UTC, ISO 8601."""
