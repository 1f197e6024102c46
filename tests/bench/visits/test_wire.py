import json

from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.agents.models.protocol import Role, Usage
from edgekernelbench.bench.visits.wire import as_reply, as_request


def reply(*rows: object) -> str:
    body = json.dumps(rows[0]) if len(rows) == 1 else "".join(f"data: {json.dumps(row)}\n\n" for row in rows)
    return as_reply(body.encode(), Usage(1, output=2), model="m", latency_ns=3).text


def test_a_request_of_either_api_has_its_turns() -> None:
    turns = [
        {"role": "system", "content": "rules"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"function": {"name": "bash", "arguments": "ls"}}],
        },
        {"role": "tool", "content": "TASK.md"},
    ]
    request = as_request(json.dumps({"messages": turns, "max_tokens": 9, "temperature": 0.5}).encode())
    assert [m.role for m in request.messages] == [Role.SYSTEM, Role.ASSISTANT, Role.USER]
    assert '"bash"' in request.messages[1].content
    assert (request.max_tokens, request.temperature) == (9, 0.5)

    blocks = [
        {"type": "text", "text": "look"},
        {"type": "tool_result", "content": [{"type": "text", "text": "a file"}]},
    ]
    row = {"system": [{"type": "text", "text": "rules"}], "messages": [{"role": "user", "content": blocks}]}
    assert [m.content for m in as_request(json.dumps(row).encode()).messages] == ["rules", "look\na file"]


def test_a_reply_whole_or_in_pieces_has_its_text() -> None:
    assert reply({"choices": [{"message": {"content": "hello"}}]}) == "hello"
    assert reply({"content": [{"type": "text", "text": "hello"}]}) == "hello"
    pieces = [{"choices": [{"delta": {"content": text}}]} for text in ("hel", "lo")]
    assert reply(*pieces) == "hello"
    called = {"choices": [{"delta": {"tool_calls": [{"function": {"name": "bash", "arguments": "{}"}}]}}]}
    assert reply(called, called) == "bash{}bash{}"
    start = {"type": "content_block_start", "content_block": {"type": "tool_use", "name": "bash"}}
    parts = [
        {"delta": {"type": "text_delta", "text": "I look"}},
        start,
        {"delta": {"partial_json": '{"c": 1}'}},
    ]
    assert reply(*parts) == 'I look\nbash {"c": 1}'


KEYS = (
    "messages", "role", "content", "system", "tool_calls", "choices", "message", "delta", "temperature",
    "max_tokens",
)  # fmt: skip
ANY_JSON = st.recursive(
    st.none() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner, max_size=3),
    max_leaves=10,
)


@given(st.binary(max_size=60) | ANY_JSON.map(lambda value: json.dumps(value).encode()))
def test_whatever_an_agent_sends_can_be_recorded(body: bytes) -> None:
    request = as_request(body)
    json.dumps(request.as_json(), allow_nan=False)
    assert isinstance(as_reply(body, Usage(), model="", latency_ns=0).text, str)
