"""What goes on to the endpoint, and what does not."""

import json

import pytest

from edgekernelbench.agents.proxy.rewriting import DROPPED_FIELDS, BadRequest, read_request, write_request
from edgekernelbench.agents.proxy.routes import Route
from edgekernelbench.agents.proxy.upstream import OPENAI, Upstream

OTHERS = Upstream("pinned", openai="http://127.0.0.1:9/v1", anthropic="http://127.0.0.1:9")


def sent(
    route: Route, row: dict[str, object], room: int | None = None, upstream: Upstream = OTHERS
) -> dict[str, object] | None:
    body = write_request(read_request(route, json.dumps(row).encode()), upstream, room)
    if body is None:
        return None
    found: dict[str, object] = json.loads(body)
    return found


def test_a_request_without_limits_keeps_everything_but_the_model() -> None:
    row: dict[str, object] = {
        "model": "m",
        "messages": [{"role": "user", "content": "é"}],
        "temperature": 0.3,
    }
    assert sent(Route.CHAT, row) == {**row, "model": "pinned"}


@pytest.mark.parametrize(
    ("route", "row", "room", "limits"),
    [
        (Route.CHAT, {"max_tokens": 100}, 40, {"max_tokens": 40}),
        (Route.CHAT, {"max_tokens": 30}, 40, {"max_tokens": 30}),
        (Route.CHAT, {"max_completion_tokens": 100}, 40, {"max_completion_tokens": 40}),
        (Route.CHAT, {"max_tokens": 100, "n": 4}, 40, {"max_tokens": 10}),
        (Route.CHAT, {}, 40, {"max_tokens": 40}),
        (Route.CHAT, {}, 100_000, {}),
        (Route.RESPONSES, {"max_output_tokens": 100}, 40, {"max_output_tokens": 40}),
        (Route.RESPONSES, {}, 3, {"max_output_tokens": 16}),
        (Route.MESSAGES, {"max_tokens": 100}, 40, {"max_tokens": 40}),
        (Route.COUNT, {}, 40, {}),
    ],
)
def test_an_answer_may_have_what_is_left(
    route: Route, row: dict[str, object], room: int, limits: dict[str, object]
) -> None:
    found = sent(route, row, room) or {}
    assert {key: value for key, value in found.items() if key.startswith("max")} == limits


def test_the_newer_field_goes_to_who_refuses_the_older() -> None:
    assert sent(Route.CHAT, {}, 40, Upstream("p", openai=OPENAI)) == {
        "model": "p",
        "max_completion_tokens": 40,
    }


@pytest.mark.parametrize(
    ("room", "budget"), [(9000, 4000), (3000, 2999), (1025, 1024), (1024, None), (7, None)]
)
def test_thinking_has_room_in_the_answer_or_there_is_none(room: int, budget: int | None) -> None:
    row: dict[str, object] = {"max_tokens": 8000, "thinking": {"type": "enabled", "budget_tokens": 4000}}
    found = sent(Route.MESSAGES, row, room)
    thinking = None if found is None else found["thinking"]
    assert thinking == (None if budget is None else {"type": "enabled", "budget_tokens": budget})


@pytest.mark.parametrize(
    ("route", "tool", "kept"),
    [
        (Route.CHAT, {"type": "function", "function": {"name": "f"}}, True),
        (Route.RESPONSES, {"type": "custom", "name": "apply"}, True),
        (Route.RESPONSES, {"type": "local_shell"}, True),
        (Route.RESPONSES, {"type": "web_search"}, False),
        (Route.RESPONSES, {"type": "mcp", "server_url": "https://elsewhere.example"}, False),
        (Route.MESSAGES, {"name": "f"}, True),
        (Route.MESSAGES, {"type": "bash_20250124", "name": "bash"}, True),
        (Route.MESSAGES, {"type": "web_fetch_20250910", "name": "web_fetch"}, False),
        (Route.MESSAGES, {"type": "code_execution_20250825", "name": "code"}, False),
    ],
)
def test_tools_of_the_agent_stay_and_those_of_the_provider_go(
    route: Route, tool: dict[str, object], kept: bool
) -> None:
    row: dict[str, object] = {"model": "m", "tools": [tool], "tool_choice": "auto"}
    wanted = {**row, "model": "pinned"} if kept else {"model": "pinned"}
    assert sent(route, row) == wanted
    asked = read_request(route, json.dumps(row).encode())
    assert asked.dropped == (() if kept else (str(tool["type"]),))


@pytest.mark.parametrize("route", list(Route))
@pytest.mark.parametrize("field", DROPPED_FIELDS)
def test_what_leads_round_the_proxy_is_taken_out_and_named(route: Route, field: str) -> None:
    row: dict[str, object] = {"model": "m", field: ["x"]}
    assert sent(route, row) == {"model": "pinned"}
    assert read_request(route, json.dumps(row).encode()).dropped == (field,)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b'"x"', b"\xff", b"[" * 100_000])
def test_what_is_no_request_is_refused(body: bytes) -> None:
    with pytest.raises(BadRequest, match="expected a JSON object, found"):
        read_request(Route.CHAT, body)


@pytest.mark.parametrize("value", [4.0, "4", True, [4]])
@pytest.mark.parametrize("name", ["n", "max_completion_tokens", "max_tokens"])
def test_a_number_that_an_endpoint_may_read_otherwise_is_taken_out(name: str, value: object) -> None:
    """Four answers, or an endless one, for the price of what the proxy reads: one within what is left."""
    asked = read_request(Route.CHAT, json.dumps({"messages": [], name: value}).encode())
    assert asked.dropped == (name,)
    row = json.loads(write_request(asked, OTHERS, 100) or b"")
    assert "n" not in row
    assert [row[limit] for limit in ("max_completion_tokens", "max_tokens") if limit in row] == [100]
