"""Anthropic's messages over real HTTP."""

import json

import pytest
from tests.agents.support import Canned, Fake, ask, serving

from edgekernelbench.agents.models.anthropic_endpoint import AnthropicEndpoint
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.protocol import Stop, Usage
from edgekernelbench.base.errors import ModelError, PrerequisiteError


def message(text: str, stop: str = "end_turn") -> Canned:
    return Canned(
        json.dumps(
            {
                "id": "msg-1",
                "type": "message",
                "role": "assistant",
                "model": "fake-2",
                "content": [{"type": "text", "text": text}],
                "stop_reason": stop,
                "stop_sequence": None,
                "usage": {
                    "input_tokens": 10,
                    "cache_read_input_tokens": 30,
                    "cache_creation_input_tokens": 5,
                    "output_tokens": 7,
                },
            }
        )
    )


def endpoint(fake: Fake, **fields: object) -> AnthropicEndpoint:
    return AnthropicEndpoint("m", Endpoint(fake.url.removesuffix("/v1"), **fields))  # type: ignore[arg-type]


def test_an_answer_comes_with_its_usage() -> None:
    with serving([message("hi")]) as fake:
        reply = endpoint(fake).complete(ask(max_tokens=50, temperature=0.5))
    assert (reply.text, reply.usage, reply.stop) == ("hi", Usage(45, 30, 7, 0), Stop.END)
    assert (reply.request_id, reply.model) == ("msg-1", "fake-2")
    (asked,) = fake.asked
    assert asked["system"] == [{"type": "text", "text": "rules", "cache_control": {"type": "ephemeral"}}]
    assert asked["messages"] == [{"role": "user", "content": "hello"}]
    assert (asked["max_tokens"], asked["temperature"]) == (50, 0.5)


@pytest.mark.parametrize(("word", "stop"), [("max_tokens", Stop.LENGTH), ("refusal", Stop.REFUSED)])
def test_why_it_stopped_is_kept(word: str, stop: Stop) -> None:
    with serving([message("hi", word)]) as fake:
        assert endpoint(fake).complete(ask()).stop is stop


def test_a_busy_endpoint_is_asked_again() -> None:
    with serving([Canned('{"type": "error"}', 529), message("at last")]) as fake:
        assert endpoint(fake).complete(ask()).text == "at last"


@pytest.mark.parametrize("canned", [Canned('{"type": "error"}', 500), Canned("{", 200), Canned("[]", 200)])
def test_an_endpoint_that_fails_is_no_answer(canned: Canned) -> None:
    with serving([canned]) as fake, pytest.raises(ModelError):
        endpoint(fake, retries=0).complete(ask())


def test_a_grammar_is_not_silently_dropped() -> None:
    with pytest.raises(PrerequisiteError, match="cannot be held to a grammar"):
        AnthropicEndpoint("m", Endpoint("http://127.0.0.1:9")).complete(ask(grammar="root ::= x"))


def test_without_a_key_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(PrerequisiteError, match="ANTHROPIC_API_KEY"):
        AnthropicEndpoint("m", Endpoint())
