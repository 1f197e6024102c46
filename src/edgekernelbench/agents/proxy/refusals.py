"""How the proxy says no: as the API would that the agent thinks it is talking to."""

from dataclasses import dataclass

from starlette.responses import JSONResponse

from edgekernelbench.agents.proxy.routes import Wire

STOP_TRYING = {"x-should-retry": "false"}
"""Both official clients heed it."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """A no.

    Attributes:
        status: The HTTP status.
        kind: The type of error, as Anthropic's API names it.
        code: The code of the error, as OpenAI's API has it beside the type.
        message: What was expected, what was found.
    """

    status: int
    kind: str
    code: str
    message: str

    def response(self, wire: Wire) -> JSONResponse:
        """Write it in the language of an API."""
        body: dict[str, object]
        match wire:
            case Wire.OPENAI:
                error = {"message": self.message, "type": self.kind, "param": None, "code": self.code}
                body = {"error": error}
            case Wire.ANTHROPIC:
                body = {"type": "error", "error": {"type": self.kind, "message": self.message}}
        # What may be better in a moment is what the endpoint failed in; the rest stays as it is.
        headers = {} if self.status >= 500 else STOP_TRYING
        return JSONResponse(body, self.status, headers)


def no_token() -> Refusal:
    """Say that the token is missing or wrong."""
    return Refusal(
        401, "authentication_error", "invalid_api_key", "expected the token of this proxy as the API key"
    )


def no_route(path: str) -> Refusal:
    """Say that there is nothing at a path."""
    known = "/v1/chat/completions, /v1/responses, /v1/messages and /v1/models"
    return Refusal(404, "not_found_error", "unknown_url", f"no {path} here; there are {known}")


def not_spoken(wire: Wire, model: str) -> Refusal:
    """Say that the endpoint of the model speaks another language."""
    other = {Wire.OPENAI: "Anthropic's messages", Wire.ANTHROPIC: "OpenAI's chat completions"}[wire]
    message = f"the endpoint of {model!r} speaks {other} alone; set the agent to that, or name another model"
    return Refusal(404, "not_found_error", "unknown_url", message)


def spent(reason: str) -> Refusal:
    """Say that the budget is used up.

    Not 429: clients would try again for minutes.
    """
    message = f"{reason}; no further call of the model is possible, the best that was measured counts"
    return Refusal(403, "permission_error", "budget_spent", message)


def no_request(reason: str) -> Refusal:
    """Say that a body is no request."""
    return Refusal(400, "invalid_request_error", "invalid_request", reason)


def too_long(limit: int) -> Refusal:
    """Say that a body is too long."""
    message = f"expected at most {limit:,} B, found more"
    return Refusal(413, "request_too_large", "request_too_large", message)


def unreachable(reason: str, *, timed_out: bool) -> Refusal:
    """Say that the endpoint gave no answer."""
    if timed_out:
        return Refusal(
            504, "timeout_error", "timeout", f"the model's endpoint did not answer in time: {reason}"
        )
    return Refusal(502, "api_error", "unreachable", f"the model's endpoint could not be reached: {reason}")
