"""The paths of the proxy: who may come in, what may be called."""

import hmac
from collections.abc import Awaitable, Callable

from starlette.applications import Starlette
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route as Path
from starlette.types import ASGIApp, Receive, Scope, Send

from edgekernelbench.agents.proxy import refusals
from edgekernelbench.agents.proxy.calls import Call, Fate
from edgekernelbench.agents.proxy.desk import Desk
from edgekernelbench.agents.proxy.refusals import Refusal
from edgekernelbench.agents.proxy.relay import Relay
from edgekernelbench.agents.proxy.rewriting import BadRequest, read_request
from edgekernelbench.agents.proxy.routes import Route, Wire

LONGEST_BODY = 32 * 1024 * 1024
"""What Anthropic's API takes."""

SENT_ON = ("accept", "user-agent", "anthropic-version", "anthropic-beta", "openai-beta")
"""Headers of an agent that the endpoint sees."""

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]

RETRY = "x-stainless-retry-count"
"""Where the official clients say which further try it is."""


def make_app(desk: Desk, token: str) -> ASGIApp:
    """Make the application of a proxy.

    Args:
        desk: What its calls share.
        token: What agents must send as their key.
    """
    paths = [Path(route.path, _asking(desk, route), methods=["POST"]) for route in Route]
    models = Path("/v1/models{rest:path}", _models(desk), methods=["GET"])
    return _guarded(
        desk, Starlette(routes=[*paths, models, Path("/{rest:path}", _nothing(desk), methods=METHODS)]), token
    )


def _guarded(desk: Desk, app: ASGIApp, token: str) -> ASGIApp:
    """Let nobody in who does not send the token."""

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        desk.touch()
        given = [
            request.headers.get("x-api-key", ""),
            request.headers.get("authorization", "").removeprefix("Bearer "),
        ]
        if any(hmac.compare_digest(one.encode(), token.encode()) for one in given):
            await app(scope, receive, send)
        else:
            answer = _refuse(desk, request, None, refusals.no_token())
            await answer(scope, receive, send)

    return guarded


def _asking(desk: Desk, route: Route) -> Callable[[Request], Awaitable[ASGIApp]]:
    async def ask(request: Request) -> ASGIApp:
        url = desk.upstream.url(route)
        if url is None:
            return _refuse(desk, request, route, refusals.not_spoken(route.wire, desk.upstream.model))
        try:
            body = await _read(request)
            if body is None:
                return _refuse(desk, request, route, refusals.too_long(LONGEST_BODY))
            asked = read_request(route, body)
        except BadRequest as error:
            return _refuse(desk, request, route, refusals.no_request(str(error)))
        except ClientDisconnect:
            return Response()  # to nobody
        retry = request.headers.get(RETRY, "")
        headers = {name: request.headers[name] for name in SENT_ON if name in request.headers}
        return Relay(
            desk,
            asked.sent(headers, query=request.url.query, retry=int(retry) if retry.isdecimal() else 0),
            url,
        )

    return ask


async def _read(request: Request) -> bytes | None:
    """Read a body; None when it is too long."""
    body = bytearray()
    async for piece in request.stream():
        body += piece
        if len(body) > LONGEST_BODY:
            return None
    return bytes(body)


def _models(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def models(request: Request) -> Response:
        """Say which model there is."""
        name = desk.upstream.model
        row = {"id": name, "object": "model", "created": 0, "owned_by": "edgekernelbench"}
        if _wire(request) is Wire.ANTHROPIC:
            row = {"type": "model", "id": name, "display_name": name, "created_at": "1970-01-01T00:00:00Z"}
        if request.path_params["rest"].strip("/"):
            return JSONResponse(row)
        return JSONResponse(
            {"object": "list", "data": [row], "has_more": False, "first_id": name, "last_id": name}
        )

    return models


def _nothing(desk: Desk) -> Callable[[Request], Awaitable[Response]]:
    async def nothing(request: Request) -> Response:
        return _refuse(desk, request, None, refusals.no_route(request.url.path))

    return nothing


def _refuse(desk: Desk, request: Request, route: Route | None, refusal: Refusal) -> Response:
    desk.note(Call(route, Fate.REFUSED, refusal.status, error=refusal.message))
    return refusal.response(_wire(request) if route is None else route.wire)


def _wire(request: Request) -> Wire:
    """Say in whose language a client expects to be told no."""
    named = "anthropic-version" in request.headers or request.url.path.startswith(Route.MESSAGES.path)
    return Wire.ANTHROPIC if named else Wire.OPENAI
