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
        named = (f"{device} ({kind})" for device, kind in zip(one.devices, one.classes, strict=True))
        lines += ["", *wrapped(f"one text on {', '.join(named)}"), ""]
        lines += [*columns(cells, right=frozenset({1})), ""] if len(cells) > 1 else []
        for agent, row in one.rows:
            if isinstance(row, Withheld):
                lines += wrapped(f"{agent}: no score, since {row.reason}")
        lines += wrapped(
            f"share of attempts whose one text is correct on all {len(one.devices)} devices, over "
            f"{one.workloads} workloads; [95 % intervals]"
        )
        if set(one.classes) != {"edge"}:
            lines += wrapped("not all of them are edge devices: this is no edge result")
    return lines


def add_portable(runs: Sequence[dict[str, object]], found: Sequence[Portable]) -> list[dict[str, object]]:
    """Add to runs on several devices what their texts are worth on all of them.

    Args:
        runs: Runs as plain values, with their `folder`.
        found: Sets of such runs.

    Returns:
        The runs; those of a set have `portable`: devices, folders, workloads, and each agent's score.
    """
    by_folder = {folder: _as_json(one) for one in found for folder in one.folders}
    return [
        {**run, "portable": by_folder[folder]} if (folder := str(run["folder"])) in by_folder else run
        for run in runs
    ]


def _as_json(one: Portable) -> dict[str, object]:
    return {
        "devices": list(one.devices),
        "classes": list(one.classes),
        "folders": list(one.folders),
        "workloads": one.workloads,
        "rows": [
            {"agent": agent, PORTABLE: score_as_json(row)}
            if isinstance(row, Score)
            else {"agent": agent, "judged": row.judged, "attempts": row.attempts}
            for agent, row in one.rows
        ],
    }
