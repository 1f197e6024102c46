"""Any endpoint that speaks OpenAI's chat completions: paid ones, local servers, gateways."""

import json
import time
from collections.abc import Callable, Mapping
from threading import BoundedSemaphore
from urllib.parse import urlsplit

import openai
from openai.types.chat import ChatCompletionMessageParam

from edgekernelbench.agents.models.counts import chat_usage
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.protocol import Message, Reply, Request, Role, Stop, Usage
from edgekernelbench.agents.tokens import estimate_tokens
from edgekernelbench.base.errors import ModelError, PrerequisiteError

STOPS = {"stop": Stop.END, "length": Stop.LENGTH, "content_filter": Stop.REFUSED}
TOO_LONG = ("context_length_exceeded", "exceed_context_size_error")
"""How OpenAI and llama.cpp say that a prompt does not fit."""
QUOTED_CHARS = 200


class OpenAIEndpoint:
    """Asks an OpenAI-compatible endpoint.

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
        try:
            self._client = openai.OpenAI(
                base_url=endpoint.base_url,
                # The client insists on a key; servers without keys ignore it. With neither address nor
                # key it looks for the provider's own variable.
                api_key=endpoint.api_key or ("none" if endpoint.base_url else None),
                timeout=endpoint.timeout_s,
                max_retries=endpoint.retries,
            )
        except openai.OpenAIError as error:
            raise PrerequisiteError(
                f"no key for {self.name!r}",
                "set EKB_API_KEY, or EKB_BASE_URL for a server without keys",
            ) from error
        # OpenAI's own newer models refuse the old field; most other servers know only that one.
        self._is_own = urlsplit(str(self._client.base_url)).hostname == "api.openai.com"

    def complete(self, request: Request) -> Reply:
        """Ask, with the client's retries.

        Raises:
            ModelError: When every try failed, or the answer is no chat completion.
        """
        with self._slots:
            before = self._clock()
            try:
                raw = self._client.chat.completions.with_raw_response.create(
                    model=self._model,
                    messages=[_turn(m) for m in request.messages],
                    max_tokens=openai.omit if self._is_own else request.max_tokens,
                    max_completion_tokens=request.max_tokens if self._is_own else openai.omit,
                    temperature=openai.omit if request.temperature is None else request.temperature,
                    seed=openai.omit if request.seed is None else request.seed,
                    extra_body=None if request.grammar is None else {"grammar": request.grammar},
                )
            except openai.BadRequestError as error:
                if _too_long(error):
                    # A model that cannot read the card has not answered it: that is an attempt.
                    return Reply("", stop=Stop.LENGTH, latency_ns=self._clock() - before)
                raise ModelError(f"{self.name!r} refused the request: {_short(str(error))}") from error
            except openai.OpenAIError as error:
                raise ModelError(f"{self.name!r} did not answer: {_short(str(error))}") from error
            latency = self._clock() - before
        return _reply(self.name, raw.http_response.text, request, latency)


def _turn(message: Message) -> ChatCompletionMessageParam:
    match message.role:
        case Role.SYSTEM:
            return {"role": "system", "content": message.content}
        case Role.USER:
            return {"role": "user", "content": message.content}
        case Role.ASSISTANT:
            return {"role": "assistant", "content": message.content}


def _reply(name: str, body: str, request: Request, latency: int) -> Reply:
    try:
        row = json.loads(body)
        choice = row["choices"][0]
        text = choice["message"].get("content") or ""
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise ModelError(f"{name!r} answered with no chat completion: {_short(body)!r}") from error
    return Reply(
        text=str(text),
        usage=_usage(row.get("usage"), request, str(text)),
        stop=STOPS.get(str(choice.get("finish_reason")), Stop.OTHER),
        latency_ns=latency,
        request_id=str(row.get("id") or ""),
        model=str(row.get("model") or ""),
    )


def _usage(row: object, request: Request, text: str) -> Usage:
    counted = chat_usage(row)
    if counted is not None:
        return counted
    # Budgets must hold for endpoints that count nothing as well.
    read = sum(estimate_tokens(m.content) for m in request.messages)
    return Usage(input=read, output=estimate_tokens(text), estimated=True)


def _too_long(error: openai.BadRequestError) -> bool:
    body = error.body if isinstance(error.body, Mapping) else {}
    return any(str(body.get(field)) in TOO_LONG for field in ("code", "type"))


def _short(text: str) -> str:
    return text if len(text) <= QUOTED_CHARS else text[:QUOTED_CHARS] + " ..."
