"""What the APIs say of tokens, in their JSON: one function for each way to ask a model."""

from collections.abc import Mapping

from edgekernelbench.agents.models.protocol import Usage


def chat_usage(row: object) -> Usage | None:
    """Read the `usage` of a chat completion; None when it counts nothing."""
    if not isinstance(row, Mapping) or not isinstance(row.get("prompt_tokens"), int):
        return None
    return Usage(
        input=row["prompt_tokens"],
        cached=_part(row, "prompt_tokens_details", "cached_tokens"),
        output=_count(row, "completion_tokens"),
        reasoning=_part(row, "completion_tokens_details", "reasoning_tokens"),
    )


def response_usage(row: object) -> Usage | None:
    """Read the `usage` of a response of OpenAI's newer API; None when it counts nothing."""
    if not isinstance(row, Mapping) or not isinstance(row.get("input_tokens"), int):
        return None
    return Usage(
        input=row["input_tokens"],
        cached=_part(row, "input_tokens_details", "cached_tokens"),
        output=_count(row, "output_tokens"),
        reasoning=_part(row, "output_tokens_details", "reasoning_tokens"),
    )


def message_usage(row: object) -> Usage | None:
    """Read the `usage` of a message of Anthropic's API; None when it counts nothing.

    There, `input_tokens` are those that neither came from the cache nor went to it.
    """
    if not isinstance(row, Mapping) or not isinstance(row.get("input_tokens"), int):
        return None
    cached = _count(row, "cache_read_input_tokens")
    return Usage(
        input=row["input_tokens"] + cached + _count(row, "cache_creation_input_tokens"),
        cached=cached,
        output=_count(row, "output_tokens"),
        reasoning=_part(row, "output_tokens_details", "thinking_tokens"),
    )


def _part(row: Mapping[object, object], details: str, key: str) -> int:
    parts = row.get(details)
    return _count(parts, key) if isinstance(parts, Mapping) else 0


def _count(row: Mapping[object, object], key: str) -> int:
    value = row.get(key)
    return value if isinstance(value, int) else 0
