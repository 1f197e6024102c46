"""From a call that the proxy saw to the request and reply of our records."""

import json
import math
from collections.abc import Iterable, Iterator
from typing import Any

from edgekernelbench.agents.models.protocol import Message, Reply, Request, Role, Usage

ROLES = {"system": Role.SYSTEM, "developer": Role.SYSTEM, "assistant": Role.ASSISTANT}
"""Everything else, such as what tools answered, is said to the model."""


def as_request(body: bytes) -> Request:
    """Read a request of either API, for the record; what is no text is written as JSON."""
    row = _object(body)
    system = _text(row.get("system"))
    messages = [Message(Role.SYSTEM, system)] if system else []
    given = row.get("messages", row.get("input"))
    for turn in [given] if isinstance(given, str) else given if isinstance(given, list) else []:
        role = ROLES.get(str(turn.get("role")), Role.USER) if isinstance(turn, dict) else Role.USER
        messages.append(Message(role, _turn_text(turn)))
    most = row.get("max_tokens", row.get("max_completion_tokens", row.get("max_output_tokens")))
    heat = row.get("temperature")
    return Request(
        tuple(messages),
        max_tokens=most if isinstance(most, int) else 0,
        temperature=float(heat) if isinstance(heat, int | float) and math.isfinite(heat) else None,
    )


def as_reply(body: bytes, usage: Usage, *, model: str, latency_ns: int) -> Reply:
    """Read a reply of either API, whole or in pieces, for the record."""
    row = _object(body)
    text = _whole_text(row) if row else "".join(_piece_texts(_events(body)))
    return Reply(text, usage, latency_ns=latency_ns, model=model)


def _whole_text(row: dict[str, Any]) -> str:
    match row:
        case {"choices": [{"message": dict(message)}, *_]}:
            return _turn_text(message)
        case {"content": content} | {"output": content} | {"error": content}:
            return _text(content)
        case _:
            return json.dumps(row)


def _piece_texts(events: Iterable[dict[str, Any]]) -> Iterator[str]:
    for event in events:
        match event:
            case {"choices": [{"delta": {"tool_calls": [{"function": dict(called)}, *_]}}, *_]}:
                yield f"{called.get('name') or ''}{called.get('arguments') or ''}"
            case {"choices": [{"delta": {"content": str(text)}}, *_]}:
                yield text
            case {"delta": {"text": str(text)} | {"partial_json": str(text)}}:
                yield text
            case {"content_block": {"type": "tool_use", "name": name}}:
                yield f"\n{name} "
            case {"delta": str(text)}:
                yield text
            case _:
                continue


def _turn_text(turn: object) -> str:
    if not isinstance(turn, dict):
        return _text(turn)
    calls = turn.get("tool_calls")
    parts = [_text(turn.get("content")), *(json.dumps(c) for c in (calls if isinstance(calls, list) else ()))]
    return "\n".join(part for part in parts if part)


def _text(content: object) -> str:
    """Give the text of a content: a string, or a list of blocks."""
    match content:
        case None:
            return ""
        case str():
            return content
        case list():
            return "\n".join(_text(block) for block in content)
        case {"text": str(text)}:
            return text
        case {"type": "tool_result", "content": inner}:
            return _text(inner)
        case _:
            return json.dumps(content)


def _events(body: bytes) -> Iterator[dict[str, Any]]:
    for line in body.decode("utf-8", "replace").splitlines():
        if line.startswith("data:"):
            row = _object(line[5:].encode())
            if row:
                yield row


def _object(body: bytes) -> dict[str, Any]:
    try:
        row = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return row if isinstance(row, dict) else {}
