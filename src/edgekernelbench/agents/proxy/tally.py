"""What one answer says of tokens, read while it passes."""

from collections.abc import Mapping
from dataclasses import replace

from edgekernelbench.agents.models.counts import chat_usage, message_usage, response_usage
from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.agents.proxy.routes import Route
from edgekernelbench.agents.tokens import CHARS_PER_TOKEN

WRITTEN = frozenset(
    {"content", "text", "reasoning_content", "refusal", "thinking", "partial_json", "arguments", "delta"}
)
"""Fields with what a model wrote, in any of the languages."""


LAST = ("message_stop", "response.completed", "response.incomplete", "response.failed")
"""Types of the pieces that come last."""


class Tally:
    """The count of one answer.

    Args:
        route: In which language it is.

    Attributes:
        model: The model that says it answers.
        request_id: Its name for the call.
        error: What went wrong in the middle of a stream; empty where nothing did.
        ended: Whether the last piece was seen, after which some clients do not wait for the end.
    """

    def __init__(self, route: Route) -> None:
        self.model = self.request_id = self.error = ""
        self.ended = False
        self._route = route
        self._counted: Usage | None = None
        self._fields: dict[str, object] = {}
        self._whole = False
        self._written = 0

    def read_reply(self, row: object) -> None:
        """Read an answer that came in one piece."""
        if isinstance(row, Mapping):
            self._name(row)
            self._count(row.get("usage"), whole=True)
            self._written += _written(row)

    def read_event(self, row: object) -> None:
        """Read one piece of an answer."""
        if not isinstance(row, Mapping):
            return
        inner = {Route.RESPONSES: "response", Route.MESSAGES: "message"}.get(self._route, "")
        body = row.get(inner)
        message = body if isinstance(body, Mapping) else row
        self._name(message)
        # Only the piece at the end has Anthropic's count of what was written.
        self._count(
            message.get("usage"),
            whole=self._route is not Route.MESSAGES or row.get("type") == "message_delta",
        )
        if body is None:
            self._written += _written(row)
        self.ended = row.get("type") in LAST
        error = row.get("error") or message.get("error")
        if error:
            self.error = str(error.get("message", error)) if isinstance(error, Mapping) else str(error)

    def usage(self, prompt: int) -> Usage:
        """Give the tokens.

        Args:
            prompt: Estimated length of the request, for endpoints that do not say.

        Returns:
            What the endpoint says; an estimate where it did not come to say so.
        """
        if self._counted is not None and self._whole:
            return self._counted
        known = self._counted or Usage(input=prompt)
        seen = -(-self._written // CHARS_PER_TOKEN)
        return replace(known, output=max(known.output, seen), estimated=True)

    def _name(self, row: Mapping[object, object]) -> None:
        for field, key in (("model", "model"), ("request_id", "id")):
            value = row.get(key)
            if isinstance(value, str) and value:
                setattr(self, field, value)

    def _count(self, row: object, *, whole: bool) -> None:
        if not isinstance(row, Mapping):
            return
        # A stream of Anthropic's says the input at its beginning and the output at its end.
        self._fields.update({str(key): value for key, value in row.items() if value is not None})
        match self._route:
            case Route.CHAT:
                counted = chat_usage(self._fields)
            case Route.RESPONSES:
                counted = response_usage(self._fields)
            case _:
                counted = message_usage(self._fields)
        if counted is not None:
            self._counted, self._whole = counted, self._whole or whole


def _written(value: object, *, inside: bool = False) -> int:
    """Count the characters that a model wrote."""
    match value:
        case str():
            return len(value) if inside else 0
        case list():
            return sum(_written(part, inside=inside) for part in value)
        case Mapping():
            return sum(_written(part, inside=str(key) in WRITTEN) for key, part in value.items())
        case _:
            return 0
