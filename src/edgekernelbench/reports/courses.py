"""How attempts went: the best so far over the budget, what it took, whose text it is."""

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

from edgekernelbench.metrics.speed import PROCESS_SPREAD, sure_log_speedup
from edgekernelbench.records.outcome import Correct
from edgekernelbench.records.trajectories import Trajectory, read_trajectory, trajectory_path
from edgekernelbench.reports.runs import RunAttempts, reference_of, split_id

SURE = math.exp(1.6448536269514722 * PROCESS_SPREAD * math.sqrt(2))
"""A ratio from one set of processes above this is surely above 1, one-sided at 95 %: the text of the default
lowering, handed in again, beats itself half of the time by the point ratio."""


@dataclass(frozen=True, slots=True)
class Point:
    """What an attempt had at one moment.

    Attributes:
        submissions: Measurements so far.
        tokens: Tokens so far.
        best: The best ratio so far; None while there is none.
    """

    submissions: int
    tokens: int
    best: float | None


@dataclass(frozen=True, slots=True)
class Course:
    """One attempt.

    Attributes:
        agent: Name of the agent.
        workload: Id of the workload.
        number: Which of the k attempts.
        points: One a line of its trajectory, in order.
        solved: Whether the final verdict is correct and surely faster than the baseline.
        authors: Whose text the answer is.
        gains: What each layer brought on the way to the answer.
        calls: How often it asked a model.
    """

    agent: str
    workload: str
    number: int
    points: tuple[Point, ...]
    solved: bool
    authors: tuple[str, ...]
    gains: Mapping[str, float]
    calls: int

    @property
    def submissions(self) -> int:
        """Measurements in all."""
        return self.points[-1].submissions if self.points else 0

    @property
    def tokens(self) -> int:
        """Tokens in all."""
        return self.points[-1].tokens if self.points else 0

    def at_submissions(self, limit: int) -> float | None:
        """Give the best ratio that it had within so many measurements."""
        return _last(point.best for point in self.points if point.submissions <= limit)

    def at_tokens(self, limit: int) -> float | None:
        """Give the best ratio that it had within so many tokens."""
        return _last(point.best for point in self.points if point.tokens <= limit)


@dataclass(frozen=True, slots=True)
class Row:
    """What the attempts of one agent took and gave.

    Attributes:
        agent: Name of the agent.
        attempts: How many.
        solved: How many are correct and surely faster than the baseline, by the final verdict.
        submissions: Measurements of all attempts for each solved one; None when none is.
        tokens: Tokens likewise.
        authors: Of the solved ones: how many are whose text.
        gains: Geometric mean, over all attempts that have an answer, of what each layer brought.
    """

    agent: str
    attempts: int
    solved: int
    submissions: float | None
    tokens: float | None
    authors: Mapping[str, int]
    gains: Mapping[str, float]


def read_courses(run: RunAttempts) -> tuple[Course, ...]:
    """Read how the attempts of a run went.

    Args:
        run: The run.

    Returns:
        One course an attempt that has a trajectory and is part of comparisons, in the order of the plan.

    Raises:
        RecordError: When a trajectory cannot be read.
    """
    baseline = reference_of(run).baseline
    courses = []
    for name in run.manifest.planned:
        path = trajectory_path(Path(run.folder), name)
        if path.is_file() and split_id(name)[0] not in run.barred:
            courses.append(_course(name, read_trajectory(path), run, baseline))
    return tuple(courses)


def summarise(courses: Sequence[Course]) -> tuple[Row, ...]:
    """Sum courses up, a row an agent, in the order of the courses."""
    groups: dict[str, list[Course]] = defaultdict(list)
    for course in courses:
        groups[course.agent].append(course)
    return tuple(_row(agent, group) for agent, group in groups.items())


def fast_so_far(courses: Sequence[Course], limits: Sequence[int], *, by_tokens: bool) -> list[float]:
    """Give the share of attempts that had surely beaten the baseline within each limit, as measured then."""
    found = [[c.at_tokens(n) if by_tokens else c.at_submissions(n) for c in courses] for n in limits]
    return [fmean((best or 0.0) > SURE for best in column) for column in found]


def speed_so_far(courses: Sequence[Course], limits: Sequence[int], *, by_tokens: bool) -> list[float]:
    """Give the geometric mean of the best ratio within each limit.

    An attempt that has nothing yet, or is slower than the baseline, counts as 1: a user keeps the default.
    """
    found = [[c.at_tokens(n) if by_tokens else c.at_submissions(n) for c in courses] for n in limits]
    return [math.exp(fmean(math.log(max(best or 0.0, 1.0)) for best in column)) for column in found]


def submission_limits(courses: Sequence[Course]) -> tuple[int, ...]:
    """Choose where curves are read off: 1, 2, 4, … and the most that was used."""
    most = max((c.submissions for c in courses), default=0)
    powers = [1 << n for n in range(most.bit_length())] if most else []
    return tuple(sorted({*powers, most} - {0}))


def token_limits(courses: Sequence[Course]) -> tuple[int, ...]:
    """Choose where curves over tokens are read off: what all agents that go on asking spent, and parts of it.

    The last limit is the smallest of the agents' medians: beyond it one of them is not there any more. An
    agent that asks once is there from its answer on, and says nothing of how far the others can be compared.
    """
    spent = [course for course in courses if course.tokens]
    going_on = {course.agent for course in spent if course.calls > 1} or {course.agent for course in spent}
    totals: dict[str, list[int]] = defaultdict(list)
    for course in spent:
        if course.agent in going_on:
            totals[course.agent].append(course.tokens)
    if not totals:
        return ()
    common = int(min(median(values) for values in totals.values()))
    return tuple(sorted({common // 4, common // 2, common} - {0}))


def _course(name: str, trajectory: Trajectory, run: RunAttempts, baseline: str) -> Course:
    agent, workload, number = split_id(name)
    steps = [step.extra.ekb for step in trajectory.steps]
    end = None if trajectory.end is None else trajectory.end.final_metrics.extra.ekb
    judged = run.judgements.get(name)
    outcome = None if judged is None else judged.outcome
    sure = sure_log_speedup(outcome.rings, baseline) if isinstance(outcome, Correct) else None
    return Course(
        agent=agent,
        workload=workload,
        number=number,
        points=tuple(Point(s.budget.submissions, s.budget.tokens, s.best) for s in steps),
        solved=sure is not None and sure > 0.0,
        authors=() if end is None else end.authors,
        gains={} if end is None else end.gains,
        calls=steps[-1].budget.calls if steps else 0,
    )


def _row(agent: str, courses: Sequence[Course]) -> Row:
    solved = [course for course in courses if course.solved]
    authors: dict[str, int] = defaultdict(int)
    for course in solved:
        authors[" and ".join(course.authors) or "nobody"] += 1
    layers = sorted({layer for course in courses for layer in course.gains})
    answered = [course for course in courses if course.authors]
    gains = {
        layer: math.exp(fmean(math.log(course.gains.get(layer, 1.0)) for course in answered))
        for layer in layers
    }
    return Row(
        agent=agent,
        attempts=len(courses),
        solved=len(solved),
        submissions=sum(c.submissions for c in courses) / len(solved) if solved else None,
        tokens=sum(c.tokens for c in courses) / len(solved) if solved else None,
        authors=dict(sorted(authors.items())),
        gains=gains,
    )


def _last(values: Iterable[float | None]) -> float | None:
    found = None
    for value in values:
        found = value if value is not None else found
    return found
