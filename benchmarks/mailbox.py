"""An endpoint whose model is whoever answers the files of a folder: `python benchmarks/mailbox.py FOLDER`.

It speaks OpenAI's chat completions and Anthropic's messages on the loopback, whole and in pieces. The n-th
request is parked as `n.json`, as it came, and `n.md`, what is new in it for a reader. It is answered when
`n.toml` is there (write it beside, and move it in place):

    text = "What the model says; may be left out where it calls."
    [[call]]
    name = "bash"
    [call.arguments]
    command = '''ekb budget'''

An answer that is none becomes `n.wrong`, which says why, and the request waits for another; a client that
went away leaves `n.gone`. Tokens are not told, since nobody knows the tokenizer of whoever answers: the
counting proxy estimates them, four characters a token, and its records say so. An answer longer than the
request allows is cut off by the same estimate.
"""

import argparse
import json
import select
import socket
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

from edgekernelbench.agents.tokens import CHARS_PER_TOKEN, estimate_tokens

Row = dict[str, Any]

LOOPBACK = "127.0.0.1"
CHAT, MESSAGES, COUNT = "/v1/chat/completions", "/v1/messages", "/v1/messages/count_tokens"
TICK_S = 0.1
SIGN_S = 10.0
"""How often whoever waits is sent a sign of life, which is no part of the answer."""


class Wrong(ValueError):  # noqa: N818 - of whoever answers, who reads the reason
    """An answer that is none."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the model says.

    Attributes:
        text: In words.
        calls: Tools that it calls, with their arguments.
        cut: Whether it was longer than it may be.
    """

    text: str
    calls: tuple[tuple[str, Row], ...]
    cut: bool = False

    @classmethod
    def read(cls, text: str, asked: Row) -> "Answer":
        """Read an answer to a request.

        Raises:
            Wrong: When it is none, with what was expected.
        """
        try:
            row = tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise Wrong(f"expected TOML: {error}") from error
        known = tool_names(asked)
        said, calls = row.pop("text", ""), row.pop("call", [])
        if row or not isinstance(said, str) or not isinstance(calls, list) or not (said or calls):
            raise Wrong(
                f"expected text, a string, or [[call]]s, and nothing else; found {sorted(row)} besides"
            )
        for call in calls:
            if not isinstance(call, dict) or set(call) != {"name", "arguments"}:
                raise Wrong(f"expected a call with name and arguments, found {call}")
            if call["name"] not in known:
                raise Wrong(f"no tool {call['name']!r}; there are {', '.join(sorted(known)) or 'none'}")
        found = tuple((call["name"], call["arguments"]) for call in calls)
        return cls(said, found)._held_to(asked)

    def _held_to(self, asked: Row) -> "Answer":
        limits = [asked.get("max_completion_tokens"), asked.get("max_tokens")]
        most = min((n for n in limits if isinstance(n, int)), default=None)
        whole = self.text + "".join(json.dumps(given) for _, given in self.calls)
        if most is None or estimate_tokens(whole) <= most:
            return self
        return Answer(self.text[: most * CHARS_PER_TOKEN], (), cut=True)


def tool_names(asked: Row) -> set[str]:
    return {str((tool.get("function") or tool).get("name")) for tool in asked.get("tools") or ()}


