"""The endpoint that parks requests as files: both languages, whole and in pieces, behind the proxy."""

import json
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from threading import Thread
from types import ModuleType
from typing import Any

import httpx
import pytest
from anthropic import Anthropic
from openai import OpenAI
from tests.agents.proxy.endpoint import no_limit
from tests.programs import load_benchmark

from edgekernelbench.agents.proxy.calls import Call
from edgekernelbench.agents.proxy.server import CountingProxy
from edgekernelbench.agents.proxy.upstream import Upstream

Box = tuple[str, Path]
Ask = Callable[..., Future[Any]]

PATIENCE_S = 20.0
COMMAND = "cat > k.kir <<'END'\n\"quoted\", and a backslash \\ as it is\nEND\n"
CALLS = f"""text = "I look."
[[call]]
name = "bash"
[call.arguments]
command = '''
{COMMAND}'''
"""
TURN: Any = [{"role": "user", "content": "write it"}]
CHAT_TOOLS: Any = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object"}}}]
TOOLS: Any = [{"name": "bash", "description": "a shell", "input_schema": {"type": "object"}}]


@pytest.fixture(scope="module")
def mailbox() -> ModuleType:
    return load_benchmark("mailbox")


@pytest.fixture
def box(mailbox: ModuleType, tmp_path: Path) -> Iterator[Box]:
    with mailbox.Server(mailbox.Mailbox(tmp_path / "box")) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server.url, tmp_path / "box"
        server.shutdown()
        thread.join()


@pytest.fixture
def ask() -> Iterator[Ask]:
    with ThreadPoolExecutor(4) as pool:
        yield pool.submit


def there(path: Path) -> str:
    end = time.monotonic() + PATIENCE_S
    while not path.exists():
        assert time.monotonic() < end, f"{path.name} did not come"
        time.sleep(0.01)
    return path.read_text(encoding="utf-8")


def answer(folder: Path, number: int, text: str) -> None:
    there(folder / f"{number:04}.md")
    (folder / "beside").write_text(text, encoding="utf-8")
    (folder / "beside").rename(folder / f"{number:04}.toml")


def proxy(url: str, heard: list[Call]) -> CountingProxy:
    return CountingProxy(Upstream("mind", openai=f"{url}/v1", anthropic=url), no_limit, heard.append)


def test_openai_s_client_gets_words_and_calls(box: Box, ask: Ask) -> None:
    url, folder = box
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    asked = ask(client.chat.completions.create, model="mind", messages=TURN, tools=CHAT_TOOLS)
    answer(folder, 1, CALLS)
    (choice,) = asked.result(PATIENCE_S).choices
    (call,) = choice.message.tool_calls
    assert (choice.message.content, choice.finish_reason) == ("I look.", "tool_calls")
    assert (call.function.name, json.loads(call.function.arguments)) == ("bash", {"command": COMMAND})


def test_openai_s_client_gets_them_in_pieces(box: Box, ask: Ask) -> None:
    url, folder = box
    client = OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    given: Any = {"model": "mind", "messages": TURN, "tools": CHAT_TOOLS, "stream": True}
    asked = ask(lambda: list(client.chat.completions.create(**given)))
    answer(folder, 1, CALLS)
    pieces = [piece.choices[0] for piece in asked.result(PATIENCE_S)]
    calls = [call.function for piece in pieces for call in piece.delta.tool_calls or ()]
    assert [(call.name, json.loads(call.arguments)) for call in calls] == [("bash", {"command": COMMAND})]
    assert pieces[-1].finish_reason == "tool_calls"


@pytest.mark.parametrize("streamed", [False, True])
def test_anthropic_s_client_gets_words_and_calls(box: Box, ask: Ask, streamed: bool) -> None:
    url, folder = box
    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    given: Any = {"model": "mind", "max_tokens": 500, "messages": TURN, "tools": TOOLS}

    def whole() -> Any:
        if not streamed:
            return client.messages.create(**given)
        with client.messages.stream(**given) as stream:
            return stream.get_final_message()

    asked = ask(whole)
    answer(folder, 1, CALLS)
    message = asked.result(PATIENCE_S)
    words, call = message.content
    assert (words.text, call.name, call.input) == ("I look.", "bash", {"command": COMMAND})
    assert message.stop_reason == "tool_use"


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
def test_the_proxy_estimates_what_nobody_counts_and_says_so(box: Box, ask: Ask, wire: str) -> None:
    url, folder = box
    heard: list[Call] = []
    with proxy(url, heard) as door:
        if wire == "openai":
            chat = OpenAI(base_url=f"{door.url}/v1", api_key=door.token, max_retries=0).chat.completions
            asked = ask(chat.create, model="x", messages=TURN)
        else:
            messages = Anthropic(base_url=door.url, api_key=door.token, max_retries=0).messages
            asked = ask(messages.create, model="x", max_tokens=99, messages=TURN)
        answer(folder, 1, 'text = "twelve chars"')
        asked.result(PATIENCE_S)
    (call,) = heard
    assert (call.usage.estimated, call.usage.output) == (True, 3)
    assert call.usage.input > 3


