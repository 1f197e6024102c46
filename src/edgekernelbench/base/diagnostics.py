"""What is wrong with a text, as data; and how a person or a model is shown it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from edgekernelbench.base.span import NOWHERE, Span

MAX_QUOTE_CHARS = 200
"""A rendered source line is cut here, so that a hostile text cannot flood an answer."""


class Layer(StrEnum):
    """The part of a text that a diagnostic speaks of."""

    TEXT = "text"
    COMPUTE = "compute"
    SCHEDULE = "schedule"
    MEMORY = "memory"


class Severity(StrEnum):
    """Whether a text can go on."""

    ERROR = "error"
    WARNING = "warning"
    ADVICE = "advice"


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One complaint, with its place.

    Attributes:
        code: A code of `base.codes.CODES`, such as `"C14"`.
        message: What was expected and what was found; lower case, no full stop.
        span: The piece of text that is wrong.
        layer: Which layer must change.
        hint: The corrected line or lines, or what to do; None when nothing likely is known.
        severity: Errors refuse the text; warnings and advice do not.
        target: The target whose block is meant; None for compute and for the text.
    """

    code: str
    message: str
    span: Span = NOWHERE
    layer: Layer = Layer.TEXT
    hint: str | None = None
    severity: Severity = Severity.ERROR
    target: str | None = None

    def render(self, source: str, filename: str = "<text>") -> str:
        """Show the complaint with its source line, a caret and the hint.

        Args:
            source: The text the span points into.
            filename: The name to print before the line number.

        Returns:
            Two to many lines, without a final line break.
        """
        place = f"{filename}:{self.span.line}:{self.span.column}" if self.span.line else filename
        subject = f"{self.layer}({self.target})" if self.target else str(self.layer)
        head = f"{place}: {self.severity}[{self.code}]: {subject}: {self.message}"
        return "\n".join([head, *_quote(self.span, source), *_hint_lines(self.hint)])


def _quote(span: Span, source: str) -> list[str]:
    lines = source.split("\n")
    if not 1 <= span.line <= len(lines):
        return []
    line = lines[span.line - 1]
    end = span.end_column if span.end_line == span.line else len(line) + 1
    width = max(1, min(end, len(line) + 1) - span.column)
    if len(line) > MAX_QUOTE_CHARS:
        return [line[:MAX_QUOTE_CHARS] + " ..."]
    return [line, " " * (span.column - 1) + "^" * width]


def _hint_lines(hint: str | None) -> list[str]:
    if hint is None:
        return []
    first, *rest = hint.split("\n")
    return [f"  hint: {first}", *(f"        {line}" for line in rest)]


def errors_in(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Keep what refuses a text.

    Args:
        diagnostics: Any mixture of severities.

    Returns:
        The errors, in the order given.
    """
    return tuple(d for d in diagnostics if d.severity is Severity.ERROR)
