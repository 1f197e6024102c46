"""Anthropic's messages, and servers that speak them."""

import time
from collections.abc import Callable
from threading import BoundedSemaphore

import anthropic
from anthropic.types import MessageParam, TextBlockParam

from edgekernelbench.agents.models.counts import message_usage
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.protocol import Message, Reply, Request, Role, Stop, Usage
from edgekernelbench.base.errors import ModelError, PrerequisiteError

STOPS = {
    "end_turn": Stop.END,
    "stop_sequence": Stop.END,
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}
QUOTED_CHARS = 200


class AnthropicEndpoint:
    """Asks Anthropic's API; the system message is marked for its cache.

    Attributes:
        name: The name under which its answers are recorded.
    """

    def __init__(
        self,
        model: str,
        endpoint: Endpoint,
        *,
        name: str = "",
        clock: Callable[[], int] = time.monotonic_ns,
    ) -> None:
        self.name = name or model
        self._model = model
        self._clock = clock
        self._slots = BoundedSemaphore(endpoint.concurrency)
        self._client = anthropic.Anthropic(
            base_url=endpoint.base_url,
            api_key=endpoint.api_key or ("none" if endpoint.base_url else None),
            timeout=endpoint.timeout_s,
            max_retries=endpoint.retries,
        )
        if self._client.api_key is None and self._client.auth_token is None:
            raise PrerequisiteError(f"no key for {self.name!r}", "set EKB_API_KEY or ANTHROPIC_API_KEY")

    def complete(self, request: Request) -> Reply:
        """Ask, with the client's retries.

        Raises:
            ModelError: When every try failed, or the answer is no message.
            PrerequisiteError: When a grammar is asked for, which this API does not take.
        """
        if request.grammar is not None:
            raise PrerequisiteError(
                f"{self.name!r} cannot be held to a grammar", "leave --grammar out, or use a llama.cpp server"
            )
        with self._slots:
            before = self._clock()
            try:
                raw = self._client.messages.with_raw_response.create(
                    model=self._model,
                    max_tokens=request.max_tokens,
                    system=_system(request.messages),
                    messages=_turns(request.messages),
                    extra_body=_extra(request),
                )
                message = raw.parse()
            except (anthropic.AnthropicError, ValueError) as error:
                text = str(error)[:QUOTED_CHARS]
                raise ModelError(f"{self.name!r} did not answer: {text}") from error
            latency = self._clock() - before
        if not isinstance(message, anthropic.types.Message) or message.content is None:
            raise ModelError(f"{self.name!r} answered with no message")
        return _reply(message, raw.headers.get("request-id") or message.id or "", latency)


def _reply(message: anthropic.types.Message, request_id: str, latency: int) -> Reply:
    return Reply(
        text="".join(block.text for block in message.content if block.type == "text"),
        usage=message_usage(message.usage.model_dump()) or Usage(),
        stop=STOPS.get(str(message.stop_reason), Stop.OTHER),
        latency_ns=latency,
        request_id=request_id,
        model=message.model,
    )


def _extra(request: Request) -> dict[str, float] | None:
    # Not among the client's arguments: newer models refuse it, servers that speak the same language take it.
    return None if request.temperature is None else {"temperature": request.temperature}


def _system(messages: tuple[Message, ...]) -> list[TextBlockParam]:
    texts = [m.content for m in messages if m.role is Role.SYSTEM]
    return [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}} for text in texts]


def _turns(messages: tuple[Message, ...]) -> list[MessageParam]:
    turns: list[MessageParam] = []
    for message in messages:
        if message.role is Role.USER:
            turns.append({"role": "user", "content": message.content})
        elif message.role is Role.ASSISTANT:
            turns.append({"role": "assistant", "content": message.content})
    return turns
