"""How attempts went, over the budget."""

import pytest
from tests.conftest import Golden

from edgekernelbench.reports.course_tables import course_lines, courses_as_json
from edgekernelbench.reports.courses import (
    Course,
    Point,
    fast_so_far,
    speed_so_far,
    submission_limits,
    summarise,
    token_limits,
)


def course(agent: str, *points: tuple[int, int, float | None], solved: bool = True, **more: object) -> Course:
    made = tuple(Point(*point) for point in points)
    authors = ("model",) if solved else ("given",)
    gains = dict(more.get("gains", {}))  # type: ignore[call-overload]
    return Course(agent, "a/b@n8-f32", 0, made, solved, authors, gains, calls=1 if agent == "direct" else 8)


LEKA = [
    course("leka", (1, 0, 1.0), (2, 900, 1.5), (4, 4000, 3.0), gains={"schedule": 2.0, "memory": 1.5}),
    course("leka", (1, 0, 1.02), (3, 2000, 1.02), solved=False),
]
DIRECT = [
    course("direct", (0, 500, None), (1, 500, 1.2)),
    course("direct", (0, 700, None), solved=False),
]
POLICY = [course("policy", (1, 0, 1.0), (4, 0, 2.0), gains={"schedule": 2.0})]


def test_the_best_so_far_counts_from_the_submission_that_showed_it() -> None:
    assert [LEKA[0].at_submissions(n) for n in (0, 1, 2, 3, 4)] == [None, 1.0, 1.5, 1.5, 3.0]
    assert [LEKA[0].at_tokens(n) for n in (0, 899, 900, 9999)] == [1.0, 1.0, 1.5, 3.0]


def test_within_noise_of_the_baseline_is_not_beaten() -> None:
    assert fast_so_far(LEKA, [1, 4], by_tokens=False) == [0.0, 0.5]


def test_nothing_and_slower_count_as_the_baseline() -> None:
    slow = [course("a", (1, 0, 0.5)), course("a", (1, 0, None)), course("a", (1, 0, 8.0))]
    assert speed_so_far(slow, [1], by_tokens=False) == [pytest.approx(2.0)]


def test_curves_are_read_off_at_powers_of_two_and_at_the_end() -> None:
    assert submission_limits([course("a", (11, 0, 1.0))]) == (1, 2, 4, 8, 11)
    assert submission_limits([course("a", (0, 0, None))]) == ()


def test_tokens_are_compared_as_far_as_every_agent_with_a_model_went() -> None:
    assert token_limits([*LEKA, course("repair", (4, 600, 1.2)), *POLICY]) == (150, 300, 600)
    assert token_limits(DIRECT) == (150, 300, 600)
    assert token_limits(POLICY) == ()


def test_an_agent_that_asks_once_does_not_end_the_comparison_of_the_others() -> None:
    repair = [course("repair", (4, 8000, 1.2))]
    assert token_limits([*LEKA, *DIRECT, *repair]) == (750, 1500, 3000)
    assert fast_so_far(DIRECT, [3000], by_tokens=True) == [0.5], "it has what it had when it ended"


def test_an_agent_that_measured_nothing_on_the_way_is_not_shown_as_no_faster() -> None:
    once = [course("direct", (0, 500, None))]
    rows = [line.split() for line in course_lines([*LEKA, *once]) if line.startswith("direct")]
    assert rows[:2] == [["direct", "–", "–", "–"], ["direct", "–", "–", "–"]]
    assert courses_as_json([*LEKA, *once])["curves"]["direct"] is None  # type: ignore[index]


def test_what_it_took_is_over_all_attempts_for_each_solved_one() -> None:
    leka, direct, policy = summarise([*LEKA, *DIRECT, *POLICY])
    assert (leka.solved, leka.submissions, leka.tokens) == (1, 7.0, 6000.0)
    assert (direct.submissions, direct.tokens) == (1.0, 1200.0)
    assert policy.tokens == 0.0
    assert leka.gains == {"memory": pytest.approx(1.5**0.5), "schedule": pytest.approx(2.0**0.5)}
    assert leka.authors == {"model": 1}


def test_the_tables_are_golden(golden: Golden) -> None:
    golden("\n".join(course_lines([*LEKA, *DIRECT, *POLICY])))


def test_a_run_that_measured_nothing_on_the_way_has_no_tables() -> None:
    assert course_lines([course("direct", (0, 500, None))]) == []


def test_the_same_as_plain_values() -> None:
    values = courses_as_json([*LEKA, *DIRECT])
    assert values["submissions"] == [1, 2, 4]
    assert values["curves"]["leka"]["fast_by_submissions"] == [0.0, 0.5, 0.5]  # type: ignore[index]
