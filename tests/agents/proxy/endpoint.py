"""An endpoint that does what a script says: pieces, pauses, errors, and going away in the middle."""

import json
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any

from edgekernelbench.agents.protocol import Left
from edgekernelbench.agents.proxy.calls import Call
from edgekernelbench.agents.proxy.server import CountingProxy
from edgekernelbench.agents.proxy.upstream import Upstream

KEY = "sk-the-key-of-this-test"
PATIENCE_S = 10.0

CHAT = {
    "id": "chat-1",
    "object": "chat.completion",
    "created": 1,
    "model": "fake-2026-01-01",
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi"}}],
    "usage": {"prompt_tokens": 12, "completion_tokens": 7, "total_tokens": 19},
}
MESSAGE = {
    "id": "msg-1",
    "type": "message",
    "role": "assistant",
    "model": "fake-2026-01-01",
    "content": [{"type": "text", "text": "hi"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {
        "input_tokens": 10,
        "cache_creation_input_tokens": 5,
        "cache_read_input_tokens": 30,
        "output_tokens": 7,
    },
}
RESPONSE = {
    "id": "resp-1",
    "object": "response",
    "created_at": 1,
    "model": "fake-2026-01-01",
    "status": "completed",
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
    "output": [
        {
            "type": "message",
            "id": "m",
            "role": "assistant",
            "status": "completed",
            "content": [{"type": "output_text", "text": "hi", "annotations": []}],
        }
    ],
    "usage": {
        "input_tokens": 20,
        "input_tokens_details": {"cached_tokens": 8},
        "output_tokens": 6,
        "output_tokens_details": {"reasoning_tokens": 2},
        "total_tokens": 26,
    },
}


def event(row: object, name: str = "") -> bytes:
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(row)}\n\n".encode()


def chunk(text: str = "", **fields: object) -> bytes:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": None}
    row = {**CHAT, "object": "chat.completion.chunk", "choices": [choice], "usage": None}
    return event({**row, **fields})


CHAT_PIECES = (
    chunk("he"),
    chunk("llo"),
    chunk(choices=[], usage={"prompt_tokens": 12, "completion_tokens": 2, "total_tokens": 14}),
    b"data: [DONE]\n\n",
)
START = {**MESSAGE, "content": [], "stop_reason": None, "usage": {"input_tokens": 11, "output_tokens": 1}}
MESSAGE_PIECES = (
    event({"type": "message_start", "message": START}, "message_start"),
    event(
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        "content_block_start",
    ),
    event(
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "hello"}},
        "content_block_delta",
    ),
    event({"type": "content_block_stop", "index": 0}, "content_block_stop"),
    event(
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 4}},
        "message_delta",
    ),
    event({"type": "message_stop"}, "message_stop"),
)
RESPONSE_PIECES = (
    event(
        {"type": "response.output_text.delta", "delta": "hi", "sequence_number": 1},
        "response.output_text.delta",
    ),
    event({"type": "response.completed", "response": RESPONSE, "sequence_number": 2}, "response.completed"),
)


@dataclass
class Script:
    """One answer: a whole one, or pieces. An `Event` among them is waited for; `cut` ends without an end."""

    body: object = None
    status: int = 200
    pieces: Sequence[bytes | Event] = ()
    headers: dict[str, str] = field(default_factory=dict)
    wait: Event | None = None
    cut: bool = False


@dataclass
class Heard:
    """What the endpoint was asked."""

    path: str
    headers: dict[str, str]
    row: Any


@dataclass
class Endpoint:
    url: str = ""
    asked: list[Heard] = field(default_factory=list)
    left_alone: Event = field(default_factory=Event)
    """Set when a client went away in the middle of an answer."""


def whole(handler: BaseHTTPRequestHandler, script: Script) -> None:
    if script.wait is not None:
        script.wait.wait(PATIENCE_S)
    text = script.body if isinstance(script.body, str) else json.dumps(script.body)
    handler.send_response(script.status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(len(text.encode())))
    for name, value in script.headers.items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(text.encode())


def in_pieces(handler: BaseHTTPRequestHandler, script: Script) -> None:
    handler.send_response(script.status)
    handler.send_header("content-type", "text/event-stream; charset=utf-8")
    handler.send_header("transfer-encoding", "chunked")
    handler.end_headers()
    for piece in script.pieces:
        if isinstance(piece, Event):
            piece.wait(PATIENCE_S)
        else:
            handler.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            handler.wfile.flush()
    if not script.cut:
        handler.wfile.write(b"0\r\n\r\n")
    handler.close_connection = True


@contextmanager
def endpoint(*scripts: Script) -> Iterator[Endpoint]:
    """Serve scripts in turn, the last one again and again."""
    known = Endpoint()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            script = scripts[min(len(known.asked), len(scripts) - 1)]
            headers = {name.lower(): value for name, value in self.headers.items()}
            known.asked.append(Heard(self.path, headers, json.loads(self.rfile.read(length))))
            try:
                (in_pieces if script.pieces else whole)(self, script)
            except (BrokenPipeError, ConnectionResetError):
                known.left_alone.set()
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    known.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield known
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def no_limit() -> Left:
    return Left()


@contextmanager
def proxied(
    known: Endpoint, heard: list[Call], admit: Callable[[], Left] = no_limit
) -> Iterator[CountingProxy]:
    """A proxy before an endpoint that speaks both languages."""
    upstream = Upstream("pinned", openai=f"{known.url}/v1", anthropic=known.url, key=KEY)
    with CountingProxy(upstream, admit, heard.append) as proxy:
        yield proxy