def test_what_is_new_is_shown_once(box: Box, ask: Ask) -> None:
    url, folder = box
    first: list[Any] = [{"role": "system", "content": "be brief"}, *TURN]
    called = {"id": "c", "type": "function", "function": {"name": "bash", "arguments": '{"command": "ls"}'}}
    said = {"role": "assistant", "content": None, "tool_calls": [called]}
    second = [*first, said, {"role": "tool", "content": "TASK.md"}]
    for number, turns in ((1, first), (2, second)):
        body = {"model": "mind", "messages": turns, "tools": CHAT_TOOLS}
        asked = ask(httpx.post, f"{url}/v1/chat/completions", json=body, timeout=PATIENCE_S)
        answer(folder, number, 'text = "yes"')
        assert asked.result(PATIENCE_S).status_code == 200
    assert "be brief" in there(folder / "0001.md")
    assert there(folder / "0002.md") == (
        "(the first 3 parts are those of 0001)\n\n"
        '# assistant\n\n[calls bash: {"command": "ls"}]\n\n# tool\n\nTASK.md\n\n'
    )
    assert json.loads(there(folder / "0002.json"))["messages"] == second


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ("text =", "expected TOML"),
        ("", "expected text, a string, or [[call]]s"),
        ('text = "yes"\nsure = true', "found ['sure'] besides"),
        ('[[call]]\nname = "rm"\n[call.arguments]\n', "no tool 'rm'; there are bash"),
        ('[[call]]\nname = "bash"\n', "expected a call with name and arguments"),
    ],
)
def test_an_answer_that_is_none_is_refused_and_another_awaited(
    box: Box, ask: Ask, wrong: str, why: str
) -> None:
    url, folder = box
    body = {"model": "mind", "messages": TURN, "tools": CHAT_TOOLS}
    asked = ask(httpx.post, f"{url}/v1/chat/completions", json=body, timeout=PATIENCE_S)
    answer(folder, 1, wrong)
    assert why in there(folder / "0001.wrong")
    answer(folder, 1, 'text = "right"')
    assert asked.result(PATIENCE_S).json()["choices"][0]["message"]["content"] == "right"


def test_an_answer_is_no_longer_than_it_may_be(box: Box, ask: Ask) -> None:
    url, folder = box
    client = Anthropic(base_url=url, api_key="none", max_retries=0)
    asked = ask(client.messages.create, model="mind", max_tokens=2, messages=TURN, tools=TOOLS)
    answer(folder, 1, CALLS)
    message = asked.result(PATIENCE_S)
    assert ([part.text for part in message.content], message.stop_reason) == (["I look."], "max_tokens")


def test_who_waits_long_gets_signs_of_life_and_the_same_answer(
    box: Box, ask: Ask, mailbox: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mailbox, "SIGN_S", 0.05)
    url, folder = box
    heard: list[Call] = []
    with proxy(url, heard) as door:
        client = Anthropic(base_url=door.url, api_key=door.token, max_retries=0)
        given: Any = {"model": "mind", "max_tokens": 99, "messages": TURN}
        whole = ask(client.messages.create, **given)
        there(folder / "0001.md")
        pieces = ask(lambda: list(client.messages.create(**given, stream=True)))
        there(folder / "0002.md")
        time.sleep(0.3)
        for number in (1, 2):
            answer(folder, number, 'text = "late"')
        assert whole.result(PATIENCE_S).content[0].text == "late"
        assert "late" in str(pieces.result(PATIENCE_S))
    assert any(b"thought about" in call.reply for call in heard)
    assert any(call.reply.startswith(b"  ") for call in heard)


def test_a_client_that_went_away_is_waited_for_no_longer(box: Box) -> None:
    url, folder = box
    with httpx.Client(timeout=0.3) as client, pytest.raises(httpx.ReadTimeout):
        client.post(f"{url}/v1/chat/completions", json={"model": "mind", "messages": TURN})
    there(folder / "0001.gone")


def test_numbers_go_on_where_a_folder_is_used_again(mailbox: ModuleType, tmp_path: Path) -> None:
    asked = {"messages": TURN}
    assert mailbox.Mailbox(tmp_path).park(asked).name == "0001"
    assert mailbox.Mailbox(tmp_path).park(asked).name == "0002"
