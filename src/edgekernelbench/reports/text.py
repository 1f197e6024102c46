"""Plain text for terminals and logs: columns and numbers."""

from collections.abc import Sequence


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


def percent(share: float | None) -> str:
    """Write a share in [0, 1] as a percentage; a dash when it is undefined."""
    return "–" if share is None else f"{100 * share:.1f} %"
