"""Tables of how attempts went: at equal submissions, at equal tokens, what it took, whose text it is."""

from collections.abc import Sequence

from edgekernelbench.reports.courses import (
    Course,
    Row,
    fast_so_far,
    speed_so_far,
    submission_limits,
    summarise,
    token_limits,
)
from edgekernelbench.reports.text import columns, percent, wrapped


def course_lines(courses: Sequence[Course]) -> list[str]:
    """Write the tables of one run; nothing when nothing was measured on the way.

    Args:
        courses: How its attempts went.
    """
    if not _measured(courses):
        return []
    lines = [
        "Best so far, over the budget: attempts that surely beat the baseline, and how fast, by",
        "what was measured on the way (not the final verdict; nothing yet, or slower, is 1).",
    ]
    for title, limits, by_tokens in (
        ("after submissions", submission_limits(courses), False),
        ("after tokens", token_limits(courses), True),
    ):
        if limits:
            lines += ["", *_curve(courses, title, limits, by_tokens=by_tokens)]
    rows = summarise(courses)
    lines += ["", *_costs(rows), "", *_gains(rows)]
    for row in rows:
        if row.solved:
            whose = ", ".join(f"{name} {count}" for name, count in row.authors.items())
            lines += wrapped(f"{row.agent}: the solved ones end in the text of: {whose}")
    return lines


def courses_as_json(courses: Sequence[Course]) -> dict[str, object]:
    """Give the same as plain values."""
    submissions, tokens = submission_limits(courses), token_limits(courses)
    curves: dict[str, dict[str, list[float]] | None] = {}
    for agent, own in _by_agent(courses).items():
        if not _measured(own):
            curves[agent] = None
            continue
        curves[agent] = {
            "fast_by_submissions": fast_so_far(own, submissions, by_tokens=False),
            "speed_by_submissions": speed_so_far(own, submissions, by_tokens=False),
            "fast_by_tokens": fast_so_far(own, tokens, by_tokens=True),
            "speed_by_tokens": speed_so_far(own, tokens, by_tokens=True),
        }
    rows = [
        {
            "agent": row.agent,
            "attempts": row.attempts,
            "solved": row.solved,
            "submissions_per_solved": row.submissions,
            "tokens_per_solved": row.tokens,
            "authors": dict(row.authors),
            "gains": dict(row.gains),
        }
        for row in summarise(courses)
    ]
    return {"submissions": list(submissions), "tokens": list(tokens), "curves": curves, "agents": rows}


def _curve(courses: Sequence[Course], title: str, limits: Sequence[int], *, by_tokens: bool) -> list[str]:
    cells = [[title, *(f"{limit:,}" for limit in limits)]]
    for agent, own in _by_agent(courses).items():
        if not _measured(own):
            # It measured nothing on the way: that is not the same as being no faster than the baseline.
            cells.append([agent, *("–" for _ in limits)])
            continue
        fast = fast_so_far(own, limits, by_tokens=by_tokens)
        speed = speed_so_far(own, limits, by_tokens=by_tokens)
        cells.append([agent, *(percent(share) for share in fast)])
        cells.append(["", *(f"{ratio:.2f}x" for ratio in speed)])
    return columns(cells, right=frozenset(range(1, len(limits) + 1)))


def _costs(rows: Sequence[Row]) -> list[str]:
    cells = [["final verdict", "solved", "of", "submissions each", "tokens each"]]
    cells += [
        [row.agent, str(row.solved), str(row.attempts), _figure(row.submissions), _figure(row.tokens)]
        for row in rows
    ]
    return columns(cells, right=frozenset({1, 2, 3, 4}))


def _gains(rows: Sequence[Row]) -> list[str]:
    layers = sorted({layer for row in rows for layer in row.gains})
    if not layers:
        return []
    cells = [["gains by layer", *layers]]
    for row in rows:
        if row.gains:
            known = [f"{row.gains[layer]:.2f}x" if layer in row.gains else "–" for layer in layers]
            cells.append([row.agent, *known])
    return [*columns(cells, right=frozenset(range(1, len(layers) + 1))), ""]


def _figure(value: float | None) -> str:
    return "–" if value is None else f"{value:,.1f}"


def _measured(courses: Sequence[Course]) -> bool:
    return any(course.submissions for course in courses)


def _by_agent(courses: Sequence[Course]) -> dict[str, list[Course]]:
    groups: dict[str, list[Course]] = {}
    for course in courses:
        groups.setdefault(course.agent, []).append(course)
    return groups
