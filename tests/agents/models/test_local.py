"""The bundled model, really asked, over HTTP."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator

import httpx
import pytest

from edgekernelbench.agents.models.anthropic_endpoint import AnthropicEndpoint
from edgekernelbench.agents.models.bundled import bundled
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.local import LocalServer, spare_threads
from edgekernelbench.agents.models.openai_endpoint import OpenAIEndpoint
from edgekernelbench.agents.models.protocol import Message, Request, Role, Stop
from edgekernelbench.base.errors import ModelError

pytestmark = pytest.mark.needs_model

QUESTION = (Message(Role.USER, "Write a Python function that adds two numbers."),)


@pytest.fixture(scope="module")
def server() -> Iterator[LocalServer]:
    with LocalServer(bundled("smollm2"), threads=1) as server:
        yield server


@pytest.fixture
def model(server: LocalServer) -> OpenAIEndpoint:
    return OpenAIEndpoint("smollm2", Endpoint(server.base_url, retries=0))


def test_it_answers_and_counts(model: OpenAIEndpoint) -> None:
    reply = model.complete(Request(QUESTION, max_tokens=40, temperature=0.0))
    assert reply.text
    assert 0 < reply.usage.output <= 40
    assert reply.usage.input > 10
    assert (reply.model, reply.usage.estimated) == ("smollm2", False)


def test_an_answer_may_be_cut_off(model: OpenAIEndpoint) -> None:
    assert model.complete(Request(QUESTION, max_tokens=5)).stop is Stop.LENGTH


def test_a_grammar_is_kept_to(model: OpenAIEndpoint) -> None:
    grammar = 'root ::= "def f(" [a-z] ("," [a-z])? "):" "\\n"'
    reply = model.complete(Request(QUESTION, max_tokens=60, grammar=grammar))
    assert reply.text.startswith("def f(")
    assert reply.text.endswith("):\n")
    assert reply.stop is Stop.END


def test_a_grammar_that_is_none_is_refused(model: OpenAIEndpoint) -> None:
    with pytest.raises(ModelError, match="grammar"):
        model.complete(Request(QUESTION, max_tokens=5, grammar="root ::= [["))


def test_a_prompt_that_does_not_fit_is_an_empty_answer(model: OpenAIEndpoint) -> None:
    reply = model.complete(Request((Message(Role.USER, "word " * 9000),), max_tokens=5))
    assert (reply.text, reply.stop) == ("", Stop.LENGTH)


def test_it_speaks_anthropics_language_as_well(server: LocalServer) -> None:
    address = server.base_url.removesuffix("/v1")
    model = AnthropicEndpoint("smollm2", Endpoint(address, retries=0))
    reply = model.complete(Request(QUESTION, max_tokens=8, temperature=0.0))
    assert reply.text
    assert reply.usage.output > 0


def test_the_server_ends_with_its_owner() -> None:
    code = (
        "import sys, time; from edgekernelbench.agents.models.bundled import bundled;"
        "from edgekernelbench.agents.models.local import LocalServer;"
        "s = LocalServer(bundled('smollm2'), threads=1).__enter__();"
        "print(s.base_url, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as owner:
        assert owner.stdout is not None
        address = owner.stdout.readline().strip()
        assert httpx.get(f"{address}/models").status_code == 200
        os.kill(owner.pid, signal.SIGKILL)
        owner.wait()
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        try:
            httpx.get(f"{address}/models", timeout=1)
        except httpx.HTTPError:
            return
        time.sleep(0.1)
    pytest.fail("the server outlived the process that started it")


def test_a_core_is_left_free_unless_somebody_says_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0, 1, 2})
    assert (LocalServer(bundled("smollm2")).threads, spare_threads()) == (2, 2)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: {0})
    assert spare_threads() == 1
