"""What commands print: results to standard output, everything else to standard error."""

import json
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.visible import visible, visible_json
from edgekernelbench.reports.text import WIDTH


def print_json(value: object) -> None:
    """Print a result as JSON, indented, keys in the order given."""
    _write(visible_json(json.dumps(value, indent=1, ensure_ascii=False, default=str)) + "\n")


def print_lines(lines: Iterable[str], *, fold: bool = False) -> None:
    """Print a result, a line an entry; what would act on a terminal as escapes.

    Args:
        lines: The result.
        fold: Whether lines wider than the terminal are broken between words. Sentences and tables are;
            kernel texts and other code, which are copied, are not. Nothing is broken in a pipe or a file.
    """
    width = shutil.get_terminal_size().columns if fold and sys.stdout.isatty() else 0
    for line in lines:
        whole = visible(line.rstrip())
        for part in folded(whole, width) if width else (whole,):
            _write(part + "\n")


def reading_width() -> int:
    """Give how wide paragraphs may be: as the terminal, at most 100, where lines are still easy to follow.

    In a pipe or a file it is 80.
    """
    return min(shutil.get_terminal_size().columns, 100) if sys.stdout.isatty() else WIDTH


_LAST_COLUMN = re.compile(r"\S {2,}(?=\S)")


def folded(line: str, width: int) -> list[str]:
    """Break a line between words.

    Args:
        line: A sentence, or a row of a table, whose columns stand two spaces apart.
        width: The most characters of a line; a longer word stays whole.

    Returns:
        The line, or its parts: of a row the later ones stand under the last column, if that leaves room.
    """
    if len(line) <= width:
        return [line]
    gaps = [found.end() for found in _LAST_COLUMN.finditer(line)]
    own = len(line) - len(line.lstrip())
    indent = gaps[-1] if gaps and gaps[-1] <= width * 2 // 3 else own + 2
    return textwrap.wrap(
        line,
        width,
        subsequent_indent=" " * indent,
        drop_whitespace=True,
        break_on_hyphens=False,
        break_long_words=False,
    )


def _write(text: str) -> None:
    """Write to standard output; what its encoding does not have, as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def say(line: str) -> None:
    """Tell the person something that is not the result; on a terminal, broken between words."""
    width = shutil.get_terminal_size().columns if sys.stderr.isatty() else 0
    whole = visible(line)
    parts = [part for one in whole.split("\n") for part in folded(one, width)] if width else [whole]
    sys.stderr.write("\n".join(parts) + "\n")
    sys.stderr.flush()


def diagnostics_as_json(diagnostics: Iterable[Diagnostic]) -> list[dict[str, object]]:
    """Give diagnostics as plain values."""
    return [
        {
            "code": d.code,
            "severity": str(d.severity),
            "layer": str(d.layer),
            "target": d.target,
            "message": d.message,
            "hint": d.hint,
            "line": d.span.line,
            "column": d.span.column,
            "end_line": d.span.end_line,
            "end_column": d.span.end_column,
        }
        for d in diagnostics
    ]
