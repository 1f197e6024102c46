"""Python's own parser, one caller at a time."""

import ast
import warnings
from threading import Lock

_TURN = Lock()
"""CPython 3.11 counts the depth of trees in one place for all threads, and `warnings` keeps one list for all:
of two threads that parse at once, one gets `AST constructor recursion depth mismatch` now and then."""


def parse_python(text: str, *, name: str = "<text>") -> ast.Module:
    """Parse a program; it is not executed.

    Args:
        text: The program.
        name: What errors call it.

    Returns:
        Its syntax tree.

    Raises:
        SyntaxError: When it is not Python.
        ValueError: When it holds a NUL.
        RecursionError: When it is nested too deeply.
        MemoryError: When it is nested too deeply, too.
    """
    with _TURN, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about escapes in strings: nobody here runs them
        return ast.parse(text, filename=name)
