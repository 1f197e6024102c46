"""Which reads are of earlier steps, and which fors are dropped."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.verify.support import said, verify

from edgekernelbench.ir.compute import Item, Ordered, Stage
from edgekernelbench.verify.facts import Facts

X = "x: f32[6, 5], p: i32 in range(6)"


def nested(right: str) -> str:
    """Write a stage with two ordered axes."""
    return f"for t in range(6):\n    for s in range(5):\n        y[t, s]: f32[6, 5] = x[t, s] + ({right})"


EARLIER = {
    "the step before": "y[t - 1, s] if t > 0 else 0.0",
    "the step before, anywhere": "y[t - 1, 4] if t > 0 else 0.0",
    "the step before, later inside": "y[t - 1, s + 1] if t > 0 and s < 4 else 0.0",
    "inside the same step": "y[t, s - 1] if s > 0 else 0.0",
    "two steps": "y[t - 2, s] if t >= 2 else 0.0",
    "both": "y[t - 1, s - 1] if t > 0 and s > 0 else 0.0",
    "from data": "y[p, s] if p < t else 0.0",
    "from data, same or earlier step": "y[p, s - 1] if p <= t and s > 0 else 0.0",
    "the first step": "y[0, s] if t > 0 else 0.0",
    "a block back": "y[t // 2 * 2 - 1, s] if t >= 2 else 0.0",
    "clamped": "y[max(t - 3, 0), s] if t > 0 else 0.0",
    "halved": "y[t // 2, s] if t > 0 else 0.0",
}


@pytest.mark.parametrize("right", EARLIER.values(), ids=EARLIER.keys())
def test_an_earlier_place_is_proven(right: str) -> None:
    assert {found.code for found in said(X, nested(right), "y")} <= {"W01"}


LATER = {
    "the same place": ("O06", "y[t, s]"),
    "the next step": ("O05", "y[t + 1, s] if t < 5 else 0.0"),
    "the next inside": ("O05", "y[t, s + 1] if s < 4 else 0.0"),
    "from data": ("O05", "y[p, s]"),
    "the same step from data": ("O06", "y[p, s] if p <= t else 0.0"),
    "the same or a later place": ("O05", "y[p, s] if p >= t else 0.0"),
}


@pytest.mark.parametrize(("code", "right"), LATER.values(), ids=LATER.keys())
def test_another_place_is_refused(code: str, right: str) -> None:
    assert [found.code for found in said(X, nested(right), "y")] == [code]


INDICES = st.sampled_from(
    ("t", "s", "t - 1", "s - 1", "t + 1", "s + 1", "0", "2", "p", "t - 2", "5 - t", "t // 2", "min(t, s)",
     "abs(t - s)",
     "p - 1", "(t + s) // 2", "max(t - 1, 0)", "s % 3", "t - s")
)  # fmt: skip
CONDITIONS = st.lists(
    st.sampled_from(
        ("t > 0", "s > 0", "t > s", "p < t", "p <= t", "s != 0", "t >= 2", "t + s > 3", "p == t", "t <= s",
         "s < 4",
         "t < 5", "p > 0", "t < p or s < p", "not t == p", "p < s < t", "t - s > 1")
    ),
    min_size=1,
    max_size=3,
)  # fmt: skip
SCOPE = {"min": min, "max": max, "abs": abs}


@settings(max_examples=120, deadline=None)
@given(INDICES, INDICES, CONDITIONS, st.sampled_from((" and ", " or ")))
def test_what_is_proven_earlier_is_earlier(
    step: str, inside: str, conditions: list[str], joined: str
) -> None:
    condition = joined.join(f"({part})" for part in conditions)
    if {found.code for found in said(X, nested(f"y[{step}, {inside}] if {condition} else 0.0"), "y")} - {
        "W01"
    }:
        return
    for t, s, p in product(range(6), range(5), range(6)):
        at = {"t": t, "s": s, "p": p, **SCOPE}
        if reads(condition, at):
            place = reads(step, at), reads(inside, at)
            assert place < (t, s)
            assert 0 <= place[0] < 6
            assert 0 <= place[1] < 5


def reads(source: str, at: dict[str, object]) -> int:
    """Evaluate what this file wrote itself; the language agrees with Python on it."""
    return eval(source, {"__builtins__": {}}, at)  # type: ignore[no-any-return]  # noqa: S307


def shape(facts: Facts) -> list[object]:
    """Give the names of stages, nested as the fors stand."""

    def one(item: Item) -> object:
        if isinstance(item, Ordered):
            return [item.axis, *(one(inner) for inner in item.items)]
        return item.name if isinstance(item, Stage) else "table"

    return [one(item) for item in facts.kernel.compute.items]


DROPPED = {
    "none": ("y[t - 1, 4] + y[t, s - 1] if t > 0 and s > 0 else 0.0", [["t", ["s", "y"]]]),
    "the inner one": ("y[t - 1, s] if t > 0 else 0.0", [["t", "y"]]),
    "the outer one": ("y[t, s - 1] if s > 0 else 0.0", [["s", "y"]]),
    "both": ("0.0", ["y"]),
}


@pytest.mark.parametrize(("right", "left"), DROPPED.values(), ids=DROPPED.keys())
def test_a_for_that_nothing_needs_is_dropped(right: str, left: list[object]) -> None:
    facts = verify(X, nested(right), "y")
    assert shape(facts) == left
    assert len(facts.diagnostics) == 2 - str(left).count("'t'") - str(left).count("'s'")


def test_what_stood_in_a_dropped_for_stays_where_it_stood() -> None:
    body = """
for t in range(6):
    a[t, s]: f32[6, 5] = x[t, s] * 2.0
    for s in range(5):
        y[t, s]: f32[6, 5] = a[t, s] + (y[t, s - 1] if s > 0 else 0.0)
    z[t]: f32[6] = y[t, 4]
"""
    facts = verify("x: f32[6, 5]", body, "z")
    assert shape(facts) == ["a", ["s", "y"], "z"]
    assert [group.stages for group in facts.groups] == [("y",)]


def test_two_stages_may_read_each_other() -> None:
    body = """
for t in range(6):
    a[t]: f32[6] = b[t - 1] if t > 0 else 1.0
    b[t]: f32[6] = a[t] * 2.0
"""
    assert said("x: f32[6]", body, "b") == ()


def test_fors_side_by_side_do_not_share_their_steps() -> None:
    body = """
for t in range(6):
    for s in range(5):
        a[t, s]: f32[6, 5] = x[t, s] + (a[t, s - 1] if s > 0 else z[t - 1] if t > 0 else 0.0)
    for s in range(5):
        b[t, s]: f32[6, 5] = a[t, 4 - s] + (b[t, s - 1] if s > 0 else 0.0)
    z[t]: f32[6] = b[t, 4]
"""
    assert said("x: f32[6, 5]", body, "z") == ()


def test_a_table_in_a_for_is_read_below_it() -> None:
    body = """
for t in range(6):
    k: f32[2] = [1, 2]
    y[t]: f32[6] = k[t % 2] + (y[t - 1] if t > 0 else 0.0)
"""
    assert said("x: f32[6]", body, "y") == ()
