"""The proxy as a place: who may come in, what it refuses, and how it ends."""

import socket
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier, Event

import anthropic
import httpx
import openai
import pytest
from tests.agents.proxy.endpoint import CHAT, KEY, MESSAGE, Script, endpoint, no_limit, proxied
from tests.agents.proxy.test_relay import chat, gpt, message, until

from edgekernelbench.agents.ledger import Budget, Ledger
from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.agents.protocol import Left
from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.server import CountingProxy
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.base.errors import BudgetExceeded, PrerequisiteError, RecordError

TOO_MANY_S = 2.0
"""Ending a proxy may not take longer, whatever hangs behind it."""


@pytest.mark.parametrize("client", [openai.OpenAI, anthropic.Anthropic])
def test_nobody_comes_in_without_the_token(client: type[openai.OpenAI] | type[anthropic.Anthropic]) -> None:
    heard: list[Call] = []
    with endpoint(Script(CHAT)) as known, proxied(known, heard) as proxy:
        url = proxy.url if client is anthropic.Anthropic else f"{proxy.url}/v1"
        stranger = client(base_url=url, api_key="guess", max_retries=0)
        with (
            stranger,
            pytest.raises((openai.AuthenticationError, anthropic.AuthenticationError), match="token"),
        ):
            stranger.models.list()
        assert httpx.get(proxy.url).status_code == 401
        assert [call.status for call in proxy.refused] == [401, 401]
    assert (known.asked, heard) == ([], [])


def test_a_budget_that_is_used_up_stops_both_clients_at_once() -> None:
    heard: list[Call] = []

    def admit() -> Left:
        raise BudgetExceeded("tokens", 1200, 1000)

    with endpoint(Script(CHAT)) as known, proxied(known, heard, admit) as proxy:
        with pytest.raises(openai.PermissionDeniedError, match="1000 tokens is used up"):
            chat(proxy, retries=5)
        with pytest.raises(anthropic.PermissionDeniedError, match="the best that was measured counts"):
            message(proxy, retries=5)
        # Nobody tried again: that could not help.
        assert [(call.fate, call.status) for call in proxy.refused] == [(Fate.REFUSED, 403)] * 2
        assert proxy.failures == ()
    assert (known.asked, heard) == ([], [])


def test_a_ledger_holds_the_tokens_to_its_limit() -> None:
    ledger = Ledger(Budget(tokens=50))

    def heard(call: Call) -> None:
        ledger.usage += call.usage

    with endpoint(Script(CHAT)) as known:
        upstream = Upstream("pinned", openai=f"{known.url}/v1", key=KEY)
        with CountingProxy(upstream, ledger.left, heard) as proxy:
            for _ in range(3):
                assert chat(proxy) == "hi"
            with pytest.raises(openai.PermissionDeniedError):
                chat(proxy)
    assert ledger.usage.total == 3 * 19
    # Each answer may have what is left, no more.
    assert [asked.row["max_tokens"] for asked in known.asked] == [50, 31, 12]


def test_parallel_calls_go_at_the_same_time() -> None:
    heard: list[Call] = []
    go = Event()
    with (
        endpoint(Script(CHAT, wait=go)) as known,
        proxied(known, heard) as proxy,
        ThreadPoolExecutor(8) as pool,
    ):
        answers = [pool.submit(chat, proxy) for _ in range(8)]
        until(lambda: len(known.asked) == 8)
        assert proxy.busy == 8
        go.set()
        assert [answer.result() for answer in answers] == ["hi"] * 8
        assert proxy.busy == 0
    assert sum(call.usage.total for call in heard) == 8 * 19


@pytest.mark.parametrize("limit", ["calls", "tokens", "money"])
def test_parallel_calls_do_not_use_together_what_is_left_for_one(limit: str) -> None:
    ledger = {"calls": Left(calls=1), "tokens": Left(tokens=10), "money": Left(money=0.5)}[limit]
    heard: list[Call] = []
    together = Barrier(4)

    def admit() -> Left:
        return Left(calls=0, tokens=0, money=0.0) if heard else ledger

    with (
        endpoint(Script(CHAT)) as known,
        proxied(known, heard, admit) as proxy,
        ThreadPoolExecutor(4) as pool,
    ):

        def ask(_: int) -> str:
            together.wait()
            try:
                return chat(proxy)
            except openai.PermissionDeniedError:
                return "refused"

        assert sorted(pool.map(ask, range(4))) == ["hi", "refused", "refused", "refused"]
    assert len(known.asked) == 1


