"""What an agent did in one attempt, step by step: one line of JSON a candidate, readable as ATIF v1.7.

```text
trajectories/AGENT/FAMILY/WORKLOAD/NUMBER.jsonl
  line 1      the head: agent, task, device, settings        ─ ATIF's root without `steps`
  line 2 …    a step: what was tried, and what came of it     ─ ATIF's step, ours under `extra.ekb`
  last line   the end: totals, whose text the answer is       ─ ATIF's `final_metrics`
```
A step holds every call that was made for it, with what was asked and answered, so that it can be replayed
from this file alone. A long text stands in full where it first occurs, later by its hash.
"""

from typing import Literal

from pydantic import Field, JsonValue

from edgekernelbench.records.schema import Record


class Said(Record):
    """A text: in full where it first occurs in the file, later by its hash alone."""

    digest: str
    """The first 16 digits of its SHA-256."""
    text: str | None = None
    """The text; None when it stands further up."""


class MessageRecord(Record):
    """One turn of what a model was asked."""

    role: str
    """`system`, `user` or `assistant`."""
    content: Said
    """What was said."""


class LeftRecord(Record):
    """What is left of a budget; None where nothing limits."""

    submissions: int | None = None
    """Measurements."""
    tokens: int | None = None
    """Tokens read and written."""
    calls: int | None = None
    """Calls of the model."""
    money: float | None = None
    """In the currency of the price table."""
    seconds: float | None = None
    """Time of the agent, without waiting for the device."""


class ChatCall(Record):
    """One call of the model."""

    door: Literal["chat"] = "chat"
    """Through which door."""
    messages: tuple[MessageRecord, ...]
    """The conversation."""
    max_tokens: int
    """The most tokens that the answer may have."""
    temperature: float | None
    """Sampling temperature; None for the endpoint's default."""
    seed: int | None
    """Seed of the sampling; None when the endpoint was told none."""
    grammar: Said | None
    """The grammar that the answer had to follow."""
    sample: int
    """Number of the repetition."""
    reply: str
    """The answer."""
    stop: str
    """Why the model stopped."""
    input_tokens: int
    """Tokens read."""
    output_tokens: int
    """Tokens written, reasoning included."""
    left: LeftRecord
    """What was left afterwards."""


class TextCall(Record):
    """One text that was checked or measured."""

    door: Literal["check", "measure"]
    """`check` is free, `measure` is one submission."""
    source: Said
    """The kernel text."""
    reply: str
    """What the agent was told."""
    accepted: bool
    """Whether it parses, verifies and fits."""
    correct: bool | None
    """Whether its values agree; None when it was not run."""
    time_ns: int | None
    """Median time of one run."""
    ratio: float | None
    """Time of the default baseline over it."""
    codes: tuple[str, ...]
    """Codes of the refusals."""
    left: LeftRecord
    """What was left afterwards."""


class PlanRecord(Record):
    """What a step was to change."""

    layer: str
    """`compute`, `schedule` or `memory`; `text` where layers are switched off."""
    bottleneck: str
    """What it was to mend."""
    move: str
    """Name of the move."""
    change: str
    """What was changed, in words."""
    expected: float
    """How many times as fast the kernel should have been."""
    author: str
    """Who planned: `model` or `policy`."""


class FindingRecord(Record):
    """One finding of the static feedback."""

    layer: str
    """The layer that can mend it."""
    bottleneck: str
    """What it holds back."""
    message: str
    """What was found."""
    directive: str
    """The directive that it belongs to."""
    share: float
    """Estimated share of the time."""


class ReportRecord(Record):
    """The static feedback of one kernel."""

    flops: int
    """Operations."""
    bytes_moved: int
    """Bytes that must cross the main memory."""
    bound_ns: float | None
    """Time below which the device cannot come."""
    bound_class: str
    """What the bound is made of."""
    findings: tuple[FindingRecord, ...]
    """What costs time, the costliest first."""


class BudgetRecord(Record):
    """What an attempt had used when a step ended, and what was left."""

    submissions: int
    """Measurements so far."""
    tokens: int
    """Tokens so far."""
    calls: int
    """Calls of the model so far."""
    seconds: float
    """Time of the agent so far, without waiting for the device."""
    money: float | None
    """Money so far; None when the price is not known."""
    left: LeftRecord
    """What was left."""


