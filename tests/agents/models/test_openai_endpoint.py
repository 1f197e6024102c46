"""An OpenAI-compatible endpoint over real HTTP, also one that fails in every way."""

from threading import Thread

import pytest
from tests.agents.support import Canned, Fake, ask, completion, serving

from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.openai_endpoint import OpenAIEndpoint
from edgekernelbench.agents.models.protocol import Stop, Usage
from edgekernelbench.base.errors import ModelError, PrerequisiteError

USAGE = {
    "prompt_tokens": 12,
    "completion_tokens": 7,
    "prompt_tokens_details": {"cached_tokens": 4},
    "completion_tokens_details": {"reasoning_tokens": 3},
}


def endpoint(fake: Fake, **fields: object) -> OpenAIEndpoint:
    return OpenAIEndpoint("m", Endpoint(fake.url, **fields))  # type: ignore[arg-type]


def test_an_answer_comes_with_its_usage() -> None:
    with serving([completion("hi", usage=USAGE)]) as fake:
        reply = endpoint(fake).complete(ask(max_tokens=50, temperature=0.0, seed=4))
    assert (reply.text, reply.usage, reply.stop) == ("hi", Usage(12, 4, 7, 3), Stop.END)
    assert (reply.request_id, reply.model) == ("chat-1", "fake-1")
    assert reply.latency_ns > 0
    assert fake.asked == [
        {
            "model": "m",
            "messages": [{"role": "system", "content": "rules"}, {"role": "user", "content": "hello"}],
            "max_tokens": 50,
            "temperature": 0.0,
            "seed": 4,
        }
    ]


def test_a_grammar_travels_beside_the_request() -> None:
    with serving([completion("yes")]) as fake:
        endpoint(fake).complete(ask(grammar="root ::= x"))
    assert fake.asked[0]["grammar"] == "root ::= x"


def test_an_endpoint_that_counts_nothing_is_estimated() -> None:
    with serving([completion("four")]) as fake:
        usage = endpoint(fake).complete(ask()).usage
    assert (usage.output, usage.estimated) == (1, True)
    assert usage.input > 0


@pytest.mark.parametrize("status", [429, 500, 503])
def test_a_busy_endpoint_is_asked_again(status: int) -> None:
    busy = Canned('{"error": {"message": "busy"}}', status)
    with serving([busy, busy, completion("at last")]) as fake:
        assert endpoint(fake).complete(ask()).text == "at last"
    assert len(fake.asked) == 3


@pytest.mark.parametrize("status", [401, 404, 429, 500])
def test_an_endpoint_that_keeps_failing_is_no_answer(status: int) -> None:
    with (
        serving([Canned('{"error": {"message": "no"}}', status)]) as fake,
        pytest.raises(ModelError, match="did not answer"),
    ):
        endpoint(fake, retries=1).complete(ask())
    assert len(fake.asked) == (1 if status < 429 else 2)


def test_an_endpoint_that_says_nothing_in_time_is_no_answer() -> None:
    with serving([Canned("{}", delay_s=0.5)]) as fake, pytest.raises(ModelError, match="did not answer"):
        endpoint(fake, timeout_s=0.05, retries=0).complete(ask())


def test_nobody_listening_is_no_answer() -> None:
    with pytest.raises(ModelError, match="did not answer"):
        OpenAIEndpoint("m", Endpoint("http://127.0.0.1:9/v1", retries=0)).complete(ask())


@pytest.mark.parametrize(
    "body", ["", "{", "[]", "{}", '{"choices": []}', '{"choices": [{"message": null}]}', "null"]
)
def test_what_is_no_completion_is_no_answer(body: str) -> None:
    with serving([Canned(body)]) as fake, pytest.raises(ModelError, match="no chat completion"):
        endpoint(fake, retries=0).complete(ask())


@pytest.mark.parametrize("name", ["context_length_exceeded", "exceed_context_size_error"])
def test_a_card_that_does_not_fit_the_model_is_an_empty_answer(name: str) -> None:
    with serving([Canned(f'{{"error": {{"code": 400, "type": "{name}", "message": "long"}}}}', 400)]) as fake:
        reply = endpoint(fake).complete(ask())
    assert (reply.text, reply.stop) == ("", Stop.LENGTH)


def test_a_refused_request_is_quoted() -> None:
    refusal = Canned('{"error": {"message": "failed to parse grammar"}}', 400)
    with serving([refusal]) as fake, pytest.raises(ModelError, match="failed to parse grammar"):
        endpoint(fake).complete(ask())


def test_no_more_calls_run_at_one_time_than_allowed() -> None:
    with serving([Canned(completion("x").body, delay_s=0.05)]) as fake:
        model = endpoint(fake, concurrency=2)
        threads = [Thread(target=model.complete, args=(ask(),)) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert len(fake.asked) == 4


def test_without_key_and_address_the_remedy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(PrerequisiteError, match="EKB_API_KEY"):
        OpenAIEndpoint("m", Endpoint())
