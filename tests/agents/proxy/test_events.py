"""Streams are cut into events, wherever their pieces end."""

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from edgekernelbench.agents.proxy.events import EventReader

STREAM = b'event: a\ndata: {"x": 1}\n\n: ping\n\ndata: two\r\ndata: lines\r\n\r\ndata:[DONE]\n\n'


@given(st.sets(st.integers(1, len(STREAM) - 1)))
def test_events_are_the_same_however_they_arrive(cuts: set[int]) -> None:
    reader, places = EventReader(), [0, *sorted(cuts), len(STREAM)]
    events = [event for start, end in pairwise(places) for event in reader.feed(STREAM[start:end])]
    assert [event.data for event in events] == ['{"x": 1}', "", "two\nlines", "[DONE]"]
    assert b"".join(event.raw for event in events) == STREAM
    assert reader.rest() == b""


def test_what_is_not_whole_is_kept() -> None:
    reader = EventReader()
    assert reader.feed(b"data: x\n") == []
    assert reader.rest() == b"data: x\n"