class Mailbox:
    """The folder.

    Args:
        folder: Where requests are parked; what is there already is kept.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = Lock()
        self._last = max((int(f.stem) for f in folder.glob("*.json")), default=0)
        self._known: dict[int, list[str]] = {}

    def park(self, asked: Row) -> Path:
        """Write a request down; gives its files' common name."""
        parts = list(readable(asked))
        with self._lock:
            self._last += 1
            number, last = (
                self._last,
                max(self._known, key=lambda n: common(self._known[n], parts), default=0),
            )
            self._known[number] = parts
        same = common(self._known[last], parts) if last else 0
        before = [f"(the first {same} parts are those of {last:04})\n\n"] if same else []
        at = self.folder / f"{number:04}"
        at.with_suffix(".json").write_text(json.dumps(asked, indent=1), encoding="utf-8")
        put(at.with_suffix(".md"), "".join([*before, *parts[same:]]))
        return at

    def look(self, at: Path, asked: Row) -> Answer | None:
        """Give the answer to a request, if there is one."""
        file = at.with_suffix(".toml")
        try:
            return Answer.read(file.read_text(encoding="utf-8"), asked)
        except FileNotFoundError:
            return None
        except (Wrong, UnicodeDecodeError) as error:
            put(at.with_suffix(".wrong"), f"{error}\n")
            file.unlink()
            return None


def put(path: Path, text: str) -> None:
    """Write a file that is there whole or not at all."""
    beside = path.with_name(f".{path.name}")
    beside.write_text(text, encoding="utf-8")
    beside.rename(path)


def common(one: list[str], two: list[str]) -> int:
    return next(
        (n for n, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), min(len(one), len(two))
    )


def readable(asked: Row) -> Iterator[str]:
    """Write a request for a reader, in the parts that later requests of a conversation repeat."""
    for tool in asked.get("tools") or ():
        about = tool.get("function") or tool
        form = json.dumps(about.get("parameters") or about.get("input_schema") or {})
        yield f"# tool {about.get('name')}\n\n{about.get('description', '')}\n\n{form}\n\n"
    for turn in [{"role": "system", "content": asked.get("system")}, *asked["messages"]]:
        words = "\n\n".join(spoken(turn))
        if words:
            yield f"# {turn['role']}\n\n{words}\n\n"


def spoken(turn: Row) -> Iterator[str]:
    content = turn.get("content")
    for part in content if isinstance(content, list) else [{"type": "text", "text": content or ""}]:
        match part:
            case {"type": "text", "text": str(text)}:
                if text:
                    yield text
            case {"type": "tool_use", "name": name, "input": given}:
                yield f"[calls {name}: {json.dumps(given)}]"
            case {"type": "tool_result", "content": found}:
                yield "[result]\n" + "\n".join(spoken({"content": found}))
            case _:
                yield json.dumps(part)
    for call in turn.get("tool_calls") or ():
        yield f"[calls {call['function']['name']}: {call['function']['arguments']}]"


def chat_reply(name: str, model: str, answer: Answer) -> Row:
    calls = [
        {
            "id": f"call_{name}_{n}",
            "type": "function",
            "function": {"name": tool, "arguments": json.dumps(given)},
        }
        for n, (tool, given) in enumerate(answer.calls)
    ]
    message = {
        "role": "assistant",
        "content": answer.text or None,
        **({"tool_calls": calls} if calls else {}),
    }
    end = "length" if answer.cut else "tool_calls" if calls else "stop"
    choice = {"index": 0, "message": message, "finish_reason": end}
    return {
        "id": f"chat_{name}",
        "object": "chat.completion",
        "created": 1,
        "model": model,
        "choices": [choice],
    }


def chat_pieces(name: str, model: str, answer: Answer) -> Iterator[str]:
    whole = chat_reply(name, model, answer)
    (choice,) = whole.pop("choices")
    message = choice["message"]
    for n, call in enumerate(message.get("tool_calls", ())):
        call["index"] = n
    ends: tuple[tuple[Row, str | None], ...] = ((message, None), ({}, choice["finish_reason"]))
    for delta, end in ends:
        row: Row = {"index": 0, "delta": delta, "finish_reason": end}
        yield f"data: {json.dumps({**whole, 'object': 'chat.completion.chunk', 'choices': [row]})}\n\n"
    yield "data: [DONE]\n\n"


