"""From what agents do to the records of a trajectory, and back."""

import difflib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from importlib.metadata import version

from pydantic import JsonValue

from edgekernelbench.agents.protocol import Left, Shot, Task, Track
from edgekernelbench.records.schema import storable
from edgekernelbench.records.trajectory import (
    AtifAgent,
    Head,
    HeadBox,
    HeadExtra,
    LeftRecord,
    Observation,
    ObservationResult,
    Step,
    StepBox,
    StepExtra,
    StepMetrics,
    ToolCall,
)


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who makes an attempt.

    Attributes:
        agent: Name of the row.
        model: Name of its model; None for agents without one.
        attempt: Id of the attempt.
        profile: Name of the device profile.
        settings: Settings of the agent, as a replay needs them.
    """

    agent: str
    model: str | None
    attempt: str
    profile: str
    settings: Mapping[str, JsonValue] = field(default_factory=dict)


def make_head(entrant: Entrant, task: Task, budget: Left) -> Head:
    """Write the first line of a trajectory.

    Args:
        entrant: Who is at work.
        task: The card.
        budget: All that may be used.
    """
    return Head(
        session_id=entrant.attempt,
        agent=AtifAgent(name=entrant.agent, version=version("edgekernelbench"), model_name=entrant.model),
        extra=HeadBox(
            ekb=HeadExtra(
                attempt=entrant.attempt,
                workload=task.workload,
                target=task.target,
                track=str(task.track),
                profile=entrant.profile,
                settings=dict(entrant.settings),
                task=task_as_json(task),
                budget=left_record(budget),
            )
        ),
    )


def task_as_json(task: Task) -> dict[str, JsonValue]:
    """Give a card field by field, for the head of a trajectory."""
    values = asdict(task)
    if task.written_in == "kernel":
        del values["written_in"]  # as in all records before there was another language
    return {**values, "track": str(task.track), "shots": [asdict(shot) for shot in task.shots]}


def task_from_json(row: dict[str, JsonValue]) -> Task:
    """Read a card back from the head of a trajectory."""
    shots = row["shots"]
    turns = (
        tuple(Shot(str(s["prompt"]), str(s["answer"])) for s in shots if isinstance(s, dict))
        if isinstance(shots, list)
        else ()
    )
    start = row["start"]
    words = {
        n: str(row[n])
        for n in ("workload", "target", "system", "prompt", "signature", "language", "examples", "device")
    }
    return Task(
        track=Track(str(row["track"])),
        start=None if start is None else str(start),
        sample=int(str(row["sample"])),
        shots=turns,
        written_in="c" if row.get("written_in") == "c" else "kernel",
        **words,
    )


def left_from_record(left: LeftRecord) -> Left:
    """Read what is left back from a record."""
    return Left(left.submissions, left.tokens, left.money, left.seconds, left.calls)


def left_record(left: Left) -> LeftRecord:
    """Give what is left as a record."""
    return LeftRecord(
        submissions=left.submissions,
        tokens=left.tokens,
        calls=left.calls,
        money=left.money,
        seconds=left.seconds,
    )


def diff_of(before: str, after: str) -> str:
    """Give the unified difference of two texts; empty when one is empty."""
    if not before or not after or before == after:
        return ""
    lines = difflib.unified_diff(before.splitlines(), after.splitlines(), "parent", "child", lineterm="", n=1)
    return "\n".join(lines)


def make_step(number: int, now: str, model: str | None, message: str, ours: StepExtra) -> Step:
    """Make ATIF's step of ours.

    Args:
        number: Of the line, from 1.
        now: The time.
        model: Name of the model.
        message: What was done.
        ours: What this product says of it.
    """
    texts = [call for call in ours.calls if call.door != "chat"]
    chats = [call for call in ours.calls if call.door == "chat"]
    names = [f"{number}.{place}" for place in range(1, len(texts) + 1)]
    calls = tuple(
        ToolCall(tool_call_id=name, function_name=call.door, arguments={"text": call.source.digest})
        for name, call in zip(names, texts, strict=True)
    )
    results = tuple(
        ObservationResult(source_call_id=name, content=call.reply)
        for name, call in zip(names, texts, strict=True)
    )
    said = "\n\n".join([message, *(call.reply for call in chats)])
    return Step(
        step_id=number,
        timestamp=now,
        source="agent" if ours.calls else "system",
        model_name=model if chats else None,
        llm_call_count=len(chats) if ours.calls else None,
        message=storable(said),
        tool_calls=calls or None,
        observation=Observation(results=results) if results else None,
        metrics=StepMetrics(
            prompt_tokens=sum(call.input_tokens for call in chats),
            completion_tokens=sum(call.output_tokens for call in chats),
        )
        if chats
        else None,
        extra=StepBox(ekb=ours),
    )
