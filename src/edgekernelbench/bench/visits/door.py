"""The door of the shell: what an agent's `ekb check` and `ekb measure` come to, over HTTP on its loopback."""

import hmac
import json
import socket
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import BoundedSemaphore, Lock, Thread
from types import TracebackType
from typing import Any, Self

from edgekernelbench.agents.hosted import Counter, Said
from edgekernelbench.lang.source import MAX_SOURCE_CHARS
from edgekernelbench.records.schema import storable

MOST_BYTES = 4 * MAX_SOURCE_CHARS + 4
"""More characters than a text may have, whatever they are in UTF-8: what follows is not read."""
PATIENCE_S = 30.0
"""For a client to say what it wants."""
AT_ONCE = 8
"""Requests at one time; more are turned away."""
CONNECTIONS = 32
"""Connections at one time; more are closed."""


class _Server(ThreadingHTTPServer):
    """One thread a connection, and not too many of them: agents may open what they like."""

    daemon_threads = True
    block_on_close = False

    def __init__(self, listen: socket.socket, handler: type[BaseHTTPRequestHandler]) -> None:
        super().__init__(listen.getsockname()[:2], handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listen
        self._room = BoundedSemaphore(CONNECTIONS)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Answer in a thread of its own, if there is room."""
        if self._room.acquire(blocking=False):
            super().process_request(request, client_address)
        else:
            self.shutdown_request(request)

    def process_request_thread(self, request: Any, client_address: Any) -> None:
        """Answer, and make room again."""
        try:
            super().process_request_thread(request, client_address)
        finally:
            self._room.release()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Say nothing of clients that hang up; everything else is a fault of ours."""
        if not isinstance(sys.exception(), OSError):
            super().handle_error(request, client_address)


class ShellDoor:
    """Serves a counter to whoever has the token.

    Attributes:
        url: Where, as the agent sees it.
    """

    def __init__(self, counter: Counter, token: str, listen: socket.socket) -> None:
        """Begin to serve.

        Args:
            counter: What may be asked.
            token: What clients must send: `Authorization: Bearer TOKEN`.
            listen: A socket that listens; it is closed at the end.
        """
        self.url = "http://{}:{}".format(*listen.getsockname()[:2])
        self._counter, self._expected = counter, f"Bearer {token}".encode()
        self._busy = 0
        self._lock = Lock()
        self._server = _Server(listen, self._handler())
        self._thread = Thread(target=self._server.serve_forever, args=(0.05,), name="door", daemon=True)
        self._thread.start()

    def ask(self, given: str, name: str, text: bytes) -> tuple[int, str]:
        """Answer one request: status and body."""
        if not hmac.compare_digest(given.encode("utf-8", "replace"), self._expected):
            return 401, "expected the token of this run"
        with self._lock:
            if self._busy >= AT_ONCE:
                return 429, f"{AT_ONCE} requests are being answered; one at a time is enough"
            self._busy += 1
        try:
            said = self._say(name, storable(text.decode("utf-8", "surrogateescape")))
        finally:
            with self._lock:
                self._busy -= 1
        if said is None:
            return 404, f"no door {name!r}; there are task, check, measure, best and budget"
        return 200, json.dumps({"text": said.text, "good": said.good})

    def _say(self, name: str, text: str) -> Said | None:
        counter = self._counter
        match name:
            case "task":
                return Said(counter.card())
            case "best":
                return Said(counter.best())
            case "budget":
                return Said(counter.left())
            case "check":
                return counter.hear_check(text)
            case "measure":
                return counter.hear_measure(text)
            case _:
                return None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        door = self

        class Handler(BaseHTTPRequestHandler):
            timeout = PATIENCE_S

            def do_GET(self) -> None:
                self._answer(b"")

            def do_POST(self) -> None:
                length = self.headers.get("Content-Length", "")
                if not length.isdecimal():
                    self._write(411, "expected a Content-Length")
                    return
                self._answer(self.rfile.read(min(int(length), MOST_BYTES)))

            def _answer(self, text: bytes) -> None:
                given = self.headers.get("Authorization", "")
                self._write(*door.ask(given, self.path.strip("/"), text))

            def _write(self, status: int, body: str) -> None:
                data = body.encode("utf-8", "replace")
                try:
                    self.send_response(status)
                    self.send_header("Content-Type", "application/json" if status == 200 else "text/plain")
                    self.send_header("Content-Length", str(len(data)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    self.close_connection = True  # the agent had no patience, or is gone

            def log_message(self, format: str, *given: Any) -> None:
                """Say nothing: standard error is for progress."""

        return Handler

    def close(self) -> None:
        """Serve no longer; who is being answered is not waited for."""
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
