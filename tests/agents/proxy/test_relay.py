"""Calls through the proxy, over real HTTP, with the official clients."""

from collections.abc import Callable
from threading import Event

import anthropic
import httpx
import openai
import pytest
from tests.agents.proxy.endpoint import (
    CHAT,
    CHAT_PIECES,
    KEY,
    MESSAGE,
    MESSAGE_PIECES,
    PATIENCE_S,
    RESPONSE,
    RESPONSE_PIECES,
    Script,
    chunk,
    endpoint,
    proxied,
)

from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.routes import Route
from edgekernelbench.agents.proxy.server import CountingProxy


def gpt(proxy: CountingProxy, retries: int = 0) -> openai.OpenAI:
    return openai.OpenAI(base_url=f"{proxy.url}/v1", api_key=proxy.token, max_retries=retries)


def claude(proxy: CountingProxy, retries: int = 0) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=proxy.url, api_key=proxy.token, max_retries=retries)


def chat(proxy: CountingProxy, retries: int = 0) -> str:
    with gpt(proxy, retries) as client:
        answer = client.chat.completions.create(model="big", messages=[{"role": "user", "content": "hello"}])
    return answer.choices[0].message.content or ""


def message(proxy: CountingProxy, retries: int = 0) -> str:
    with claude(proxy, retries) as client:
        answer = client.messages.create(
            model="haiku", max_tokens=50, messages=[{"role": "user", "content": "hello"}]
        )
    return answer.content[0].text if answer.content[0].type == "text" else ""


def respond(proxy: CountingProxy, retries: int = 0) -> str:
    with gpt(proxy, retries) as client:
        return client.responses.create(model="big", input="hello").output_text


def chat_in_pieces(proxy: CountingProxy) -> str:
    with gpt(proxy) as client:
        stream = client.chat.completions.create(
            model="big", messages=[{"role": "user", "content": "hello"}], stream=True
        )
        return "".join(piece.choices[0].delta.content or "" for piece in stream)


