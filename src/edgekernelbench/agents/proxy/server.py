"""The counting proxy: an agent's only way to a model.

```text
agent ──(throwaway token)──▶ CountingProxy ──(the key)──▶ endpoint
                                  │ admit: what is left?
                                  └ heard: tokens of every call
```
"""

import secrets
import socket
from asyncio import AbstractEventLoop, get_running_loop, run
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from ipaddress import ip_address
from types import TracebackType
from typing import Self

from edgekernelbench.agents.proxy.calls import Call
from edgekernelbench.agents.proxy.desk import Desk, Heard
from edgekernelbench.agents.proxy.gate import Admit, Gate
from edgekernelbench.agents.proxy.upstream import Upstream
from edgekernelbench.base.errors import InternalError, PrerequisiteError

try:
    import httpx
    import uvicorn

    from edgekernelbench.agents.proxy.doors import make_app
except ImportError as error:
    raise PrerequisiteError(
        f"the packages of the proxy are not installed: {error.name}", "pip install 'edgekernelbench[proxy]'"
    ) from error

LOOPBACK = "127.0.0.1"
BACKLOG = 128
CONNECT_S = 20.0
LINGER_S = 1
"""How long connections may take to end after the proxy was closed."""


class CountingProxy:
    """A proxy for one attempt of one agent, for as long as the `with` lasts.

    It answers on the loopback or on a unix socket, to those that send its token, with one model. It tries
    nothing again: every try of the agent's client is a call.

    Args:
        upstream: The endpoint.
        admit: Says what is left; called before each call.
        heard: Is told of each call that went to the endpoint.
        listen: A socket that is bound to a loopback or unix address, also one of another network namespace;
            the proxy closes it. None takes a free port of 127.0.0.1.
        token: What the agent sends as its key; empty draws one.

    Raises:
        PrerequisiteError: When the socket could be reached from other machines.

    Attributes:
        token: What the agent sends.
        url: The address without version; empty on a unix socket.
    """

    def __init__(
        self,
        upstream: Upstream,
        admit: Admit,
        heard: Heard,
        *,
        listen: socket.socket | None = None,
        token: str = "",
    ) -> None:
        self.token = token or f"ekb-{secrets.token_urlsafe(24)}"
        self._upstream, self._admit, self._heard = upstream, admit, heard
        self._socket = _free_port() if listen is None else listen
        self.url = _address(self._socket)
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="proxy")
        self._desk: Desk | None = None
        self._loop: AbstractEventLoop | None = None
        self._server: _Server | None = None
        self._end: Future[None] | None = None

    def __enter__(self) -> Self:
        up: Future[None] = Future()
        self._end = self._pool.submit(run, self._serve(up))
        # A server that ends before it is up has failed.
        self._end.add_done_callback(lambda end: _fail(up, end))
        up.result()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._end is not None and not self._end.done():
            self._loop.call_soon_threadsafe(self._leave)
        self._pool.shutdown(wait=True)

    @property
    def environment(self) -> Mapping[str, str]:
        """Variables that send the clients of both providers to this proxy."""
        return {
            "OPENAI_BASE_URL": f"{self.url}/v1",
            "OPENAI_API_KEY": self.token,
            "ANTHROPIC_BASE_URL": self.url,
            "ANTHROPIC_API_KEY": self.token,
        }

    @property
    def busy(self) -> int:
        """Calls that are being answered."""
        return len(self._at_desk().under_way)

    @property
    def last_activity(self) -> float:
        """When the last byte was seen, by `time.monotonic`."""
        return self._at_desk().last_activity

    @property
    def failures(self) -> tuple[str, ...]:
        """What went wrong that is not the agent's fault, the last one last."""
        return tuple(self._at_desk().failures)

    @property
    def refused(self) -> tuple[Call, ...]:
        """Calls that went nowhere."""
        return tuple(self._at_desk().refused)

    def _at_desk(self) -> Desk:
        if self._desk is None:
            raise InternalError("the proxy was asked before it was started")
        return self._desk

    async def _serve(self, up: "Future[None]") -> None:
        self._loop = get_running_loop()
        patience = httpx.Timeout(self._upstream.timeout_s, connect=CONNECT_S)
        limits = httpx.Limits(max_connections=None)
        async with httpx.AsyncClient(timeout=patience, limits=limits) as client:
            self._desk = Desk(self._upstream, client, Gate(self._admit), self._heard)
            config = uvicorn.Config(
                make_app(self._desk, self.token),
                log_config=None,
                log_level="critical",
                lifespan="off",
                ws="none",
                timeout_graceful_shutdown=LINGER_S,
                server_header=False,
            )
            self._server = _Server(config, up)
            await self._server.serve(sockets=[self._socket])

    def _leave(self) -> None:
        for scope in tuple(self._at_desk().under_way):
            scope.cancel()
        if self._server is not None:
            self._server.should_exit = True


class _Server(uvicorn.Server):
    """Says when it is up."""

    def __init__(self, config: uvicorn.Config, up: "Future[None]") -> None:
        super().__init__(config)
        self._up = up

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        self._up.set_result(None)


def _fail(up: "Future[None]", end: "Future[None]") -> None:
    if up.done():
        return
    up.set_exception(end.exception() or InternalError("the proxy ended before it was up"))


def _free_port() -> socket.socket:
    found = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    found.bind((LOOPBACK, 0))
    found.listen(BACKLOG)
    return found


def _address(listen: socket.socket) -> str:
    """Give the address of a socket that only this machine can reach."""
    if listen.family == socket.AF_UNIX:
        return ""
    host, port = listen.getsockname()[:2]
    if not ip_address(host).is_loopback:
        raise PrerequisiteError(f"the proxy was to listen on {host}", "bind it to 127.0.0.1 or a unix socket")
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
