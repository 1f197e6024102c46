"""What speed is counted against: R0, the default lowering; R1, the faster of it and TVM's tuner."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.evaluator.baselines import (
    Baseline,
    Bench,
    Contender,
    DefaultBaseline,
    FindServer,
    UnfitError,
)
from edgekernelbench.evaluator.environment import TUNER
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.trial import Assignment
from edgekernelbench.evaluator.tuning import cut_workload
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.records.judgement import VendorRecord
from edgekernelbench.records.outcome import Correct, Outcome, Unjudged
from edgekernelbench.records.reference import BASELINE_OF, ReferenceRecord
from edgekernelbench.records.store import read_lines
from edgekernelbench.records.tuned import TunedRecord
from edgekernelbench.workloads.schema import Workload


def baseline_path(folder: Path, profile: str) -> Path:
    """Say where a folder keeps what was tuned for a profile."""
    return folder / f"{profile}.jsonl"


def read_tuned(path: Path) -> dict[str, TunedRecord]:
    """Read what was tuned, by workload; of one that was tuned again, the last.

    Raises:
        RecordError: When a line is no such record.
    """
    return {record.workload: record for record in read_lines(path, TunedRecord)}


def kernel_hash(workload: Workload) -> str:
    """Hash the canonical text of a workload."""
    return hash_text(print_kernel(workload.kernel()))


def traced_of(record: TunedRecord, workload: Workload) -> Traced | None:
    """Give the kernel that TVM scheduled.

    Args:
        record: What tuning came to.
        workload: The workload.

    Returns:
        None when TVM made none, or made it of another text.
    """
    if not any(part.trace for part in record.parts) or record.kernel != kernel_hash(workload):
        return None
    parts = tuple(Part(part.stages, part.trace) for part in record.parts)
    return Traced(print_kernel(workload.kernel()), parts, record.prepared)


class TracedContender:
    """What TVM's tuner made of a workload, replayed in the worker."""

    name = "metaschedule"
    server = TUNER

    def __init__(self, bench: Bench, tuned: Mapping[str, TunedRecord]) -> None:
        self._bench = bench
        self._tuned = tuned

    def loops(self, workload: Workload) -> bool:
        """Never: it is compiled."""
        return False

    def assignment(self, workload: Workload, limits: Limits, find_server: FindServer) -> Assignment:
        """Say what its worker is to do.

        Raises:
            UnfitError: When the release has no schedule for it, with the reason.
        """
        record = self._tuned.get(workload.id)
        if record is None:
            raise UnfitError("it was not tuned")
        traced = traced_of(record, workload)
        if traced is None:
            raise UnfitError(record.reason or "it was tuned as another text")
        return self._bench.traced_assignment(workload.kernel(), traced.to_json(), limits)


class PlainBaseline:
    """TVM's own loops for the canonical text, without a schedule: what TVM does out of the box."""

    name = "plain"
    server = TUNER
    required = False

    def __init__(self, bench: Bench) -> None:
        self._bench = bench

    @property
    def contenders(self) -> Sequence[Contender]:
        """Itself alone."""
        return (self,)

    def loops(self, workload: Workload) -> bool:
        """Never: it is compiled."""
        return False

    def assignment(self, workload: Workload, limits: Limits, find_server: FindServer) -> Assignment:
        """Say what its worker is to do.

        Raises:
            UnfitError: When TVM cannot take the text.
        """
        traced, cuts = cut_workload(workload, self._bench.profile)
        if cuts.ordered or not cuts.parts:
            raise UnfitError("it has stages that TVM cannot take as blocks")
        return self._bench.traced_assignment(workload.kernel(), traced.to_json(), limits)

    def text(self, workload: Workload) -> None:
        """Give nothing: its loops are TVM's, and no kernel text."""
        del workload


class TunedBaseline:
    """R1: the faster of the default lowering and what TVM's tuner made, by measurement on this machine."""

    name = BASELINE_OF["R1"]
    required = False

    def __init__(self, bench: Bench, tuned: Mapping[str, TunedRecord]) -> None:
        """Choose what contends.

        Args:
            bench: How kernels are run.
            tuned: What was tuned, by workload.
        """
        self.contenders: Sequence[Contender] = (DefaultBaseline(bench), TracedContender(bench, tuned))

    def text(self, workload: Workload) -> None:
        """Give nothing: a trace is no kernel text, and the text of the default lowering stands by itself."""
        del workload


def open_tuned(folder: Path, profile: str) -> dict[str, TunedRecord]:
    """Read the references of a profile.

    Args:
        folder: A folder of baselines.
        profile: Name of the profile.

    Raises:
        PrerequisiteError: When the folder has none.
        RecordError: When a record cannot be read.
    """
    path = baseline_path(folder, profile)
    if not path.is_file():
        remedy = "make them with `ekb baseline tune`, or count against R0"
        raise PrerequisiteError(f"there are no tuned references for {profile}", remedy)
    return read_tuned(path)


def reference_record(
    release: str, outcome: Outcome | Unjudged, baselines: Sequence[Baseline], chosen: VendorRecord | None
) -> ReferenceRecord | None:
    """Say what the speed of a kernel is counted against.

    Args:
        release: Id of the release; empty when records name none.
        outcome: What came of the kernel.
        baselines: What it was timed beside.
        chosen: Which contender R1 is.

    Returns:
        None without a release, and for a kernel that was not timed.
    """
    if not release or not isinstance(outcome, Correct) or not outcome.rings:
        return None
    if all(baseline.name != BASELINE_OF["R1"] for baseline in baselines):
        return ReferenceRecord(release=release, kind="R0", name=BASELINE_OF["R0"])
    name = "none" if chosen is None or chosen.name is None else chosen.name
    fallen = {} if chosen is None else chosen.fallen
    return ReferenceRecord(release=release, kind="R1", name=name, fallen=fallen)
