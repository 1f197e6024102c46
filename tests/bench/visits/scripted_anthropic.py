"""A tiny endpoint that speaks Anthropic's messages in pieces, and calls tools as a script says."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

READ, WRITTEN = 1000, 50


@dataclass
class Scripted:
    """The endpoint.

    Attributes:
        url: Its address.
        asked: Bodies of the calls, in order.
        keys: What was sent as a key.
    """

    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def scripted_anthropic(tools: Sequence[tuple[str, dict[str, object]]]) -> Iterator[Scripted]:
    """Serve: the n-th call of a conversation with tools gets the n-th tool; after the last one, it ends."""
    endpoint = Scripted("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            endpoint.asked.append(body)
            endpoint.keys.append(self.headers.get("x-api-key", ""))
            done = _results(body)
            working = bool(body.get("tools")) and done < len(tools)
            events = _pieces(body, *tools[done], done) if working else _pieces(body, "", {}, done)
            self.send_response(200)
            self.send_header("content-type", "text/event-stream")
            self.end_headers()
            for event in events:
                self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

        def do_HEAD(self) -> None:
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        endpoint.url = f"http://127.0.0.1:{server.server_address[1]}"
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield endpoint
        finally:
            server.shutdown()


def _results(body: dict[str, Any]) -> int:
    blocks = [turn["content"] for turn in body["messages"] if isinstance(turn["content"], list)]
    return sum(block.get("type") == "tool_result" for some in blocks for block in some)


def _pieces(body: dict[str, Any], tool: str, given: dict[str, object], at: int) -> list[dict[str, Any]]:
    usage = {"input_tokens": READ, "output_tokens": 1}
    message = {
        "id": f"msg_{at}",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": [],
    }
    text = {"type": "text_delta", "text": f"Step {at}." if tool else "Done."}
    found: list[dict[str, Any]] = [
        {"type": "message_start", "message": {**message, "stop_reason": None, "usage": usage}},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": text},
        {"type": "content_block_stop", "index": 0},
    ]
    if tool:
        block = {"type": "tool_use", "id": f"toolu_{at}", "name": tool, "input": {}}
        piece = {"type": "input_json_delta", "partial_json": json.dumps(given)}
        found += [
            {"type": "content_block_start", "index": 1, "content_block": block},
            {"type": "content_block_delta", "index": 1, "delta": piece},
            {"type": "content_block_stop", "index": 1},
        ]
    end = {"stop_reason": "tool_use" if tool else "end_turn", "stop_sequence": None}
    found += [
        {"type": "message_delta", "delta": end, "usage": {"output_tokens": WRITTEN}},
        {"type": "message_stop"},
    ]
    return found
