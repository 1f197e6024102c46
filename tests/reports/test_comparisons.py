"""Which rows are held against which, and what comes of it."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from tests.reports.support import WRONG, correct, make_rows

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.measures import correct as correct_measure
from edgekernelbench.metrics.measures import fast
from edgekernelbench.records.outcome import Outcome
from edgekernelbench.reports.comparisons import all_judged, compare_rows, pair_rows, rows_of
from edgekernelbench.reports.runs import read_attempts

PATTERNS = [f"conv/p{n}" for n in range(8)]
CORRECT = correct_measure()
FAST = fast(1.0, baseline="default", sure=False)


def row(good: int) -> Mapping[str, Outcome | None]:
    """Make a row that is right, and twice as fast, on the first patterns."""
    return {f"{p}@a-f32": correct(50, 100) if n < good else WRONG for n, p in enumerate(PATTERNS)}


def labels(*runs: Path, agents: tuple[str, ...] = ()) -> list[tuple[str, str]]:
    pairs = pair_rows(rows_of([read_attempts(run) for run in runs], agents))
    return [
        (f"{a.agent}:{Path(a.run.folder).name}", f"{b.agent}:{Path(b.run.folder).name}") for a, b in pairs
    ]


def test_all_rows_are_held_against_the_first(tmp_path: Path) -> None:
    one = make_rows(tmp_path / "one", {"a": row(1), "b": row(2)})
    two = make_rows(tmp_path / "two", {"c": row(3)})

    assert labels(one, two) == [("a:one", "b:one"), ("a:one", "c:two")]
    assert labels(one, two, agents=("b", "c")) == [("b:one", "c:two")]


def test_runs_of_the_same_agents_are_compared_agent_by_agent(tmp_path: Path) -> None:
    runs = [make_rows(tmp_path / name, {"a": row(1), "b": row(2)}) for name in ("one", "two")]

    assert labels(*runs) == [("a:one", "a:two"), ("b:one", "b:two")]


def test_one_row_is_nothing_to_compare(tmp_path: Path) -> None:
    one = make_rows(tmp_path / "one", {"a": row(1)})

    with pytest.raises(RecordError, match=r"expected two rows to compare, found a in .*one"):
        labels(one)
    with pytest.raises(RecordError, match="no run has an agent 'z'; there are a"):
        labels(one, agents=("z",))


def test_a_real_difference_is_told_from_chance(tmp_path: Path) -> None:
    runs = [read_attempts(make_rows(tmp_path / f"r{n}", {f"a{n}": row(n)})) for n in (0, 8, 2)]

    whole, little = compare_rows(pair_rows(rows_of(runs)), [CORRECT, FAST])

    assert [s.verdict for s in whole.scores] == ["better", "better"]
    assert whole.scores[0].difference.p_value == 2 / 2**8
    # Two rows are held against the first: Holm doubles the smaller p-value.
    assert whole.scores[0].p_value == 4 / 2**8
    assert [s.verdict for s in little.scores] == ["not told apart"] * 2


def test_speeds_are_compared_on_what_both_did_right(tmp_path: Path) -> None:
    slow: Mapping[str, Outcome | None] = {f"{p}@a-f32": correct(100, 100) for p in PATTERNS}
    fast_twice: Mapping[str, Outcome | None] = {
        f"{p}@a-f32": correct(50, 100) if n else WRONG for n, p in enumerate(PATTERNS)
    }
    named = {"one": slow, "two": fast_twice, "three": slow}
    runs = [read_attempts(make_rows(tmp_path / name, {name: rows})) for name, rows in named.items()]
    pairs = pair_rows(rows_of(runs))

    faster, even = compare_rows(pairs, [], speed_against="default")
    assert faster.speed is not None
    assert faster.speed.difference.ratio == pytest.approx(2)
    assert faster.speed.difference.workloads == 7
    # Corrected for two comparisons.
    assert (faster.speed.p_value, faster.speed.verdict) == (4 / 2**7, "faster")
    assert even.speed is not None
    assert even.speed.verdict == "not told apart"
    (turned,) = compare_rows([(b, a) for a, b in pairs[:1]], [], speed_against="default")
    assert turned.speed is not None
    assert turned.speed.verdict == "slower"
    assert compare_rows(pairs, [CORRECT])[0].speed is None


def test_why_speeds_are_not_compared_is_said(tmp_path: Path) -> None:
    part: Mapping[str, Outcome | None] = {**row(2), f"{PATTERNS[0]}@a-f32": None}
    rows = {"good": row(2), "bad": row(0), "part": part}
    runs = [read_attempts(make_rows(tmp_path / name, {name: of})) for name, of in rows.items()]
    nothing, unjudged = compare_rows(pair_rows(rows_of(runs)), [], speed_against="default")

    assert nothing.unknown == (("speed", "no workload was done right and timed by both"),)
    assert "1 attempts of part in" in unjudged.unknown[0][1]


def test_speeds_on_other_machines_are_left_out_with_the_reason(tmp_path: Path) -> None:
    one = make_rows(tmp_path / "one", {"a": row(1)})
    two = make_rows(tmp_path / "two", {"b": row(2)}, device={"cpu": "Another"})

    pairs = pair_rows(rows_of([read_attempts(r) for r in (one, two)]))
    (found,) = compare_rows(pairs, [CORRECT, FAST], speed_against="default")

    assert [s.difference.measure for s in found.scores] == ["Correct@1"]
    assert [name for name, _ in found.unknown] == ["Fast@1.0", "speed"]
    assert found.speed is None
    assert "the processor is" in found.unknown[0][1]


def test_an_unjudged_attempt_leaves_a_score_unknown(tmp_path: Path) -> None:
    part = dict(row(2))
    part[f"{PATTERNS[-1]}@a-f32"] = None
    runs = [make_rows(tmp_path / "one", {"a": row(1)}), make_rows(tmp_path / "two", {"b": part})]

    found = compare_rows(pair_rows(rows_of([read_attempts(r) for r in runs])), [CORRECT])

    assert not found[0].scores
    assert "1 attempts of b in" in found[0].unknown[0][1]
    assert not all_judged(found)


def test_workloads_of_one_side_are_left_out_and_counted(tmp_path: Path) -> None:
    less = dict(list(row(2).items())[:5])
    runs = [make_rows(tmp_path / "one", {"a": row(1)}), make_rows(tmp_path / "two", {"b": less})]

    (found,) = compare_rows(pair_rows(rows_of([read_attempts(r) for r in runs])), [CORRECT])

    assert found.left_out == (3, 0)
    assert found.scores[0].difference.workloads == 5


def test_nothing_in_common_is_refused(tmp_path: Path) -> None:
    other = {"norm/q@a-f32": WRONG}
    runs = [make_rows(tmp_path / "one", {"a": row(1)}), make_rows(tmp_path / "two", {"b": other})]

    with pytest.raises(RecordError, match="have no workload in common"):
        compare_rows(pair_rows(rows_of([read_attempts(r) for r in runs])), [CORRECT])
