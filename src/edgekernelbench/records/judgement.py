"""One outcome, with what it rests on, as stored in `judgements.jsonl`."""

from typing import Annotated, Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from edgekernelbench.records.conditions import Conditions
from edgekernelbench.records.language import ControlRecord
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Unjudged, Wrong
from edgekernelbench.records.reference import ReferenceRecord
from edgekernelbench.records.schema import Record

ADDED = (
    *("vendor", "reference", "conditions", "roofline", "baselines", "baseline_costs", "board", "sustained"),
    "control",
)
"""Fields that a judgement has only when there is something to say."""


class Margin(Record):
    """How far one output was from its limits on one input set."""

    inputs: str
    """Name of the input set."""
    output: int
    """Position of the output."""
    elementwise: float
    """Largest error over what is allowed there; at most 1 for a correct kernel."""
    rms_ratio: float | None
    """RMS error over that of the declared arithmetic, floored; None for integers."""


class InputSet(Record):
    """Which inputs a kernel was judged on."""

    name: str
    """Distribution, with a suffix for the set that is timed."""
    distribution: str
    """Name of the distribution."""
    seed: int
    """Its seed; stored only with a final judgement, when no agent is at work any more."""


class CostRecord(Record):
    """What the kernel costs apart from time."""

    code_bytes: int | None
    """Size of the machine code; None when the compiler does not say."""
    workspace_bytes: dict[str, int]
    """Peak workspace by scope."""
    compile_ns: int
    """Time to compile."""


class VendorRecord(Record):
    """Which library the vendor baseline was."""

    name: str | None
    """`onnxruntime`, `torch-frozen` or `torch`; None when none of them is correct here."""
    loop: bool
    """Whether it is a Python loop over data: its time is then no measure of a library."""
    fallen: dict[str, str]
    """Why each other one fell out, by name."""


class RooflineRecord(Record):
    """The least time that a run of the workload takes on this machine, by what it needs."""

    memory_ns: float
    """To move what every run must read and write, at the peak for this working set."""
    compute_ns: float
    """To do the operations of the canonical text at the peak."""
    launch_ns: float
    """To start a kernel that does next to nothing."""
    working_set_bytes: int
    """Among how many bytes a timed run found its own."""


class BoardRecord(Record):
    """Which board a kernel ran on."""

    key: str
    """The kind as which it is registered."""
    name: str
    """Its name in its network."""
    machine: str
    """Architecture, such as `aarch64`."""
    system: str
    """Operating system and release."""
    cpu: str
    """The processor's name; empty when unknown."""
    cores: int
    """Cores that its server may use."""
    memory_bytes: int
    """Memory of the machine."""


class Moment(Record):
    """How fast a kernel was after it had run on end for some time."""

    at_ms: int
    """Since the sustained run began."""
    per_run_ns: int
    """Median duration of one run since the moment before."""
    mhz: float | None
    """Lowest clock rate of the cores; None where the machine does not show it."""
    celsius: float | None
    """Highest temperature; None where the machine shows none."""
    held_back: bool | None
    """Whether cores are held back; None where the machine does not say."""


class Judgement(Record):
    """One outcome, with what it rests on."""

    version: Literal["judgement/1", "judgement/2"] = Field(default="judgement/2", alias="schema")
    """Name and version of the schema; version 1 knows neither `conditions` nor `roofline`."""
    attempt: str
    """Id of the attempt."""
    workload: str
    """Id of the workload."""
    device: str
    """Name of the device profile."""
    device_class: str
    """`edge`, `server` or `stand-in`."""
    compiler: str
    """Name of the compiler."""
    threads: int
    """Threads that the kernel and the baselines may use."""
    text: str | None
    """Artifact hash of the text as given; None when there was none."""
    canonical: str | None = None
    """Hash of the canonical text; None when it could not be parsed."""
    outcome: Annotated[Rejected | Crashed | Wrong | Correct | Unjudged, Field(discriminator="kind")]
    """What came of it."""
    flags: tuple[str, ...] = ()
    """Questions that a report shows, such as `"one-child"` or `"nondeterministic"`."""
    margins: tuple[Margin, ...] = ()
    """Distances from the limits; empty when it never ran."""
    inputs: tuple[InputSet, ...] = ()
    """What it was judged on; empty when the seeds must stay hidden."""
    cost: CostRecord | None = None
    """What it costs; None when it was not compiled."""
    vendor: VendorRecord | None = None
    """Which library the kernel was timed beside; None when none was asked for."""
    reference: ReferenceRecord | None = None
    """What its speed is counted against; None when it was not timed."""
    conditions: tuple[Conditions, ...] = ()
    """What the machine was like, one entry a ring; empty when nothing was timed."""
    roofline: RooflineRecord | None = None
    """What the device cannot beat; None when nothing was timed, or its peaks were not measured."""
    baselines: dict[str, str] = Field(default_factory=dict)
    """Artifact hash of each baseline that is a kernel text, by its name; empty when nothing was timed."""
    baseline_costs: dict[str, CostRecord] = Field(default_factory=dict)
    """What each baseline costs whose compiler says so, by its name; a library does not."""
    board: BoardRecord | None = None
    """Which board it ran on; None for this machine."""
    control: ControlRecord | None = None
    """How a text in plain C was built; None for a text of our language."""
    sustained: tuple[Moment, ...] | None = None
    """How speed held over a longer time; None when that was not asked for."""
    spent_ns: dict[str, int] = Field(default_factory=dict)
    """Where the judging time went, by phase."""

    @model_serializer(mode="wrap")
    def _leave_out_what_was_not_asked_for(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave out what there is none of and older versions do not know: they stay what they were."""
        fields: dict[str, Any] = write(self)
        return {name: value for name, value in fields.items() if value or name not in ADDED}
