"""Reading what agents say of themselves: steps, tokens, how it ended. Nothing rests on it."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, assert_never

from edgekernelbench.bench.visits.recipe import Reading

MOST_CHARS = 200
"""Of how it ended."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """What a transcript tells.

    Attributes:
        steps: How many steps; None when it does not tell.
        tokens: Tokens read and written; None when it does not tell.
        end: How it says that it ended.
        fault: What was missing from the start, which is no fault of the agent; empty when nothing was.
    """

    steps: int | None = None
    tokens: tuple[int, int] | None = None
    end: str = ""
    fault: str = ""


def read_transcript(reading: Reading, text: str) -> Transcript:
    """Read a transcript.

    Args:
        reading: What it is written in.
        text: All of it, or what is left of it.

    Returns:
        What it tells; nothing when it cannot be read.
    """
    match reading.form:
        case "none":
            return Transcript()
        case "claude-stream-json":
            return _stream(_objects(text.splitlines()))
        case "mini-swe-agent":
            return _mini(_object(text))
        case _:
            assert_never(reading.form)


def _stream(rows: Iterable[dict[str, Any]]) -> Transcript:
    """Read Claude Code's lines; the last of the type `result` has the totals, if it came that far."""
    turns, tokens, end, fault = 0, (0, 0), "", ""
    counted: dict[str, tuple[int, int]] = {}
    for row in rows:
        match row:
            case {"type": "assistant", "message": {"id": str(name), "usage": dict(usage)}}:
                # One message is several lines, each with the usage of all of it.
                counted[name] = _tokens(usage)
            case {"type": "system", "subtype": "init", "mcp_servers": list(servers)}:
                fault = _failed_servers(servers)
            case {"type": "result", **rest}:
                end = _ending(rest)
                turns = _number(rest.get("num_turns"))
                if isinstance(total := rest.get("usage"), dict):
                    tokens = _tokens(total)
            case _:
                continue
    if not counted and not end:
        return Transcript(fault=fault)
    if not end:
        tokens = sum(t[0] for t in counted.values()), sum(t[1] for t in counted.values())
    said = (end or "its stream has no end")[:MOST_CHARS]
    return Transcript(turns or len(counted), tokens, said, fault)


def _ending(row: dict[str, Any]) -> str:
    """Say how it ended: where its model refused, Claude Code says `success`, and `is_error` beside it."""
    end = str(row.get("subtype") or "")
    return f"error: {row.get('result')}" if end == "success" and row.get("is_error") is True else end


def _failed_servers(servers: list[Any]) -> str:
    """Name the servers whose tools an agent did not get: some start without waiting for them."""
    failed = [str(s.get("name")) for s in servers if isinstance(s, dict) and s.get("status") == "failed"]
    return f"it did not reach its server {', '.join(failed)}"[:MOST_CHARS] if failed else ""


def _mini(row: dict[str, Any] | None) -> Transcript:
    """Read mini-swe-agent's trajectory, whose format names itself."""
    if row is None or not str(row.get("trajectory_format", "")).startswith("mini-swe-agent-1"):
        return Transcript()
    messages = row.get("messages")
    read = written = 0
    for message in messages if isinstance(messages, list) else ():
        match message:
            case {"extra": {"response": {"usage": dict(usage)}}}:
                read += _number(usage.get("prompt_tokens"))
                written += _number(usage.get("completion_tokens"))
            case _:
                continue
    info = row.get("info")
    facts: dict[str, Any] = info if isinstance(info, dict) else {}
    stats = facts.get("model_stats")
    steps = _number(stats.get("api_calls")) if isinstance(stats, dict) else None
    return Transcript(steps, (read, written), str(facts.get("exit_status") or "")[:MOST_CHARS])


def _tokens(usage: dict[str, Any]) -> tuple[int, int]:
    cached = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    return sum(_number(usage.get(name)) for name in cached), _number(usage.get("output_tokens"))


def _number(value: object) -> int:
    """Take a count; what an agent writes instead of one is none."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 53 else 0


def _objects(lines: Iterable[str]) -> Iterable[dict[str, Any]]:
    for line in lines:
        row = _object(line)
        if row is not None:
            yield row


def _object(text: str) -> dict[str, Any] | None:
    try:
        row = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return row if isinstance(row, dict) else None
