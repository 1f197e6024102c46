import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.bench.visits.recipe import Reading
from edgekernelbench.bench.visits.transcript import Transcript, read_transcript

STREAM, MINI = Reading(form="claude-stream-json"), Reading(form="mini-swe-agent", file="$home/t.json")


def line(**fields: object) -> str:
    return json.dumps(fields)


def assistant(name: str, **usage: int) -> str:
    return line(type="assistant", message={"id": name, "usage": usage})


def test_the_last_line_of_claude_code_has_the_totals() -> None:
    usage = {
        "input_tokens": 10,
        "cache_read_input_tokens": 900,
        "cache_creation_input_tokens": 90,
        "output_tokens": 7,
    }
    text = "\n".join(
        [line(type="system"), assistant("m1", input_tokens=1, output_tokens=1), "no json",
         line(type="result", subtype="error_max_turns", num_turns=4, usage=usage)]
    )  # fmt: skip
    assert read_transcript(STREAM, text) == Transcript(4, (1000, 7), "error_max_turns")


def test_an_error_that_claude_code_calls_a_success_is_told_as_an_error() -> None:
    text = line(type="result", subtype="success", is_error=True, num_turns=5, result="API Error: 403 spent")
    assert read_transcript(STREAM, text).end == "error: API Error: 403 spent"


def test_a_stream_that_was_cut_off_counts_each_message_once() -> None:
    text = "\n".join(
        [assistant("m1", input_tokens=5, output_tokens=1), assistant("m1", input_tokens=5, output_tokens=2),
         assistant("m2", input_tokens=6, output_tokens=3)]
    )  # fmt: skip
    assert read_transcript(STREAM, text) == Transcript(2, (11, 5), "its stream has no end")


def test_a_start_without_its_server_is_no_fault_of_the_agent() -> None:
    for status, fault in (("connected", ""), ("failed", "it did not reach its server ekb")):
        start = line(type="system", subtype="init", mcp_servers=[{"name": "ekb", "status": status}])
        text = "\n".join([start, assistant("m1", input_tokens=1, output_tokens=1)])
        assert read_transcript(STREAM, text).fault == fault


def test_the_trajectory_of_mini_swe_agent() -> None:
    usage = {"prompt_tokens": 100, "completion_tokens": 20}
    messages = [
        {"role": "user"},
        {"extra": {"response": {"usage": usage}}},
        {"extra": {"response": {"usage": usage}}},
    ]
    info = {"exit_status": "Submitted", "model_stats": {"api_calls": 2}}
    row = {"trajectory_format": "mini-swe-agent-1.1", "messages": messages, "info": info}
    assert read_transcript(MINI, json.dumps(row)) == Transcript(2, (200, 40), "Submitted")


@pytest.mark.parametrize("reading", [STREAM, MINI, Reading()])
@pytest.mark.parametrize("text", ["", "{", "[]", "null", '{"type": "result", "usage": 3}', "[" * 100_000])
def test_what_cannot_be_read_tells_nothing_of_tokens(reading: Reading, text: str) -> None:
    assert (read_transcript(reading, text).tokens or (0, 0)) == (0, 0)


KEYS = (
    "type", "message", "usage", "id", "messages", "extra", "response", "info", "model_stats", "subtype",
    "prompt_tokens", "output_tokens", "num_turns", "api_calls", "trajectory_format", "mcp_servers",
)  # fmt: skip
WORDS = ("assistant", "result", "mini-swe-agent-1.1")
SIMPLE = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
ANY_JSON = st.recursive(
    SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(KEYS), inner | st.sampled_from(WORDS), max_size=4)
    ),
    max_leaves=12,
)


@given(ANY_JSON, st.sampled_from([STREAM, MINI]))
def test_no_transcript_of_an_agent_makes_a_reader_fail(row: object, reading: Reading) -> None:
    found = read_transcript(reading, json.dumps(row))
    assert found.tokens is None or min(found.tokens) >= 0
    assert len(found.end) <= 200
