"""The doors of one attempt as an MCP server: on standard input and output, or over HTTP on this machine."""

import hmac
import socket
from functools import partial
from importlib.metadata import version
from threading import Thread
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from edgekernelbench.agents.hosted import Counter
from edgekernelbench.agents.protocol import Task
from edgekernelbench.base.errors import PrerequisiteError

if TYPE_CHECKING:
    from mcp.server import MCPServer

REMEDY = "pip install 'edgekernelbench[mcp]'"
LOOPBACK = "127.0.0.1"
END_S = 5.0
"""Patience for a server in a thread to end."""
ABOUT = (
    "Write a compute kernel for an edge device in the kernel language of EdgeKernelBench. Read the task, "
    "check texts as often as you like, measure the good ones: measurements are counted. The best measured "
    "text counts."
)


def make_server(counter: Counter) -> "MCPServer":
    """Make the server of a counter: five tools, three resources.

    Args:
        counter: What may be asked.

    Returns:
        The SDK's server.

    Raises:
        PrerequisiteError: When the SDK is not installed.
    """
    try:
        from anyio import to_thread  # noqa: PLC0415
        from mcp.server import MCPServer  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError("the SDK of MCP is not installed", REMEDY) from error
    server = MCPServer(
        "edgekernelbench", instructions=ABOUT, version=version("edgekernelbench"), log_level="ERROR"
    )

    @server.tool(structured_output=False)
    def task() -> str:
        """Read the task: the rules, the language, the signature, the reference, the device, the budget."""
        return counter.card()

    @server.tool(structured_output=False)
    async def check(text: str) -> str:
        """Check a whole kernel text, free: is it legal, does it fit, is it right on public inputs?"""
        return await to_thread.run_sync(partial(counter.check, text), abandon_on_cancel=True)

    @server.tool(structured_output=False)
    async def measure(text: str) -> str:
        """Measure a whole kernel text on the device: one submission of the budget."""
        return await to_thread.run_sync(partial(counter.measure, text), abandon_on_cancel=True)

    @server.tool(structured_output=False)
    def best() -> str:
        """Read the best text that was measured so far: it is your answer."""
        return counter.best()

    @server.tool(structured_output=False)
    def budget() -> str:
        """Read what is left of the budget."""
        return counter.left()

    _add_pages(server, counter.task)
    return server


def _add_pages(server: "MCPServer", task: Task) -> None:
    @server.resource("ekb://language", mime_type="text/markdown")
    def language() -> str:
        """The reference of the kernel language."""
        return task.language

    @server.resource("ekb://examples", mime_type="text/markdown")
    def examples() -> str:
        """Worked examples near to the task."""
        return task.examples

    @server.resource("ekb://device", mime_type="text/plain")
    def device() -> str:
        """The device that kernels are measured on."""
        return task.device


def serve_stdio(counter: Counter) -> None:
    """Serve on standard input and output until the client leaves.

    Raises:
        PrerequisiteError: When the SDK is not installed.
    """
    make_server(counter).run("stdio")


def serve_http(counter: Counter, port: int, token: str) -> None:
    """Serve over HTTP on this machine alone until the process is interrupted.

    Args:
        counter: What may be asked.
        port: The port.
        token: What clients must send: `Authorization: Bearer TOKEN`.

    Raises:
        PrerequisiteError: When the SDK is not installed, or the port is taken.
    """
    app = _http_app(counter, port, token)
    import uvicorn  # noqa: PLC0415

    settings = uvicorn.Config(app, host=LOOPBACK, port=port, log_level="error")
    try:
        uvicorn.Server(settings).run()
    except SystemExit as error:
        raise PrerequisiteError(f"port {port} cannot be served", "name another with --port") from error


class HttpDoor:
    """The server over HTTP in a thread of its own, on a socket that listens already.

    Attributes:
        url: Where, as the agent sees it.
    """

    def __init__(self, counter: Counter, token: str, listen: socket.socket) -> None:
        """Begin to serve.

        Args:
            counter: What may be asked.
            token: What clients must send.
            listen: The socket; it is closed at the end.

        Raises:
            PrerequisiteError: When the SDK is not installed.
        """
        port = listen.getsockname()[1]
        app = _http_app(counter, port, token)
        import uvicorn  # noqa: PLC0415

        self.url = f"http://{LOOPBACK}:{port}/mcp"
        self._listen = listen
        self._server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        self._thread = Thread(target=self._server.run, args=([listen],), name="mcp", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Serve no longer; who is being answered is not waited for long."""
        self._server.should_exit = True
        self._thread.join(timeout=END_S)
        self._listen.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _http_app(counter: Counter, port: int, token: str) -> Any:
    """Make the ASGI application: the server, behind the token, for this machine's own names alone."""
    server = make_server(counter)
    from mcp.server.transport_security import TransportSecuritySettings  # noqa: PLC0415

    hosts = [f"{name}:{port}" for name in (LOOPBACK, "localhost")]
    security = TransportSecuritySettings(
        allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
    )
    return with_token(server.streamable_http_app(transport_security=security, host=LOOPBACK), token)


def with_token(app: Any, token: str) -> Any:
    """Let nobody in who does not send the token.

    Args:
        app: An ASGI application.
        token: What `Authorization: Bearer` must have.
    """
    expected = f"Bearer {token}".encode()

    async def guarded(scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "http":
            given = dict(scope["headers"]).get(b"authorization", b"")
            if not hmac.compare_digest(given, expected):
                headers = [(b"content-type", b"text/plain"), (b"www-authenticate", b"Bearer")]
                await send({"type": "http.response.start", "status": 401, "headers": headers})
                await send({"type": "http.response.body", "body": b"expected the token of this server"})
                return
        await app(scope, receive, send)

    return guarded
