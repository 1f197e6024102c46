"""One call on its way: to the endpoint, and back to the agent piece by piece."""

import json
import time
from dataclasses import replace

import httpx
from anyio import CancelScope, create_task_group
from starlette.types import Receive, Scope, Send

from edgekernelbench.agents.proxy import refusals
from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.desk import Desk
from edgekernelbench.agents.proxy.events import Event, EventReader
from edgekernelbench.agents.proxy.gate import Spent
from edgekernelbench.agents.proxy.refusals import Refusal
from edgekernelbench.agents.proxy.rewriting import Asked, write_request
from edgekernelbench.agents.proxy.routes import Route
from edgekernelbench.agents.proxy.tally import Tally

PASSED_ON = ("content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id")
"""Headers of an answer that an agent sees."""

LIMITS_OF_PROVIDERS = ("anthropic-ratelimit-", "x-ratelimit-")

EVENTS = "text/event-stream"

DONE = "[DONE]"
"""What ends the pieces of a chat completion."""


class Relay:
    """One call; an ASGI application that answers it.

    Args:
        desk: What calls share.
        asked: What the agent asks.
        url: Where it goes.
    """

    def __init__(self, desk: Desk, asked: Asked, url: str) -> None:
        self._desk, self._asked, self._url = desk, asked, url
        self._tally = Tally(asked.route)
        self._fate = Fate.CANCELLED
        self._status = 0
        self._error = self._request_id = ""
        self._body = b""
        self._reply = bytearray()
        self._noted = False
        self._start = time.monotonic_ns()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, until it is answered or nobody waits for it any more."""
        async with create_task_group() as group:
            self._desk.under_way.add(group.cancel_scope)
            group.start_soon(_cancel_when_gone, receive, group.cancel_scope)
            try:
                await self._go(scope, receive, send)
            finally:
                self._desk.under_way.discard(group.cancel_scope)
                group.cancel_scope.cancel()

    async def _go(self, scope: Scope, receive: Receive, send: Send) -> None:
        ticket = await self._desk.gate.enter(self._asked.wanted, self._asked.prompt)
        if isinstance(ticket, Spent):
            await self._refuse(refusals.spent(ticket.reason), scope, receive, send)
            return
        try:
            body = write_request(self._asked, self._desk.upstream, ticket.room)
            if body is None:
                left = f"{ticket.room:,} tokens are left, too few for an answer with thinking"
                await self._refuse(refusals.spent(left), scope, receive, send)
                return
            self._body = body
            await self._ask(scope, receive, send)
        finally:
            self._note()
            with CancelScope(shield=True):
                await self._desk.gate.leave(ticket)

    async def _ask(self, scope: Scope, receive: Receive, send: Send) -> None:
        upstream, wire = self._desk.upstream, self._asked.route.wire
        headers = {
            **self._asked.headers,
            **upstream.authorisation(wire),
            "content-type": "application/json",
            # Pieces of a packed answer would come when the packing likes.
            "accept-encoding": "identity",
        }
        asking = self._desk.client.stream(
            "POST", self._url, params=self._asked.query or None, content=self._body, headers=headers
        )
        try:
            async with asking as response:
                await self._pass_on(response, send)
        except httpx.HTTPError as error:
            self._error = f"{type(error).__name__}: {error}".rstrip(": ")
            if self._status:
                self._fate = Fate.BROKEN
                return  # what the agent has is cut off, as it was here
            self._fate = Fate.FAILED
            timed_out = isinstance(error, httpx.TimeoutException)
            await self._refuse(refusals.unreachable(self._error, timed_out=timed_out), scope, receive, send)

    async def _pass_on(self, response: httpx.Response, send: Send) -> None:
        self._request_id = response.headers.get("request-id") or response.headers.get("x-request-id") or ""
        headers = [
            (name.encode(), value.encode())
            for name, value in response.headers.items()
            if name in PASSED_ON or name.startswith(LIMITS_OF_PROVIDERS)
        ]
        if response.is_success and response.headers.get("content-type", "").startswith(EVENTS):
            await send({"type": "http.response.start", "status": response.status_code, "headers": headers})
            self._status = response.status_code
            await self._pass_pieces(response, send)
            return
        data = self._desk.clean(await response.aread())
        self._status = response.status_code
        self._reply += data
        self._desk.touch()
        self._read_whole(data, answered=response.is_success)
        self._note()
        headers.append((b"content-length", str(len(data)).encode()))
        await send({"type": "http.response.start", "status": self._status, "headers": headers})
        await send({"type": "http.response.body", "body": data})

    async def _pass_pieces(self, response: httpx.Response, send: Send) -> None:
        reader = EventReader()
        async for piece in response.aiter_raw():
            self._desk.touch()
            passed = b"".join(event.raw for event in reader.feed(piece) if self._is_passed(event))
            if passed:
                await send(
                    {"type": "http.response.body", "body": self._desk.clean(passed), "more_body": True}
                )
        self._end_of_pieces()
        await send({"type": "http.response.body", "body": self._desk.clean(reader.rest())})

    def _is_passed(self, event: Event) -> bool:
        """Read a piece; say whether the agent expects it."""
        self._reply += self._desk.clean(event.raw)
        row = _parse(event.data)
        self._tally.read_event(row)
        if event.data == DONE or self._tally.ended:
            self._end_of_pieces()
        if self._asked.route is not Route.CHAT or self._asked.shows_usage or not isinstance(row, dict):
            return True
        # The piece that has the tokens and no answer came because the proxy asked for it.
        return bool(row.get("choices")) or not row.get("usage")

    def _end_of_pieces(self) -> None:
        self._error = self._tally.error
        self._fate = Fate.BROKEN if self._error else Fate.ANSWERED
        self._note()

    def _read_whole(self, data: bytes, *, answered: bool) -> None:
        if answered:
            self._fate = Fate.ANSWERED
            self._tally.read_reply(_parse(data.decode("utf-8", "replace")))
        else:
            self._fate = Fate.FAILED
            self._error = f"status {self._status}: {data[:400].decode('utf-8', 'replace')}"

    async def _refuse(self, refusal: Refusal, scope: Scope, receive: Receive, send: Send) -> None:
        if self._fate is Fate.CANCELLED:
            self._fate, self._error = Fate.REFUSED, refusal.message
        self._status = refusal.status
        self._note()
        await refusal.response(self._asked.route.wire)(scope, receive, send)

    def _note(self) -> None:
        """Tell of the call, once.

        Before the agent has the end of the answer: what it asks next finds the account as it is.
        """
        if self._noted:
            return
        self._noted = True
        asked, tally = self._asked, self._tally
        call = Call(
            route=asked.route,
            fate=self._fate,
            status=self._status,
            asked=asked.model,
            model=tally.model,
            streamed=asked.streamed,
            latency_ns=time.monotonic_ns() - self._start,
            retry=asked.retry,
            request_id=self._request_id or tally.request_id,
            dropped=asked.dropped,
            request=self._body,
            reply=bytes(self._reply),
            error=self._error,
        )
        self._desk.note(replace(call, usage=tally.usage(asked.prompt)) if call.counts else call)


async def _cancel_when_gone(receive: Receive, scope: CancelScope) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
    scope.cancel()


def _parse(text: str) -> object:
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None  # `[DONE]`, a comment
    return value