class StepExtra(Record):
    """What this product says of a step beyond ATIF."""

    phase: str
    """`start`, `analyse`, `revise`, `swap`, `reflect`; `submit` for agents that have no phases; `answer`."""
    step: int
    """Number of the agent's step; several lines share it when knobs were searched or the gate was tried."""
    candidate: int | None = None
    """Number of the candidate, when it was measured and is correct."""
    parent: int | None = None
    """Number of the candidate that it was made of."""
    layer: str | None = None
    """The layer that was changed."""
    hashes: dict[str, str] = Field(default_factory=dict)
    """Hash of each layer of the text."""
    text: Said | None = None
    """The kernel text, canonical."""
    diff: str = ""
    """Unified difference to the parent's text."""
    setting: dict[str, int | float] = Field(default_factory=dict)
    """Value of each knob."""
    plan: PlanRecord | None = None
    """What was planned."""
    stage: str
    """How far it came: `no-plan`, `no-text`, `parse`, `layers`, `check`, `values`, `duplicate`, `checked`,
    `measured`, `accepted`; or `done` for a step without a text."""
    error: str = ""
    """The first complaint."""
    report: ReportRecord | None = None
    """Static feedback of the text."""
    time_ns: int | None = None
    """Median time of one run, when it was measured and is correct."""
    ratio: float | None = None
    """Time of the default baseline over it."""
    gain: float | None = None
    """Speed over that of the parent."""
    attributed: str | None = None
    """The layer that the gain belongs to; `swap` when layers of several candidates were combined."""
    authors: tuple[str, ...] = ()
    """Whose text it is."""
    conclusions: tuple[str, ...] = ()
    """What reflection kept after this step."""
    best: float | None = None
    """The best ratio so far, this one included."""
    budget: BudgetRecord
    """What had been used."""
    calls: tuple[ChatCall | TextCall, ...] = ()
    """Everything that was asked for this line, in order: what a replay needs."""


class StepBox(Record):
    """The place in ATIF where others put what is their own."""

    ekb: StepExtra
    """Ours."""


class ToolCall(Record):
    """A text put before a door, as ATIF names it."""

    tool_call_id: str
    """Its name in this file."""
    function_name: str
    """`check` or `measure`."""
    arguments: dict[str, JsonValue]
    """The hash of the text."""


class ObservationResult(Record):
    """What a door answered."""

    source_call_id: str
    """The call that it answers."""
    content: str
    """The answer."""


class Observation(Record):
    """What the doors answered in a step."""

    results: tuple[ObservationResult, ...]
    """One a call, in order."""


class StepMetrics(Record):
    """Tokens of a step."""

    prompt_tokens: int
    """Tokens read."""
    completion_tokens: int
    """Tokens written."""


class Step(Record):
    """One line: an ATIF step."""

    step_id: int
    """From 1, in order."""
    timestamp: str
    """UTC, ISO 8601."""
    source: Literal["system", "user", "agent"]
    """`agent` where anything was asked or submitted, `system` for what is only noted: as ATIF has it."""
    model_name: str | None = None
    """The model that was asked."""
    llm_call_count: int | None = None
    """Calls of the model for this step; 0 where the controller acted alone, None for a note."""
    message: str
    """What was said, or done, in words."""
    tool_calls: tuple[ToolCall, ...] | None = None
    """Texts that were checked or measured."""
    observation: Observation | None = None
    """What the doors answered."""
    metrics: StepMetrics | None = None
    """Tokens."""
    extra: StepBox
    """What is ours."""


class AtifAgent(Record):
    """Who was at work."""

    name: str
    """Name of the row."""
    version: str
    """Version of this package."""
    model_name: str | None = None
    """The model; None for agents without one."""


class HeadExtra(Record):
    """What this product says of an attempt beyond ATIF."""

    format: Literal["trajectory/1"] = "trajectory/1"
    """Name and version of this format."""
    attempt: str
    """Id of the attempt."""
    workload: str
    """Id of the workload."""
    target: str
    """`llvm`, `cuda` or `opencl`."""
    track: str
    """`write` or `optimise`."""
    profile: str
    """Name of the device profile."""
    settings: dict[str, JsonValue]
    """Settings of the agent."""
    task: dict[str, JsonValue]
    """The card, field by field."""
    budget: LeftRecord
    """Limits of the attempt."""


class HeadBox(Record):
    """The place for what is ours."""

    ekb: HeadExtra
    """Ours."""


class Head(Record):
    """The first line: ATIF's root without its steps."""

    schema_version: Literal["ATIF-v1.7"] = "ATIF-v1.7"
    """Version of ATIF."""
    session_id: str
    """Id of the attempt."""
    agent: AtifAgent
    """Who was at work."""
    extra: HeadBox
    """What is ours."""


class EndExtra(Record):
    """How an attempt ended."""

    reason: str
    """Why it ended: which limit, the bound, nothing left, or an answer."""
    answer: str | None
    """Hash of the text that was handed in; None when there was none."""
    authors: tuple[str, ...]
    """Whose text that is: `given`, `model`, `policy`, `tuner`."""
    best: float | None
    """Its ratio; None when it was not measured."""
    submissions: int
    """Measurements of the attempt."""
    calls: int
    """Calls of the model."""
    gains: dict[str, float]
    """Product of the accepted gains that belong to each layer."""


class EndBox(Record):
    """The place for what is ours."""

    ekb: EndExtra
    """Ours."""


class FinalMetrics(Record):
    """Totals, as ATIF has them."""

    total_prompt_tokens: int
    """Tokens read."""
    total_completion_tokens: int
    """Tokens written."""
    total_cost_usd: float | None = None
    """Money; None when the price is not known."""
    total_steps: int
    """Lines that are steps."""
    extra: EndBox
    """What is ours."""


class End(Record):
    """The last line."""

    final_metrics: FinalMetrics
    """Totals."""
