"""One kernel text by one agent for one workload."""

from enum import StrEnum
from typing import Any, Literal

from pydantic import Field, SerializerFunctionWrapHandler, model_serializer

from edgekernelbench.records.schema import Record


class Ending(StrEnum):
    """How an agent's work on an attempt ended."""

    ANSWERED = "answered"
    NO_TEXT = "no-text"
    """The reply held no kernel text: an attempt that counts."""
    BUDGET = "budget"
    """A limit was reached; the best text so far, if any, counts."""
    LOST = "lost"
    """The agent's model or device failed: the attempt is unjudged and made again on resume."""


class Usage(Record):
    """What an attempt cost the agent."""

    calls: int = 0
    """Model calls, malformed ones included."""
    input_tokens: int = 0
    """Tokens read by the model."""
    output_tokens: int = 0
    """Tokens written by the model."""
    submissions: int = 0
    """Measurements on the device."""
    checks: int = 0
    """Free checks."""
    wall_ms: int = 0
    """Elapsed time."""
    estimated: bool = False
    """Whether tokens of some calls are estimates, for the endpoint did not count; left out where none are."""

    @model_serializer(mode="wrap")
    def _leave_out_what_is_counted(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write `estimated` only where it holds, so that other records are what they always were."""
        fields: dict[str, Any] = write(self)
        return {name: value for name, value in fields.items() if value or name != "estimated"}


class Visit(Record):
    """How a command-line agent from elsewhere worked on an attempt."""

    program: str
    """What it says of its version, one line; empty when it says nothing."""
    confined: bool
    """Whether it saw only what it was shown; an attempt without that is never in a comparison."""
    end: Literal["left", "wall", "idle", "flooded"]
    """Why it ended: by itself, after too long, for nothing was heard of it, for it wrote too much."""
    status: int | None
    """Its exit status, negative for a signal; None when it was ended."""
    canaries: tuple[str, ...] = ()
    """What it read that it must not, by name; empty as far as is known."""
    steps: int | None = None
    """Steps that its transcript tells of; None when it could not be read."""
    said_tokens: tuple[int, int] | None = None
    """Tokens read and written as it says itself, beside those counted; None when it says nothing."""
    said: str = ""
    """How its transcript says that it ended."""
    wall_ms: int = 0
    """How long it was there."""


class Attempt(Record):
    """One kernel text by one agent for one workload, as stored in `attempts.jsonl`."""

    version: Literal["attempt/1"] = Field(default="attempt/1", alias="schema")
    id: str
    """`agent/workload/number`, unique in the run."""
    agent: str
    """Name of the agent."""
    workload: str
    """Id of the workload."""
    number: int
    """Which of the k attempts, from 0."""
    ending: Ending
    """How the work ended."""
    text: str | None
    """Artifact hash of the kernel text; None when there is none."""
    detail: str = ""
    """What went wrong, when something did."""
    steps: tuple[str, ...] = ()
    """Artifact hashes of what the agent recorded, in order: prompts, replies, plans."""
    usage: Usage = Usage()
    """What it cost."""
    visit: Visit | None = None
    """How a command-line agent worked; None for others, and left out there."""
    trajectory: str | None = None
    """SHA-256 of the file `trajectories/ID.jsonl`; None in runs of older releases, and left out there."""

    @model_serializer(mode="wrap")
    def _leave_out_what_there_is_not(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write nothing of what there is not, so that such records are what they always were."""
        fields: dict[str, Any] = write(self)
        return {name: value for name, value in fields.items() if value or name not in ("trajectory", "visit")}


def attempt_id(agent: str, workload: str, number: int) -> str:
    """Name an attempt.

    Args:
        agent: Name of the agent.
        workload: Id of the workload.
        number: Which of the k attempts, from 0.

    Returns:
        The id, unique in a run.
    """
    return f"{agent}/{workload}/{number}"
