"""What is learnt about a kernel on the way to its outcome."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.evaluator.marking import Mark
from edgekernelbench.evaluator.watch import MARKS
from edgekernelbench.records.conditions import Conditions
from edgekernelbench.records.judgement import CostRecord, Moment, RooflineRecord, VendorRecord
from edgekernelbench.records.language import ControlRecord


def cost_of(report: Mapping[str, Any]) -> CostRecord:
    """Read what a worker says of its artifact.

    Args:
        report: Its answer, with `cost` and `spent`.
    """
    return CostRecord(
        code_bytes=report["cost"]["code_bytes"],
        workspace_bytes={str(k): int(v) for k, v in report["cost"]["workspace_bytes"].items()},
        compile_ns=Nanoseconds(int(report["spent"].get("compile", 0))),
    )


@dataclass(slots=True)
class Findings:
    """What is learnt on the way to an outcome.

    Attributes:
        canonical: Hash of the canonical text.
        marks: How the sheets were judged.
        cost: What the kernel costs apart from time.
        spent: Nanoseconds by phase.
        beside: What each baseline costs that says so, by its name.
        flags: Questions that a report shows.
        vendor: Which library it was timed beside.
        chosen: Which contender the reference was.
        conditions: What the machine was like, one entry a ring.
        roofline: What the device cannot beat.
        sustained: How speed held over a longer time.
        control: How a text in plain C was built.
    """

    canonical: str | None = None
    marks: Sequence[Mark] = ()
    cost: CostRecord | None = None
    beside: dict[str, CostRecord] = field(default_factory=dict)
    spent: dict[str, int] | None = None
    flags: tuple[str, ...] = ()
    vendor: VendorRecord | None = None
    chosen: VendorRecord | None = None
    conditions: tuple[Conditions, ...] = ()
    roofline: RooflineRecord | None = None
    sustained: tuple[Moment, ...] | None = None
    control: ControlRecord | None = None

    def flag(self, flag: str) -> None:
        """Raise a question, once."""
        if flag not in self.flags:
            self.flags = (*self.flags, flag)

    def note_report(self, report: dict[str, Any]) -> None:
        """Take down what a worker says of its artifact and of where its time went."""
        self.spent = {str(phase): int(ns) for phase, ns in report["spent"].items()}
        self.cost = cost_of(report)
        if "built" in report:
            told = report["built"]
            self.control = ControlRecord(
                language="c", compiler=str(told["compiler"]), flags=tuple(map(str, told["flags"]))
            )

    def note_code(self, size: object) -> None:
        """Take down the size of the machine code, where a worker says it only at the end."""
        if isinstance(size, int) and not isinstance(size, bool) and size >= 0 and self.cost is not None:
            self.cost = self.cost.model_copy(update={"code_bytes": size})

    def note_conditions(self, conditions: Conditions) -> None:
        """Take down what the machine was like, with a flag for each thing that was not as it should be."""
        self.conditions = (*self.conditions, conditions)
        for mark in conditions.marks:
            self.flag(MARKS[mark])