def test_what_the_provider_would_run_is_taken_out() -> None:
    heard: list[Call] = []
    own = {"name": "look", "input_schema": {"type": "object"}}
    body = {
        "model": "m",
        "max_tokens": 5,
        "messages": [],
        "tools": [own, {"type": "web_search_20250305", "name": "web_search"}],
        "mcp_servers": [{"url": "https://elsewhere.example"}],
    }
    with endpoint(Script(MESSAGE)) as known, proxied(known, heard) as proxy:
        httpx.post(f"{proxy.url}/v1/messages?beta=true", json=body, headers={"x-api-key": proxy.token})
    assert known.asked[0].row["tools"] == [own]
    assert "mcp_servers" not in known.asked[0].row
    assert known.asked[0].path == "/v1/messages?beta=true"
    assert heard[0].dropped == ("mcp_servers", "web_search_20250305")


def test_there_is_one_model_and_a_few_paths() -> None:
    heard: list[Call] = []
    with endpoint(Script(CHAT)) as known, proxied(known, heard) as proxy:
        with gpt(proxy) as client:
            assert [model.id for model in client.models.list()] == ["pinned"]
            with pytest.raises(openai.NotFoundError, match="no /v1/embeddings here"):
                client.embeddings.create(model="m", input="x")
        own = {"authorization": f"Bearer {proxy.token}"}
        bad = httpx.post(f"{proxy.url}/v1/chat/completions", content="[1]", headers=own)
        assert (bad.status_code, bad.json()["error"]["message"]) == (
            400,
            "expected a JSON object, found list",
        )
    assert (known.asked, heard) == ([], [])


def test_a_language_that_the_endpoint_does_not_speak_is_refused_with_the_other() -> None:
    upstream = Upstream("pinned", openai="http://127.0.0.1:9/v1")
    with (
        CountingProxy(upstream, no_limit, print) as proxy,
        pytest.raises(anthropic.NotFoundError, match="speaks OpenAI's chat completions alone"),
    ):
        message(proxy)


def test_a_call_that_hangs_does_not_keep_the_proxy() -> None:
    heard: list[Call] = []
    never = Event()
    with endpoint(Script(CHAT, wait=never)) as known, ThreadPoolExecutor(1) as pool:
        with proxied(known, heard) as proxy:
            answer = pool.submit(chat, proxy)
            until(lambda: bool(known.asked))
            start = time.monotonic()
        assert time.monotonic() - start < TOO_MANY_S
        never.set()
        assert isinstance(answer.exception(), openai.APIError)
    assert [call.fate for call in heard] == [Fate.CANCELLED]


def test_it_can_be_a_unix_socket(tmp_path: Path) -> None:
    heard: list[Call] = []
    word = "drawn-elsewhere"
    listen = socket.socket(socket.AF_UNIX)
    listen.bind(str(tmp_path / "model"))
    listen.listen()
    with endpoint(Script(CHAT)) as known:
        upstream = Upstream("pinned", openai=f"{known.url}/v1", key=KEY)
        with CountingProxy(upstream, no_limit, heard.append, listen=listen, token=word) as proxy:
            way = httpx.HTTPTransport(uds=str(tmp_path / "model"))
            with httpx.Client(transport=way, headers={"x-api-key": word}) as client:
                answer = client.post("http://model/v1/chat/completions", json={"messages": []})
            assert proxy.url == ""
    assert answer.json() == CHAT
    assert heard[0].usage == Usage(12, 0, 7, 0)


def test_other_machines_are_never_listened_to() -> None:
    with (
        socket.create_server(("0.0.0.0", 0)) as listen,  # noqa: S104
        pytest.raises(PrerequisiteError, match=r"was to listen on 0\.0\.0\.0; bind it to 127"),
    ):
        CountingProxy(Upstream("pinned"), no_limit, print, listen=listen)


def test_a_call_that_cannot_be_stored_is_told_to_who_runs_the_agent() -> None:
    def full(call: Call) -> None:
        raise RecordError(f"no room for {call.route}")

    with endpoint(Script(CHAT)) as known:
        upstream = Upstream("pinned", openai=f"{known.url}/v1")
        with CountingProxy(upstream, no_limit, full) as proxy:
            assert chat(proxy) == "hi"
            assert proxy.failures == ("a call could not be stored: no room for chat completions",)


def test_the_environment_sends_both_clients_here(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Call] = []
    with endpoint(Script(CHAT), Script(MESSAGE)) as known, proxied(known, heard) as proxy:
        for name, value in proxy.environment.items():
            monkeypatch.setenv(name, value)
        with openai.OpenAI() as first, anthropic.Anthropic() as second:
            first.chat.completions.create(model="m", messages=[])
            second.messages.create(model="m", max_tokens=5, messages=[])
        assert KEY not in str(proxy.environment)
    assert len(heard) == 2
