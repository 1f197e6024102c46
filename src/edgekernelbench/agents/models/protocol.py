"""What a language model is here: a request in, a reply out."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol


class Role(StrEnum):
    """Who says a message."""

    SYSTEM = "system"
    USER = "user"
    ASSISTANT = "assistant"


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a conversation."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Request:
    """One call of a model, with everything that shapes the answer.

    Attributes:
        messages: The conversation so far.
        max_tokens: The most tokens that the answer may have.
        temperature: Sampling temperature; None for the endpoint's default.
        seed: Seed of the sampling; None when the endpoint is not told one.
        grammar: A GBNF grammar that the answer must follow; None for free text.
        sample: Number of the repetition, so that equal requests are told apart.
    """

    messages: tuple[Message, ...]
    max_tokens: int = 4096
    temperature: float | None = None
    seed: int | None = None
    grammar: str | None = None
    sample: int = 0

    def as_json(self) -> Mapping[str, object]:
        """Give the request as plain values, for records and for hashing."""
        return {
            "messages": [{"role": str(m.role), "content": m.content} for m in self.messages],
            "max_tokens": self.max_tokens,
            "temperature": self.temperature,
            "seed": self.seed,
            "grammar": self.grammar,
            "sample": self.sample,
        }


class Stop(StrEnum):
    """Why a model stopped."""

    END = "end"
    LENGTH = "length"
    REFUSED = "refused"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one call.

    Attributes:
        input: Tokens read, those from a cache included.
        cached: Those of `input` that came from a cache.
        output: Tokens written, reasoning included.
        reasoning: Those of `output` that are not shown.
        estimated: Whether the endpoint counted nothing and these are estimates.
    """

    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    estimated: bool = False

    @property
    def total(self) -> int:
        """Tokens read and written: what a token budget counts."""
        return self.input + self.output

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input + other.input,
            self.cached + other.cached,
            self.output + other.output,
            self.reasoning + other.reasoning,
            self.estimated or other.estimated,
        )

    def as_json(self) -> Mapping[str, int]:
        """Give the counts by name."""
        return {
            "input": self.input,
            "cached": self.cached,
            "output": self.output,
            "reasoning": self.reasoning,
            "estimated": self.estimated,
        }


@dataclass(frozen=True, slots=True)
class Reply:
    """What a model answered.

    Attributes:
        text: The answer.
        usage: Tokens.
        stop: Why it stopped.
        latency_ns: From sending to the whole answer, retries included, by a monotonic clock.
        request_id: The provider's name for the call; empty when it gives none.
        model: The model that says it answered; may be more exact than the one asked for.
    """

    text: str
    usage: Usage = Usage()
    stop: Stop = Stop.END
    latency_ns: int = 0
    request_id: str = ""
    model: str = ""


class ChatModel(Protocol):
    """Anything that answers requests; safe to call from several threads."""

    @property
    def name(self) -> str:
        """The name under which its answers are recorded."""
        ...

    def complete(self, request: Request) -> Reply:
        """Answer one request.

        Args:
            request: What to answer.

        Returns:
            The reply; an answer that makes no sense is a reply too.

        Raises:
            ModelError: When the endpoint failed after its retries.
            PrerequisiteError: When a package, a key or a server is missing.
        """
        ...
