"""Tokens of answers, also of those that say little."""

import pytest

from edgekernelbench.agents.models.protocol import Usage
from edgekernelbench.agents.proxy.routes import Route
from edgekernelbench.agents.proxy.tally import Tally

DELTA = {"choices": [{"delta": {"content": "12345678", "tool_calls": [{"function": {"arguments": "1234"}}]}}]}


def test_an_endpoint_that_counts_nothing_is_estimated() -> None:
    tally = Tally(Route.CHAT)
    tally.read_reply({"choices": [{"message": {"content": "12345678"}}]})
    assert tally.usage(prompt=20) == Usage(20, 0, 2, 0, estimated=True)


def test_what_was_seen_of_a_stream_is_estimated() -> None:
    tally = Tally(Route.CHAT)
    for _ in range(2):
        tally.read_event(DELTA)
    assert tally.usage(prompt=20) == Usage(20, 0, 6, 0, estimated=True)


def test_running_counts_of_a_stream_are_not_added_up() -> None:
    tally = Tally(Route.MESSAGES)
    tally.read_event({"type": "message_start", "message": {"usage": {"input_tokens": 9, "output_tokens": 1}}})
    for written in (4, 9):
        tally.read_event({"type": "message_delta", "usage": {"output_tokens": written, "input_tokens": None}})
    assert tally.usage(prompt=50) == Usage(9, 0, 9, 0)


def test_an_error_in_the_middle_is_heard() -> None:
    tally = Tally(Route.MESSAGES)
    tally.read_event({"type": "error", "error": {"type": "overloaded_error", "message": "too busy"}})
    assert tally.error == "too busy"


@pytest.mark.parametrize("row", [None, 3, "x", [], {}, {"usage": 3}, {"usage": {"prompt_tokens": "9"}}])
@pytest.mark.parametrize("route", list(Route))
def test_any_answer_can_be_read(route: Route, row: object) -> None:
    tally = Tally(route)
    tally.read_reply(row)
    tally.read_event(row)
    assert tally.usage(prompt=3).input == 3
