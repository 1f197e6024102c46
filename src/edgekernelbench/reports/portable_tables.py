"""Portable@1 for the terminal, as Markdown's notes and as JSON."""

from collections.abc import Sequence

from edgekernelbench.metrics.headline import Score, Withheld
from edgekernelbench.reports.portable import PORTABLE, Portable
from edgekernelbench.reports.tables import interval_text, score_as_json
from edgekernelbench.reports.text import columns, percent, wrapped


def portable_lines(found: Sequence[Portable]) -> list[str]:
    """Write Portable@1 as tables, an empty line before each.

    Args:
        found: Sets of runs on several devices.

    Returns:
        Lines of about 80 characters.
    """
    lines: list[str] = []
    for one in found:
        cells = [["", PORTABLE]]
        for agent, row in one.rows:
            if isinstance(row, Score):
                cells += [[agent, percent(None if row.value is None else float(row.value))]]
                cells += [["", interval_text(row)]]
        lines += ["", *wrapped(f"one text on {', '.join(one.devices)}"), ""]
        lines += [*columns(cells, right=frozenset({1})), ""] if len(cells) > 1 else []
        for agent, row in one.rows:
            if isinstance(row, Withheld):
                left = row.attempts - row.judged
                lines += wrapped(f"{agent}: no score, since {left} of {row.attempts} attempts are unjudged")
        lines += wrapped(
            f"share of attempts whose one text is correct on all {len(one.devices)} devices, over "
            f"{one.workloads} workloads; [95 % intervals]"
        )
    return lines


def portable_as_json(found: Sequence[Portable]) -> list[dict[str, object]]:
    """Give Portable@1 as plain values."""
    return [
        {
            "devices": list(one.devices),
            "folders": list(one.folders),
            "workloads": one.workloads,
            "rows": [
                {
                    "agent": agent,
                    PORTABLE: score_as_json(row)
                    if isinstance(row, Score)
                    else {"judged": row.judged, "attempts": row.attempts},
                }
                for agent, row in one.rows
            ],
        }
        for one in found
    ]
