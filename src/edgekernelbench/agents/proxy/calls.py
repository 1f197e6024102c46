"""One call of a model as the proxy saw it."""

from dataclasses import dataclass, field
from enum import StrEnum

from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.agents.proxy.routes import Route


class Fate(StrEnum):
    """What became of a call."""

    ANSWERED = "answered"
    CANCELLED = "cancelled"
    """The agent went away before the answer was whole, or the proxy was closed."""
    BROKEN = "broken"
    """The endpoint went away in the middle of an answer."""
    FAILED = "failed"
    """The endpoint answered with an error, or could not be reached; the agent was told just that."""
    REFUSED = "refused"
    """It went nowhere: the token, the path, the body or the budget did not allow it."""


@dataclass(frozen=True, slots=True)
class Call:
    """One call. Every try of an agent's client is one: nothing is tried again here.

    Attributes:
        route: What was called; None for a path that there is not.
        fate: What became of it.
        status: The HTTP status that the agent got; 0 when it got none.
        asked: The model that the agent named.
        model: The model that says it answered.
        usage: Tokens; estimated where the endpoint did not say, or was not heard to the end.
        streamed: Whether the answer came in pieces.
        latency_ns: From the request to its end, by a monotonic clock.
        retry: Which further try of the agent's client it was, where the client says so; 0 for the first.
        request_id: The provider's name for the call; empty when it gives none.
        dropped: What was taken out of the request, such as a tool that the provider would have run.
        request: The body as it was sent to the endpoint.
        reply: The body as it came back, all pieces of it.
        error: Why there was no answer; empty when there was one.
    """

    route: Route | None
    fate: Fate
    status: int = 0
    asked: str = ""
    model: str = ""
    usage: Usage = field(default_factory=Usage)
    streamed: bool = False
    latency_ns: int = 0
    retry: int = 0
    request_id: str = ""
    dropped: tuple[str, ...] = ()
    request: bytes = field(default=b"", repr=False)
    reply: bytes = field(default=b"", repr=False)
    error: str = ""

    @property
    def counts(self) -> bool:
        """Whether the account of the attempt counts it: the model was at work for it."""
        return self.route not in (None, Route.COUNT) and self.fate in (
            Fate.ANSWERED,
            Fate.CANCELLED,
            Fate.BROKEN,
        )

    def as_json(self) -> dict[str, object]:
        """Give it as plain values, without the bodies."""
        return {
            "route": self.route,
            "fate": self.fate,
            "status": self.status,
            "asked": self.asked,
            "model": self.model,
            "usage": self.usage.as_json(),
            "counts": self.counts,
            "streamed": self.streamed,
            "latency_ns": self.latency_ns,
            "retry": self.retry,
            "request_id": self.request_id,
            "dropped": list(self.dropped),
            "error": self.error,
        }