def message_reply(name: str, model: str, answer: Answer) -> Row:
    texts = [{"type": "text", "text": answer.text}] if answer.text else []
    calls = [
        {"type": "tool_use", "id": f"toolu_{name}_{n}", "name": tool, "input": given}
        for n, (tool, given) in enumerate(answer.calls)
    ]
    return {
        "id": f"msg_{name}",
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": texts + calls,
        "stop_reason": "max_tokens" if answer.cut else "tool_use" if calls else "end_turn",
        "stop_sequence": None,
        "usage": {},
    }


def message_pieces(name: str, model: str, answer: Answer) -> Iterator[str]:
    whole = message_reply(name, model, answer)
    rows: list[Row] = [{"type": "message_start", "message": {**whole, "content": [], "stop_reason": None}}]
    for n, block in enumerate(whole["content"]):
        if block["type"] == "text":
            empty, delta = {**block, "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        rows += [
            {"type": "content_block_start", "index": n, "content_block": empty},
            {"type": "content_block_delta", "index": n, "delta": delta},
            {"type": "content_block_stop", "index": n},
        ]
    end = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    rows += [{"type": "message_delta", "delta": end, "usage": {}}, {"type": "message_stop"}]
    return (f"event: {row['type']}\ndata: {json.dumps(row)}\n\n" for row in rows)


class Handler(BaseHTTPRequestHandler):
    """Answers one request when somebody else has."""

    server: "Server"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        path = self.path.partition("?")[0]
        if path == COUNT:
            self._start("application/json")
            self._write(json.dumps({"input_tokens": estimate_tokens(json.dumps(asked))}))
        elif path in (CHAT, MESSAGES):
            self._ask(asked, chat=path == CHAT)
        else:
            self.send_error(404, f"no {path} here; there are {CHAT} and {MESSAGES}")

    def _ask(self, asked: Row, *, chat: bool) -> None:
        at = self.server.mailbox.park(asked)
        streamed = asked.get("stream") is True
        self._start("text/event-stream" if streamed else "application/json")
        # A comment in a stream, white space before JSON: neither is part of what is said.
        answer = self._wait(at, asked, ": it is thought about\n\n" if streamed else " ")
        if answer is None:
            put(at.with_suffix(".gone"), "")
            return
        name, model = at.name, str(asked.get("model"))
        if streamed:
            for piece in (chat_pieces if chat else message_pieces)(name, model, answer):
                self._write(piece)
        else:
            self._write(json.dumps((chat_reply if chat else message_reply)(name, model, answer)))

    def _wait(self, at: Path, asked: Row, sign: str) -> Answer | None:
        """Wait for an answer; None when nobody waits for it any more."""
        next_sign = time.monotonic() + SIGN_S
        while not self._is_gone():
            answer = self.server.mailbox.look(at, asked)
            if answer is not None:
                return answer
            if time.monotonic() >= next_sign:
                next_sign += SIGN_S
                try:
                    self._write(sign)
                except OSError:
                    return None
            time.sleep(TICK_S)
        return None

    def _is_gone(self) -> bool:
        """Say whether the client hung up: a stream that can be read, and has nothing."""
        readable_now, _, _ = select.select([self.connection], [], [], 0)
        try:
            return bool(readable_now) and not self.connection.recv(1, socket.MSG_PEEK)
        except OSError:
            return True

    def _start(self, kind: str) -> None:
        self.send_response(200)
        self.send_header("content-type", kind)
        self.end_headers()

    def _write(self, text: str) -> None:
        self.wfile.write(text.encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        pass


class Server(ThreadingHTTPServer):
    """The endpoint of a mailbox; it ends with the process, whoever waits."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, mailbox: Mailbox, port: int = 0) -> None:
        super().__init__((LOOPBACK, port), Handler)
        self.mailbox = mailbox
        self.url = f"http://{LOOPBACK}:{self.server_port}"


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    options.add_argument("--port", type=int, default=0)
    given = options.parse_args()
    with Server(Mailbox(given.folder), given.port) as server:
        print(server.url, flush=True)
        server.serve_forever()


if __name__ == "__main__":
    main()