def message_in_pieces(proxy: CountingProxy) -> str:
    ask = {"model": "haiku", "max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}
    with claude(proxy) as client, client.messages.stream(**ask) as stream:  # type: ignore[arg-type]
        return stream.get_final_text()


def respond_in_pieces(proxy: CountingProxy) -> str:
    with gpt(proxy) as client:
        pieces = client.responses.create(model="big", input="hello", stream=True)
        return "".join(p.delta for p in pieces if p.type == "response.output_text.delta")


PING = b": still there\n\n"

WAYS = [
    pytest.param(chat, Script(CHAT), "hi", Usage(12, 0, 7, 0), Route.CHAT, id="chat"),
    pytest.param(message, Script(MESSAGE), "hi", Usage(45, 30, 7, 0), Route.MESSAGES, id="messages"),
    pytest.param(respond, Script(RESPONSE), "hi", Usage(20, 8, 6, 2), Route.RESPONSES, id="responses"),
    pytest.param(
        chat_in_pieces,
        Script(pieces=CHAT_PIECES),
        "hello",
        Usage(12, 0, 2, 0),
        Route.CHAT,
        id="chat-in-pieces",
    ),
    pytest.param(
        message_in_pieces,
        Script(pieces=MESSAGE_PIECES),
        "hello",
        Usage(11, 0, 4, 0),
        Route.MESSAGES,
        id="messages-in-pieces",
    ),
    pytest.param(
        respond_in_pieces,
        Script(pieces=RESPONSE_PIECES),
        "hi",
        Usage(20, 8, 6, 2),
        Route.RESPONSES,
        id="responses-in-pieces",
    ),
]


@pytest.mark.parametrize(("ask", "script", "text", "usage", "route"), WAYS)
def test_an_answer_passes_and_its_tokens_are_known(
    ask: Callable[[CountingProxy], str], script: Script, text: str, usage: Usage, route: Route
) -> None:
    heard: list[Call] = []
    with endpoint(script) as known, proxied(known, heard) as proxy:
        assert ask(proxy) == text
    (call,) = heard
    assert (call.route, call.fate, call.usage, call.counts) == (route, Fate.ANSWERED, usage, True)
    assert call.reply


@pytest.mark.parametrize(("ask", "script", "text", "usage", "route"), WAYS)
def test_the_model_is_the_pinned_one_and_the_key_stays_here(
    ask: Callable[[CountingProxy], str], script: Script, text: str, usage: Usage, route: Route
) -> None:
    heard: list[Call] = []
    with endpoint(script) as known, proxied(known, heard) as proxy:
        ask(proxy)
        token = proxy.token
    (asked,) = known.asked
    assert asked.path.partition("?")[0] == route.path
    assert asked.row["model"] == "pinned"
    assert (heard[0].asked, heard[0].model) == (
        "haiku" if route is Route.MESSAGES else "big",
        "fake-2026-01-01",
    )
    sent = asked.headers["x-api-key"] if route is Route.MESSAGES else asked.headers["authorization"]
    assert KEY in sent
    assert token not in str(asked)
    assert KEY.encode() not in heard[0].request


def test_pieces_come_as_they_are_written() -> None:
    seen, heard = Event(), list[Call]()
    pieces: list[bytes | Event] = [chunk("first"), seen, chunk("second"), b"data: [DONE]\n\n"]
    with endpoint(Script(pieces=pieces)) as known, proxied(known, heard) as proxy, gpt(proxy) as client:
        stream = client.chat.completions.create(
            model="big", messages=[{"role": "user", "content": "hello"}], stream=True
        )
        first = next(iter(stream))
        assert first.choices[0].delta.content == "first"
        seen.set()  # the second is only written now
        assert [piece.choices[0].delta.content for piece in stream] == ["second"]


@pytest.mark.parametrize("asks", [True, False])
def test_tokens_are_asked_for_and_shown_to_who_asked(asks: bool) -> None:
    heard: list[Call] = []
    with endpoint(Script(pieces=CHAT_PIECES)) as known, proxied(known, heard) as proxy, gpt(proxy) as client:
        stream = client.chat.completions.create(
            model="big",
            messages=[{"role": "user", "content": "hello"}],
            stream=True,
            stream_options={"include_usage": True} if asks else openai.omit,
        )
        pieces = list(stream)
    assert known.asked[0].row["stream_options"] == {"include_usage": True}
    assert [piece.usage is not None for piece in pieces] == [False, False] + [True] * asks
    assert heard[0].usage == Usage(12, 0, 2, 0)


@pytest.mark.parametrize("ask", [chat, message])
def test_every_try_of_a_client_is_a_call(ask: Callable[[CountingProxy, int], str]) -> None:
    heard: list[Call] = []
    busy = Script({"error": {"message": "busy"}}, 429, headers={"retry-after-ms": "1"})
    with (
        endpoint(busy, busy, Script(CHAT if ask is chat else MESSAGE)) as known,
        proxied(known, heard) as proxy,
    ):
        assert ask(proxy, 4) == "hi"
        assert len(proxy.failures) == 2
    assert [(call.status, call.retry, call.counts) for call in heard] == [
        (429, 0, False),
        (429, 1, False),
        (200, 2, True),
    ]


@pytest.mark.parametrize("status", [400, 401, 404, 429, 500, 529])
def test_an_error_passes_as_it_is(status: int) -> None:
    heard: list[Call] = []
    body = {"error": {"message": "no, since I say so", "type": "mine", "code": "own"}}
    script = Script(body, status, headers={"retry-after": "7", "x-request-id": "r-1", "x-internal": "no"})
    with endpoint(script) as known, proxied(known, heard) as proxy:
        answer = httpx.post(
            f"{proxy.url}/v1/chat/completions", json={}, headers={"authorization": f"Bearer {proxy.token}"}
        )
    assert (answer.status_code, answer.json()) == (status, body)
    assert (answer.headers["retry-after"], answer.headers["x-request-id"]) == ("7", "r-1")
    assert "x-internal" not in answer.headers
    assert (heard[0].fate, heard[0].usage, heard[0].request_id) == (Fate.FAILED, Usage(), "r-1")


def test_an_error_that_quotes_the_key_does_not_tell_it() -> None:
    heard: list[Call] = []
    body = {"error": {"message": f"wrong key: {KEY}"}}
    with endpoint(Script(body, 401)) as known, proxied(known, heard) as proxy:
        with pytest.raises(openai.AuthenticationError) as caught:
            chat(proxy)
        assert KEY not in str(caught.value)
        assert "wrong key" in str(caught.value)
        assert KEY not in str(proxy.failures)
    assert KEY.encode() not in heard[0].reply


def test_an_endpoint_that_is_not_there_is_told_and_is_no_fault_of_the_agent() -> None:
    heard: list[Call] = []
    with endpoint(Script(CHAT)) as known:
        pass
    with proxied(known, heard) as proxy:
        with pytest.raises(openai.InternalServerError, match="could not be reached"):
            chat(proxy)
        assert proxy.failures
    assert (heard[0].fate, heard[0].status, heard[0].counts) == (Fate.FAILED, 502, False)


def test_an_endpoint_that_goes_away_in_the_middle_cuts_the_answer_off() -> None:
    heard: list[Call] = []
    script = Script(pieces=[chunk("some text that was written")], cut=True)
    with endpoint(script) as known, proxied(known, heard) as proxy:
        with pytest.raises((httpx.RemoteProtocolError, openai.APIError)):
            chat_in_pieces(proxy)
        assert proxy.failures
    (call,) = heard
    assert (call.fate, call.counts, call.usage.estimated) == (Fate.BROKEN, True, True)
    assert call.usage.output >= 6


def test_who_goes_away_before_the_tokens_come_is_counted_all_the_same() -> None:
    heard: list[Call] = []
    never = Event()
    pieces: list[bytes | Event] = [*MESSAGE_PIECES[:3], never, PING, never, PING]
    with endpoint(Script(pieces=pieces)) as known, proxied(known, heard) as proxy:
        ask = {"model": "m", "max_tokens": 50, "messages": [{"role": "user", "content": "hello"}]}
        with claude(proxy) as client, client.messages.create(**ask, stream=True) as stream:  # type: ignore[call-overload]
            for piece in stream:
                if piece.type == "content_block_delta":
                    break
        until(lambda: bool(heard))
        never.set()
    (call,) = heard
    assert (call.fate, call.counts) == (Fate.CANCELLED, True)
    # The input was said at the beginning; of the output, five characters were seen.
    assert call.usage == Usage(11, 0, 2, 0, estimated=True)


def test_who_does_not_wait_for_a_whole_answer_is_counted_too() -> None:
    heard: list[Call] = []
    never = Event()
    with endpoint(Script(CHAT, wait=never)) as known, proxied(known, heard) as proxy:
        with gpt(proxy).with_options(timeout=0.2) as client, pytest.raises(openai.APITimeoutError):
            client.chat.completions.create(model="big", messages=[{"role": "user", "content": "hello"}])
        until(lambda: bool(heard))
        never.set()
    (call,) = heard
    assert (call.fate, call.counts, call.usage.estimated) == (Fate.CANCELLED, True, True)
    assert call.usage.input > 10


def test_counting_a_prompt_costs_nothing() -> None:
    heard: list[Call] = []
    with (
        endpoint(Script({"input_tokens": 9})) as known,
        proxied(known, heard) as proxy,
        claude(proxy) as client,
    ):
        counted = client.messages.count_tokens(model="m", messages=[{"role": "user", "content": "hello"}])
    assert counted.input_tokens == 9
    assert (heard[0].counts, heard[0].usage) == (False, Usage())


def until(true: Callable[[], bool]) -> None:
    """Wait for what another thread does."""
    waiting = Event()
    for _ in range(int(PATIENCE_S / 0.01)):
        if true():
            return
        waiting.wait(0.01)
    pytest.fail("it did not come about")
