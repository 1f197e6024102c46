"""From a string to Python's syntax tree: what is refused before anything is looked at.

The text goes through Python's parser and is never executed.
"""

import ast
import re

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import Span
from edgekernelbench.lang.python_text import parse_python

MAX_SOURCE_CHARS = 64 * 1024
"""Longer texts are refused unread."""

MAX_BRACES = 256
"""Python reads formatted strings slowly; a kernel text has braces in comments at most."""

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
        found = f"the text has more than {MAX_SOURCE_CHARS:,} characters"
        raise SourceError([Diagnostic("P03", found)])
    source = line_ends(source)
    if source.count("{") > MAX_BRACES:
        raise SourceError([Diagnostic("P03", "the language has no braces, the text has very many")], source)
    illegal = _ILLEGAL.search(source)
    if illegal is not None:
        line = source.count("\n", 0, illegal.start()) + 1
        column = illegal.start() - source.rfind("\n", 0, illegal.start())
        place = Span(line, column, line, column + 1)
        found = f"a text is printable ASCII, found character U+{ord(illegal[0]):04X}"
        raise SourceError([Diagnostic("P02", found, place)], source)
    return source if source.endswith("\n") else source + "\n"


def line_ends(source: str) -> str:
    """Give a text the line ends that the places of diagnostics are counted by."""
    return source.replace("\r\n", "\n").replace("\r", "\n")


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
        return parse_python(source)
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
    if "4300 digits" in error.msg:
        return Diagnostic("P07", "a number has more than 4,300 digits", place)
    if "nested" in error.msg or "too many levels" in error.msg:
        return Diagnostic("P03", f"the text is nested too deeply: {error.msg}", place)
    lines = source.split("\n")
    text = lines[line - 1] if line <= len(lines) else ""
    hint = _hint(text, error.msg)
    if hint is None and re.search(r"^def ", "\n".join(lines[line:]), re.MULTILINE):
        hint = "leave out what stands above def: give the text alone"
    return Diagnostic("P01", f"not Python: {error.msg}", place, hint=hint)


_FOREIGN = (
    (re.compile(r"^\s*```"), "leave out the lines with ```: give the text alone"),
    (re.compile(r"&&"), "and in place of &&"),
    (re.compile(r"\|\|"), "or in place of ||"),
    (re.compile(r"!(?!=)"), "not in place of !"),
    (re.compile(r"\+\+|--(?=\s*$)"), "for t in range(T): counts by itself"),
    (re.compile(r"\?.*:"), "a if c else b in place of c ? a : b"),
    (re.compile(r"[{}]"), "blocks are indented, without braces"),
    (re.compile(r"(^|\s)//(\s|$).*"), "comments start with #"),
    (re.compile(r"->"), "leave out what stands behind ->: outputs have their types in compute"),
)
"""What other languages spell differently, on the line where Python stopped."""


def _hint(line: str, message: str) -> str | None:
    if "only single target" in message:
        return "one stage a line; several stages that need each other stand in one for"
    if "expected an indented block" in message:
        return "pass"
    if "illegal target for annotation" in message:
        return "name[axes]: type[shape] = value"
    if "cannot assign to" in message and "==" not in message.partition("Maybe")[0]:
        return "name[axes]: type[shape] = value"
    return next((said for pattern, said in _FOREIGN if pattern.search(line)), None)
