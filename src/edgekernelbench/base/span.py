"""Where a piece of text came from."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of source text, in lines and columns as an editor counts them.

    Attributes:
        line: First line, from 1.
        column: First column, from 1, in characters.
        end_line: Last line, from 1.
        end_column: One past the last column.
    """

    line: int
    column: int
    end_line: int
    end_column: int


NOWHERE = Span(0, 0, 0, 0)
"""The span of what no text wrote, such as a tree that a program built."""
