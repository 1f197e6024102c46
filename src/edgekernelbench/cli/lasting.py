"""`--sustained`: how long, and how speed held."""

import re
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.records.judgement import Judgement, Moment
from edgekernelbench.reports.text import columns

Sustained = Annotated[
    str | None,
    typer.Option("--sustained", help="Then run it on end, and show how speed holds.", metavar="SECONDS"),
]
LONGEST_S = 3600.0
NS_PER_MS, MS_PER_S = 1_000_000, 1000

_FORM = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min)?")


def parse_seconds(text: str | None) -> float:
    """Read `30s`, `30` or `2min`; nothing is 0.

    Raises:
        CatalogueError: When it is no duration, or over an hour.
    """
    if text is None:
        return 0.0
    found = _FORM.fullmatch(text.strip())
    seconds = float(found[1]) * (60 if found[2] == "min" else 1) if found else 0.0
    if not 0 < seconds <= LONGEST_S:
        raise CatalogueError(f"expected a duration such as 30s, at most an hour, found {text!r}")
    return seconds


def lasting_lines(judgement: Judgement) -> list[str]:
    """Show how speed held, moment by moment; nothing where that was not asked for."""
    moments = judgement.sustained
    if not moments:
        return [] if moments is None else ["the kernel was lost while it ran on end"]
    first = moments[0].per_run_ns
    heads = ["after", "a run", "speed", "clock", "heat", ""]
    cells = [
        [
            f"{one.at_ms / MS_PER_S:.1f} s",
            f"{one.per_run_ns / NS_PER_MS:.4f} ms",
            f"{first / one.per_run_ns:.0%}",
            *_sensors(one),
        ]
        for one in moments
    ]
    speeds = [first / one.per_run_ns for one in moments]
    last = f"it ended at {speeds[-1]:.0%} of its first speed, the slowest was {min(speeds):.0%}"
    return ["", *columns([heads, *cells], right=frozenset(range(5))), last]


def _sensors(one: Moment) -> tuple[str, str, str]:
    clock = "" if one.mhz is None else f"{one.mhz:,.0f} MHz"
    heat = "" if one.celsius is None else f"{one.celsius:.1f} °C"
    return clock, heat, "held back" if one.held_back else ""
