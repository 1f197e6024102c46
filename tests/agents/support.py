"""What the tests of agents share: a tiny HTTP server that behaves as it is told, and small values."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from time import sleep

from edgekernelbench.agents.models.protocol import Message, Request, Role

KERNEL = '''def double(x: f32[8]):
    """Twice."""

    with compute:
        out[i]: f32[8] = 2.0 * x[i]
        return out
'''


def ask(text: str = "hello", **fields: object) -> Request:
    return Request((Message(Role.SYSTEM, "rules"), Message(Role.USER, text)), **fields)  # type: ignore[arg-type]


@dataclass
class Canned:
    """One answer of the fake server."""

    body: str
    status: int = 200
    delay_s: float = 0.0


@dataclass
class Fake:
    """A server that gives canned answers in turn, the last one again and again."""

    url: str
    asked: list[dict[str, object]] = field(default_factory=list)


def completion(text: str, *, usage: object = None, finish: str = "stop") -> Canned:
    row = {
        "id": "chat-1",
        "object": "chat.completion",
        "created": 1,
        "model": "fake-1",
        "choices": [{"index": 0, "finish_reason": finish, "message": {"role": "assistant", "content": text}}],
    }
    return Canned(json.dumps(row if usage is None else {**row, "usage": usage}))


@contextmanager
def serving(answers: Sequence[Canned]) -> Iterator[Fake]:
    fake = Fake("")

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            length = int(self.headers["content-length"])
            canned = answers[min(len(fake.asked), len(answers) - 1)]
            fake.asked.append(json.loads(self.rfile.read(length)))
            sleep(canned.delay_s)
            body = canned.body.encode()
            try:
                self.send_response(canned.status)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(body)))
                self.send_header("retry-after-ms", "1")
                self.end_headers()
                self.wfile.write(body)
            except (BrokenPipeError, ConnectionResetError):
                pass  # the client had no patience, which is what some tests want

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    fake.url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    try:
        yield fake
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
