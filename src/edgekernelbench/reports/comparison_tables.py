"""Comparisons for the terminal, and the same as JSON."""

from collections.abc import Sequence

from edgekernelbench.metrics.difference import Difference
from edgekernelbench.metrics.intervals import RESAMPLES, Interval
from edgekernelbench.metrics.speed_difference import SpeedDifference
from edgekernelbench.reports.comparability import ALWAYS
from edgekernelbench.reports.comparisons import SURE, Compared, ComparedSpeed, Comparison, Row
from edgekernelbench.reports.text import columns, counted, percent, wrapped

HEADS = ("", "first", "second", "points", "95 % interval", "p", "second is")


def comparison_lines(comparisons: Sequence[Comparison], *, seed: int) -> list[str]:
    """Write comparisons as tables, one below the other.

    Args:
        comparisons: What was compared.
        seed: Of the draws.

    Returns:
        Lines of about 80 characters.
    """
    lines: list[str] = []
    for comparison in comparisons:
        lines += [*_table(comparison), ""]
    # Comparisons on one device are corrected for their number together.
    several = len({one.manifest.device.profile for one in comparisons}) < len(comparisons)
    corrected = ", corrected (Holm) for several comparisons" if several else ""
    lines += wrapped(
        "points: second minus first, on the workloads that both were given; "
        f"interval: {RESAMPLES:,} draws of weights of patterns, one of which nobody saw; p: how often "
        f"chance alone shows as much, whole patterns turned round{corrected}; below {SURE} it is called "
        f"better or worse; seed {seed}"
    )
    return lines


def _table(comparison: Comparison) -> list[str]:
    conditions = ", ".join(f"{name} {read(comparison.manifest)}" for name, read in ALWAYS.items())
    lines = [
        *wrapped(f"first:  {comparison.first.label}"),
        *wrapped(f"second: {comparison.second.label}"),
        *wrapped(conditions),
        "",
    ]
    if comparison.scores:
        cells = [list(HEADS), *(_cells(score) for score in comparison.scores)]
        lines += [*columns(cells, right=frozenset(range(1, len(HEADS) - 1))), ""]
    for name, why in comparison.unknown:
        lines += wrapped(f"{name}: not compared, since {why}")
    lines += wrapped(_population(comparison))
    if comparison.speed is not None:
        lines += wrapped(_speed(comparison.speed))
    settings = _settings(comparison)
    return lines + (wrapped(f"settings that differ: {settings}") if settings else [])


def _cells(score: Compared) -> list[str]:
    difference = score.difference
    return [
        difference.measure,
        percent(float(difference.first)),
        percent(float(difference.second)),
        points(float(difference.value)),
        _interval(difference.interval),
        "–" if score.p_value is None else p_text(score.p_value),
        score.verdict,
    ]


def points(share: float) -> str:
    """Write a difference of shares in percentage points, with its sign."""
    return f"{100 * share:+.1f}" if share else "0.0"


def p_text(value: float) -> str:
    """Write a p-value with two digits that count, and no more zeros than a reader takes in."""
    return "<0.001" if value < 0.001 else f"{value:.3f}" if value < 0.1 else f"{value:.2f}"


def _interval(interval: Interval | None) -> str:
    return "–" if interval is None else f"[{points(interval.low)}, {points(interval.high)}]"


def _population(comparison: Comparison) -> str:
    if not comparison.scores:
        return "" if comparison.speed else "nothing could be compared"
    difference = comparison.scores[0].difference
    text = f"over {counted(difference.workloads, 'workload')} of {counted(difference.patterns, 'pattern')}"
    if difference.patterns < 2:
        text += ", too few for an interval or a p-value"
    for score in comparison.scores:
        one = score.difference
        text += f"; {one.measure}: better on {one.better}, worse on {one.worse}"
    ours, theirs = comparison.left_out
    if ours or theirs:
        text += f"; left out: {ours} workloads of the first alone, {theirs} of the second alone"
    return text


def _speed(speed: ComparedSpeed) -> str:
    one = speed.difference
    measured = f"by its measurements the second is surely faster on {one.faster} of them, surely slower on "
    over = (
        f"in geometric mean over the {counted(one.workloads, 'workload')} of "
        f"{counted(one.patterns, 'pattern')} that both did right"
    )
    said = f"speed: the second is {one.ratio:.2f} times as fast"
    if speed.p_value is not None:
        said += f" {speed_interval(one)}, p {p_text(speed.p_value)}: {speed.verdict}"
    return f"{said}, {over}; {measured}{one.slower}"


def speed_interval(speed: SpeedDifference) -> str:
    """Write the interval of a ratio of speeds; a dash when there is none."""
    return "–" if speed.low is None or speed.high is None else f"[{speed.low:.2f}, {speed.high:.2f}]"


def _settings(comparison: Comparison) -> str:
    """Name settings of the two runs that differ and are not about who wrote the kernels."""
    one, other = (row.run.manifest.settings for row in (comparison.first, comparison.second))
    names = [
        name for name in sorted({*one, *other} - {"agents", "workloads"}) if one.get(name) != other.get(name)
    ]
    return ", ".join(f"{name} ({one.get(name)} against {other.get(name)})" for name in names)


def comparisons_as_json(comparisons: Sequence[Comparison], *, seed: int) -> dict[str, object]:
    """Give comparisons as plain values, shares as floats."""
    return {"seed": seed, "draws": RESAMPLES, "comparisons": [_as_json(one) for one in comparisons]}


def _as_json(comparison: Comparison) -> dict[str, object]:
    return {
        "first": _row_as_json(comparison.first),
        "second": _row_as_json(comparison.second),
        "conditions": {name: read(comparison.manifest) for name, read in ALWAYS.items()},
        "scores": {s.difference.measure: _score_as_json(s) for s in comparison.scores},
        "speed": None if comparison.speed is None else _speed_as_json(comparison.speed),
        "unknown": dict(comparison.unknown),
        "left_out": {"first": comparison.left_out[0], "second": comparison.left_out[1]},
    }


def _row_as_json(row: Row) -> dict[str, object]:
    return {"folder": row.run.folder, "run": row.run.manifest.run, "agent": row.agent}


def _score_as_json(score: Compared) -> dict[str, object]:
    difference = score.difference
    interval = difference.interval
    return {
        "first": float(difference.first),
        "second": float(difference.second),
        "difference": float(difference.value),
        "exact": exact(difference),
        "low": None if interval is None else interval.low,
        "high": None if interval is None else interval.high,
        "p": difference.p_value,
        "p_corrected": score.p_value,
        "verdict": score.verdict,
        "workloads": difference.workloads,
        "patterns": difference.patterns,
        "better": difference.better,
        "worse": difference.worse,
    }


def _speed_as_json(speed: ComparedSpeed) -> dict[str, object]:
    one = speed.difference
    return {
        "ratio": one.ratio,
        "low": one.low,
        "high": one.high,
        "p": one.p_value,
        "p_corrected": speed.p_value,
        "verdict": speed.verdict,
        "workloads": one.workloads,
        "patterns": one.patterns,
        "faster": one.faster,
        "slower": one.slower,
    }


def exact(difference: Difference) -> str:
    """Write a difference as a fraction."""
    return f"{difference.value.numerator}/{difference.value.denominator}"
