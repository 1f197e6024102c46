"""Tables of runs as Markdown: for a README, an issue, a paper's supplement."""

import re
from collections.abc import Sequence

from edgekernelbench.base.visible import visible
from edgekernelbench.metrics.headline import Headline, Score, Withheld
from edgekernelbench.reports.runs import RunScores
from edgekernelbench.reports.tables import conditions, interval_text, kinds_text, population
from edgekernelbench.reports.text import bytes_text, duration_text, percent

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>|~#])")


def runs_as_markdown(runs: Sequence[RunScores]) -> list[str]:
    """Write runs as Markdown: a heading and a table for each, since runs of different kinds are never in one.

    Args:
        runs: Scored runs.

    Returns:
        Lines; names are escaped, so that none is read as markup.
    """
    lines: list[str] = []
    for run in runs:
        lines += [*([""] if lines else []), *_run(run)]
    return lines


def escaped(text: str) -> str:
    """Make a text from outside harmless in Markdown: one line, no markup."""
    return _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))


def _run(run: RunScores) -> list[str]:
    lines = [f"### {escaped(run.manifest.run)}", "", escaped(conditions(run)), ""]
    scored = [row for row in run.rows if isinstance(row, Headline)]
    if scored:
        names = [score.name for score in scored[0].scores]
        heads = ["agent", *names, *_cost_heads(run)]
        lines += [_row(heads), _row(["---", *["--:"] * (len(heads) - 1)])]
        lines += [_row([escaped(row.agent), *map(_score, row.scores), *_costs(run, row)]) for row in scored]
        lines.append("")
    for row in run.rows:
        what = f"{escaped(row.agent)}: {escaped(kinds_text(row))}"
        if isinstance(row, Withheld):
            what += f"; no score, since {escaped(row.reason)}"
        lines.append(f"- {what}")
    lines += [f"- {escaped(note)}" for note in (*run.notes, *population(run))]
    return [*lines, f"- records: {run.digest}"]


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _score(score: Score) -> str:
    value = percent(None if score.value is None else float(score.value))
    interval = interval_text(score)
    return f"{value} {interval}" if interval else value


def _cost_heads(run: RunScores) -> list[str]:
    heads = ["workspace", "reference's", "code", "compile"] if run.costs else []
    return [*heads, "beside vendor"] if run.vendors else heads


def _costs(run: RunScores, row: Headline) -> list[str]:
    cells = []
    if run.costs:
        cost = run.costs.get(row.agent)
        if cost is None:
            cells += ["–"] * 4
        else:
            code = "–" if cost.code_bytes is None else bytes_text(cost.code_bytes)
            theirs = "–" if cost.reference_bytes is None else bytes_text(cost.reference_bytes)
            cells += [bytes_text(cost.workspace_bytes), theirs, code, duration_text(cost.compile_ns)]
    if run.vendors:
        vendor = run.vendors.get(row.agent)
        cells.append("–" if vendor is None else f"{vendor.mean:.2f} times")
    return cells
