"""What becomes of a request before it goes on: the model, the length of the answer, and what is taken out."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Self

from pydantic import JsonValue

from edgekernelbench.agents.proxy.routes import Route, Wire
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.agents.tokens import CHARS_PER_TOKEN

UNSAID_ANSWER = 16_384
"""The longest answer that every current model gives: with less than that left, an answer gets a limit even if
the agent named none; with more, a limit could be one that the model refuses."""

LEAST_THINKING = 1024
"""The least that Anthropic's API takes for thinking."""

LEAST_RESPONSE = 16
"""The least that OpenAI's newer API takes for an answer."""

OWN_TOOLS = {
    Wire.OPENAI: ("function", "custom", "local_shell", "apply_patch"),
    Wire.ANTHROPIC: ("custom", "bash_", "text_editor_", "computer_", "memory_", "tool_search_tool_"),
}
"""Kinds of tools that the agent runs itself, on this machine; a `_` at the end stands for any version."""

DROPPED_FIELDS = (
    "background", "container", "fallbacks", "mcp_servers", "models", "plugins", "provider", "service_tier",
    "speed", "web_search_options",
)  # fmt: skip
"""Fields that would let another model answer, or at another price; let the provider run something; or hide
what was used."""


class BadRequest(ValueError):  # noqa: N818 - the name that the APIs give it
    """A body that is no request."""


@dataclass(frozen=True, slots=True)
class Asked:
    """A request of an agent.

    Attributes:
        route: What is called.
        row: Its body, without what is taken out.
        model: The model that the agent named.
        streamed: Whether it wants the answer in pieces.
        shows_usage: Whether it asked for tokens at the end of the pieces.
        dropped: What was taken out.
        prompt: Estimated tokens of the request.
        retry: Which further try of the agent's client it is.
        query: What came after the `?`.
        headers: Headers that go on.
    """

    route: Route
    row: Mapping[str, JsonValue] = field(repr=False)
    model: str = ""
    streamed: bool = False
    shows_usage: bool = False
    dropped: tuple[str, ...] = ()
    prompt: int = 0
    retry: int = 0
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def wanted(self) -> int | None:
        """The most tokens that the answer may have, by the agent; None when it does not say."""
        named = [self.row.get(name) for name in _limits(self.route)]
        found = [value for value in named if isinstance(value, int)]
        return min(found) * _answers(self.row) if found else None

    def sent(self, headers: Mapping[str, str], *, query: str, retry: int) -> Self:
        """Add how it was sent."""
        return replace(self, headers=headers, query=query, retry=retry)


def read_request(route: Route, body: bytes) -> Asked:
    """Read what an agent asks, and take out what would lead round the proxy.

    Raises:
        BadRequest: When it is no JSON object.
    """
    try:
        row = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BadRequest(f"expected a JSON object, found something else: {error}") from error
    if not isinstance(row, dict):
        raise BadRequest(f"expected a JSON object, found {type(row).__name__}")
    dropped = [name for name in DROPPED_FIELDS if row.pop(name, None)]
    dropped += _drop_tools(row, OWN_TOOLS[route.wire])
    dropped += [name for name in ("n", *_limits(route)) if not _is_plain(row.get(name)) and row.pop(name)]
    options = row.get("stream_options")
    return Asked(
        route=route,
        row=row,
        model=str(row.get("model") or ""),
        streamed=row.get("stream") is True,
        shows_usage=isinstance(options, dict) and options.get("include_usage") is True,
        dropped=tuple(dropped),
        prompt=-(-len(body) // CHARS_PER_TOKEN),
    )


def write_request(asked: Asked, upstream: Upstream, room: int | None) -> bytes | None:
    """Write what goes to the endpoint.

    Args:
        asked: What the agent asks.
        upstream: The endpoint, with its model.
        room: The most tokens that the answer may have; None for no limit.

    Returns:
        The body; None when the room does not hold the least that the API takes.
    """
    row: dict[str, JsonValue] = {**asked.row, "model": upstream.model}
    if asked.route is Route.CHAT and asked.streamed:
        options = row.get("stream_options")
        row["stream_options"] = {**(options if isinstance(options, dict) else {}), "include_usage": True}
    if room is not None and asked.route is not Route.COUNT and not _limit_answer(row, asked, upstream, room):
        return None
    return json.dumps(row).encode()


def _limit_answer(row: dict[str, JsonValue], asked: Asked, upstream: Upstream, room: int) -> bool:
    """Hold the answer to the room; say whether that can be."""
    most = max(1, room // _answers(row))
    if asked.route is Route.RESPONSES:
        most = max(most, LEAST_RESPONSE)
    named = [name for name in _limits(asked.route) if isinstance(row.get(name), int)]
    for name in named:
        row[name] = min(most, _whole(row[name]))
    if not named and most < UNSAID_ANSWER:
        own = upstream.needs_max_completion_tokens
        row[_limits(asked.route)[0 if asked.route is not Route.CHAT or own else 1]] = most
    thinking = row.get("thinking")
    if asked.route is not Route.MESSAGES or not isinstance(thinking, dict):
        return True
    limit = _whole(row.get("max_tokens"))
    if _whole(thinking.get("budget_tokens")) < limit:
        return True
    row["thinking"] = {**thinking, "budget_tokens": limit - 1}
    return limit > LEAST_THINKING


def _limits(route: Route) -> tuple[str, ...]:
    match route:
        case Route.CHAT:
            return ("max_completion_tokens", "max_tokens")
        case Route.RESPONSES:
            return ("max_output_tokens",)
        case _:
            return ("max_tokens",)


def _answers(row: Mapping[str, JsonValue]) -> int:
    """Give how many answers are asked for at once."""
    return max(1, _whole(row.get("n")))


def _is_plain(value: object) -> bool:
    """Whether the proxy reads a number as the endpoint does, who may take `4.0` and `"4"` for 4."""
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _drop_tools(row: dict[str, JsonValue], own: tuple[str, ...]) -> list[str]:
    tools = row.get("tools")
    if not isinstance(tools, list):
        return []
    kept, dropped = [], []
    for tool in tools:
        kind = str(tool.get("type") or "custom") if isinstance(tool, dict) else "custom"
        if any(kind.startswith(name) if name.endswith("_") else kind == name for name in own):
            kept.append(tool)
        else:
            dropped.append(kind)
    if dropped:
        row["tools"] = kept
        if not kept:
            del row["tools"]
            row.pop("tool_choice", None)
    return dropped
