"""What speed was counted against: a release and a kind of reference; two never share a column."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.schema import Record

Kind = Literal["R0", "R1"]
KINDS: tuple[Kind, ...] = ("R0", "R1")

BASELINE_OF: dict[str, str] = {"R0": "default", "R1": "r1"}
"""Under which name the times of each kind are stored."""

MEANING: dict[str, str] = {
    "R0": "the default lowering",
    "R1": "the faster of the default lowering and TVM's MetaSchedule",
}


class ReferenceRecord(Record):
    """What the speed of a judgement is counted against."""

    release: str
    """Id of the release; with `+changed` when the code is not what was frozen under that id."""
    kind: Kind
    """`R0` or `R1`."""
    name: str
    """What the reference is for this workload: `default` or `metaschedule`."""
    fallen: dict[str, str] = Field(default_factory=dict)
    """For R1: why the other one is not."""


@dataclass(frozen=True, slots=True)
class ReferenceKey:
    """What two scores must share to stand in one column.

    Attributes:
        release: Id of the release; empty for records that name none.
        kind: `R0` or `R1`.
    """

    release: str
    kind: Kind

    @property
    def baseline(self) -> str:
        """Under which name its times are stored."""
        return BASELINE_OF[self.kind]

    def __str__(self) -> str:
        release = f" of release {self.release}" if self.release else ""
        return f"{self.kind}{release}, {MEANING[self.kind]}"


PLAIN = ReferenceKey("", "R0")
"""What records count against that name no reference."""


def one_reference(found: Iterable[ReferenceRecord | None], where: str) -> ReferenceKey:
    """Give the one reference that some judgements share.

    Args:
        found: Their references; None for those that name none, such as kernels that were not timed.
        where: What they are of, for the message.

    Raises:
        RecordError: When there are two.
    """
    keys = {ReferenceKey(r.release, r.kind) for r in found if r is not None}
    if len(keys) > 1:
        names = " and ".join(sorted(f"{k.kind} of {k.release}" for k in keys))
        raise RecordError(f"{where}: speeds are counted against {names}; scores of two are never joined")
    return next(iter(keys), PLAIN)
