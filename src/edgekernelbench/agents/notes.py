"""What an agent says about one step, for its trajectory: plain values, so that any agent can."""

from dataclasses import dataclass, field

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.trajectory import PlanRecord, ReportRecord


@dataclass(frozen=True, slots=True)
class Note:
    """One line of a trajectory; `records.trajectory.StepExtra` says what each field means.

    Attributes:
        phase: `start`, `analyse`, `revise`, `swap`, `reflect`; `submit` for agents without phases.
        step: Number of the agent's step.
        stage: How far it came.
        message: What was done, one line for a person.
        candidate: Its number, when it was measured and is correct.
        parent: What it was made of.
        parent_text: The text of the parent, for the difference; empty without one.
        layer: The layer that was changed.
        hashes: Hash of each layer.
        text: The kernel text; empty for a step without one.
        setting: Value of each knob.
        plan: What was planned.
        error: The first complaint.
        report: Static feedback.
        time: Median time of one run.
        ratio: Time of the baseline over it.
        gain: Speed over that of the parent.
        attributed: The layer that the gain belongs to.
        authors: Whose text it is.
        conclusions: What reflection kept.
    """

    phase: str
    step: int
    stage: str
    message: str
    candidate: int | None = None
    parent: int | None = None
    parent_text: str = ""
    layer: str | None = None
    hashes: dict[str, str] = field(default_factory=dict)
    text: str = ""
    setting: dict[str, int | float] = field(default_factory=dict)
    plan: PlanRecord | None = None
    error: str = ""
    report: ReportRecord | None = None
    time: Nanoseconds | None = None
    ratio: float | None = None
    gain: float | None = None
    attributed: str | None = None
    authors: tuple[str, ...] = ()
    conclusions: tuple[str, ...] = ()
