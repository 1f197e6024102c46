"""Which rows of some runs are held against which, and what comes of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from edgekernelbench.base.errors import RecordError
from edgekernelbench.metrics.difference import Difference, paired_difference, shared_workloads
from edgekernelbench.metrics.measures import Measure
from edgekernelbench.metrics.population import Scored, unjudged
from edgekernelbench.metrics.randomization import holm
from edgekernelbench.metrics.speed_difference import SpeedDifference, paired_speed
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.reports.comparability import refuse_other_kinds, speed_obstacles
from edgekernelbench.reports.runs import RunAttempts

SURE = 0.05
"""A p-value below this is called a difference."""

SPEED = "speed"
"""The name of the comparison of speeds themselves, which are no score."""


@dataclass(frozen=True, slots=True)
class Row:
    """One agent of one run.

    Attributes:
        run: The run.
        agent: Name of the agent.
    """

    run: RunAttempts
    agent: str

    @property
    def attempts(self) -> tuple[Scored, ...]:
        """Every planned attempt."""
        return self.run.agents[self.agent]

    @property
    def label(self) -> str:
        """The agent and where its run is."""
        return f"{self.agent} in {self.run.folder}"


@dataclass(frozen=True, slots=True)
class Compared:
    """One score of two rows.

    Attributes:
        difference: Second against first.
        p_value: Corrected for how many comparisons are made together; None with fewer than two patterns.
    """

    difference: Difference
    p_value: float | None

    @property
    def verdict(self) -> str:
        """`better` or `worse` where chance alone hardly shows that; `not told apart` elsewhere."""
        return _told(self.p_value, "better" if self.difference.value > 0 else "worse")


@dataclass(frozen=True, slots=True)
class ComparedSpeed:
    """Speeds of two rows on what both did right.

    Attributes:
        difference: Second against first.
        p_value: Corrected for how many comparisons are made together; None with fewer than two patterns.
    """

    difference: SpeedDifference
    p_value: float | None

    @property
    def verdict(self) -> str:
        """`faster` or `slower` where chance alone hardly shows that; `not told apart` elsewhere."""
        return _told(self.p_value, "faster" if self.difference.ratio > 1 else "slower")


def _told(p_value: float | None, seen: str) -> str:
    return seen if p_value is not None and p_value < SURE else "not told apart"


@dataclass(frozen=True, slots=True)
class Comparison:
    """One row held against another.

    Attributes:
        first: The row that is held against.
        second: The other.
        scores: What came of each score that is known for both.
        speed: What came of their speeds; None when that was not asked for, or is not known.
        unknown: Names of scores that were asked for and are not known, each with the reason.
        left_out: Workloads that only the first, and only the second, was given.
    """

    first: Row
    second: Row
    scores: tuple[Compared, ...]
    speed: ComparedSpeed | None
    unknown: tuple[tuple[str, str], ...]
    left_out: tuple[int, int]

    @property
    def manifest(self) -> Manifest:
        """What both runs were, where they must agree."""
        return self.first.run.manifest


def rows_of(runs: Sequence[RunAttempts], agents: Sequence[str] = ()) -> tuple[Row, ...]:
    """List the rows of some runs.

    Args:
        runs: The runs.
        agents: Only these; empty means all.

    Raises:
        RecordError: When no run has an agent of that name, or one that is named is no part of a comparison.
    """
    known = list(dict.fromkeys(agent for run in runs for agent in run.agents))
    for agent in agents:
        if agent not in known:
            raise RecordError(f"no run has an agent {agent!r}; there are {', '.join(known)}")
        for run in runs:
            if agent in run.barred:
                raise RecordError(f"{agent} in {run.folder} is in no comparison: {run.barred[agent]}")
    rows = (Row(run, agent) for run in runs for agent in run.agents if not agents or agent in agents)
    return tuple(row for row in rows if row.agent not in row.run.barred)


def pair_rows(rows: Sequence[Row]) -> tuple[tuple[Row, Row], ...]:
    """Choose which rows are held against which.

    Runs that have the same several agents are compared agent by agent, each with the first run. Other rows
    are all held against the very first.

    Raises:
        RecordError: When there is only one row.
    """
    if len(rows) < 2:
        label = rows[0].label if rows else "no row"
        raise RecordError(f"expected two rows to compare, found {label}: name another run")
    by_run: dict[int, list[Row]] = {}
    for row in rows:
        by_run.setdefault(id(row.run), []).append(row)
    base, *others = by_run.values()
    names = {row.agent for row in base}
    if others and len(names) > 1 and all({row.agent for row in other} == names for other in others):
        return tuple((a, b) for a in base for other in others for b in other if b.agent == a.agent)
    return tuple((rows[0], other) for other in rows[1:])


def compare_rows(
    pairs: Sequence[tuple[Row, Row]],
    measures: Sequence[Measure],
    *,
    speed_against: str | None = None,
    seed: int = 0,
) -> tuple[Comparison, ...]:
    """Hold rows against each other.

    Args:
        pairs: Which against which.
        measures: By which scores.
        speed_against: The reference whose ratios are held against each other; None compares no speeds.
        seed: Of the draws.

    Returns:
        One comparison a pair; p-values of one score are corrected for the number of pairs.

    Raises:
        RecordError: When rows answer different questions, or share no workload.
    """
    refuse_other_kinds([row.run for pair in pairs for row in pair])
    found = [_compare(first, second, measures, speed_against, seed) for first, second in pairs]
    tested: dict[str, dict[int, float]] = {name: {} for name in (*(m.name for m in measures), SPEED)}
    for at, one in enumerate(found):
        for name, p_value in one.p_values():
            tested[name][at] = p_value
    corrected = {name: dict(zip(of, holm(list(of.values())), strict=True)) for name, of in tested.items()}
    return tuple(
        Comparison(
            first,
            second,
            tuple(Compared(d, corrected[name].get(at)) for name, d in one.scores.items()),
            None if one.speed is None else ComparedSpeed(one.speed, corrected[SPEED].get(at)),
            tuple(one.unknown),
            one.left_out,
        )
        for at, ((first, second), one) in enumerate(zip(pairs, found, strict=True))
    )


@dataclass(frozen=True, slots=True)
class _Found:
    """What came of one pair, its p-values not corrected yet."""

    scores: dict[str, Difference]
    speed: SpeedDifference | None
    unknown: list[tuple[str, str]]
    left_out: tuple[int, int]

    def p_values(self) -> list[tuple[str, float]]:
        named = [(name, difference.p_value) for name, difference in self.scores.items()]
        if self.speed is not None:
            named.append((SPEED, self.speed.p_value))
        return [(name, p_value) for name, p_value in named if p_value is not None]


def _compare(
    first: Row, second: Row, measures: Sequence[Measure], speed_against: str | None, seed: int
) -> _Found:
    shared = shared_workloads(first.attempts, second.attempts)
    if not shared:
        raise RecordError(f"{first.label} and {second.label} have no workload in common")
    obstacles = "; ".join(speed_obstacles((first.run, second.run)))
    scores: dict[str, Difference] = {}
    unknown = []
    for measure in measures:
        if measure.is_speed and obstacles:
            unknown.append((measure.name, obstacles))
            continue
        difference = paired_difference(first.attempts, second.attempts, measure, seed=seed)
        if difference is None:
            unknown.append((measure.name, _why_unknown(first, second, measure)))
        else:
            scores[measure.name] = difference
    speed = None
    if speed_against is not None:
        if not obstacles:
            speed = paired_speed(first.attempts, second.attempts, speed_against, seed=seed)
        if speed is None:
            unknown.append((SPEED, obstacles or _why_no_speed(first, second)))
    left_out = tuple(len({a.workload for a in row.attempts} - shared) for row in (first, second))
    return _Found(scores, speed, unknown, (left_out[0], left_out[1]))


def _why_unknown(first: Row, second: Row, measure: Measure) -> str:
    if missing := _what_is_unjudged(first, second):
        return missing
    if measure.is_speed:
        return "a correct kernel was not timed beside the reference"
    return "there are fewer attempts than it asks for"


def _why_no_speed(first: Row, second: Row) -> str:
    return _what_is_unjudged(first, second) or "no workload was done right and timed by both"


def _what_is_unjudged(first: Row, second: Row) -> str:
    for row in (first, second):
        missing = len(unjudged(row.attempts))
        if missing:
            return f"{missing} attempts of {row.label} are unjudged; `ekb resume {row.run.folder}` goes on"
    return ""


def all_judged(comparisons: Sequence[Comparison]) -> bool:
    """Whether every attempt of every row has an outcome."""
    return not any(unjudged(row.attempts) for c in comparisons for row in (c.first, c.second))
