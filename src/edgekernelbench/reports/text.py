"""Plain text for terminals and logs: columns and numbers."""

import textwrap
from collections.abc import Sequence

WIDTH = 80
"""Characters of a line that fits every terminal."""


def columns(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset()) -> list[str]:
    """Align cells.

    Args:
        rows: All with as many cells; the first may be the heads.
        right: Columns that are flush right.

    Returns:
        One line a row.
    """
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    return [
        "  ".join(
            cell.rjust(widths[at]) if at in right else cell.ljust(widths[at]) for at, cell in enumerate(row)
        ).rstrip()
        for row in rows
    ]


def counted(count: int, noun: str) -> str:
    """Write a number with its noun: `1 workload`, `8 workloads`."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def percent(share: float | None) -> str:
    """Write a share in [0, 1] as a percentage; a dash when it is undefined."""
    return "–" if share is None else f"{100 * share:.1f} %"


def wrapped(text: str, width: int = WIDTH) -> list[str]:
    """Break a sentence into lines, the later ones indented.

    Args:
        text: The sentence.
        width: The most characters of a line; one longer word stays whole.
    """
    return textwrap.wrap(text, width, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def bytes_text(size: float) -> str:
    """Write a size in bytes with three digits that count."""
    if size < 1024:
        return f"{size:.0f} B"
    for unit in ("KiB", "MiB"):
        size /= 1024
        if size < 1024:
            return f"{_three_digits(size)} {unit}"
    return f"{_three_digits(size / 1024)} GiB"


def duration_text(ns: float) -> str:
    """Write a duration, given in nanoseconds, with three digits that count."""
    for limit, divisor, unit in ((1e3, 1, "ns"), (1e6, 1e3, "µs"), (1e9, 1e6, "ms")):
        if ns < limit:
            return f"{_three_digits(ns / divisor)} {unit}"
    return f"{_three_digits(ns / 1e9)} s"


def _three_digits(value: float) -> str:
    return f"{value:.{2 if value < 10 else 1 if value < 100 else 0}f}"
