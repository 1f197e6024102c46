"""What commands print: results to standard output, everything else to standard error."""

import json
import sys
from collections.abc import Iterable

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.visible import visible, visible_json


def print_json(value: object) -> None:
    """Print a result as JSON, indented, keys in the order given."""
    _write(visible_json(json.dumps(value, indent=1, ensure_ascii=False, default=str)) + "\n")


def print_lines(lines: Iterable[str]) -> None:
    """Print a result, a line an entry; what would act on a terminal as escapes."""
    for line in lines:
        _write(visible(line.rstrip()) + "\n")


def _write(text: str) -> None:
    """Write to standard output; what its encoding does not have, as escapes."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))


def say(line: str) -> None:
    """Tell the person something that is not the result."""
    sys.stderr.write(visible(line) + "\n")
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
