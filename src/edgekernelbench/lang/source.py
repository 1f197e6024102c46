"""From a string to Python's syntax tree: what is refused before anything is looked at.

The text goes through `ast.parse` and is never executed.
"""

import ast
import re
import warnings

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import Span

MAX_SOURCE_CHARS = 64 * 1024
"""Longer texts are refused unread."""

_ILLEGAL = re.compile(r"[^\n\t\x20-\x7e]")


def normalise(source: str) -> str:
    """Give a text the line ends that spans are counted by.

    Args:
        source: Any string.

    Returns:
        The text with a line feed for every line end, and one at its end.

    Raises:
        SourceError: P03 when it is too long, P02 when it holds what is not printable ASCII.
    """
    if len(source) > MAX_SOURCE_CHARS:
        found = f"the text has {len(source):,} characters, {MAX_SOURCE_CHARS:,} are allowed"
        raise SourceError([Diagnostic("P03", found)])
    source = source.replace("\r\n", "\n").replace("\r", "\n")
    illegal = _ILLEGAL.search(source)
    if illegal is not None:
        line = source.count("\n", 0, illegal.start()) + 1
        column = illegal.start() - source.rfind("\n", 0, illegal.start())
        place = Span(line, column, line, column + 1)
        found = f"a text is printable ASCII, found character U+{ord(illegal[0]):04X}"
        raise SourceError([Diagnostic("P02", found, place)], source)
    return source if source.endswith("\n") else source + "\n"


def parse_module(source: str) -> ast.Module:
    """Parse a text as Python.

    Args:
        source: What `normalise` gave.

    Returns:
        The syntax tree.

    Raises:
        SourceError: P01 when it is not Python, P03 when it is nested too deeply.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about escapes in strings, which are refused later
            return ast.parse(source)
    except SyntaxError as error:
        raise SourceError([_not_python(error, source)], source) from None
    except ValueError as error:
        raise SourceError([Diagnostic("P01", f"not Python: {error}")], source) from None
    except (RecursionError, MemoryError):
        raise SourceError([Diagnostic("P03", "the text is nested too deeply")], source) from None


def _not_python(error: SyntaxError, source: str) -> Diagnostic:
    line, column = error.lineno or 1, max(error.offset or 1, 1)
    place = Span(line, column, line, column + 1)
    if error.end_lineno == line and (error.end_offset or 0) > column:
        place = Span(line, column, line, error.end_offset or column + 1)
    return Diagnostic("P01", f"not Python: {error.msg}", place)
