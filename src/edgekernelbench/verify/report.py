"""Collects what is wrong with a compute layer, so that one pass reports everything."""

from edgekernelbench.base.diagnostics import Diagnostic, Layer, Severity
from edgekernelbench.base.span import Span

MAX_MESSAGE, MAX_HINT = 400, 800
"""Characters after which a message is cut and a hint left out, so that a text cannot flood an answer."""


class Report:
    """The diagnostics of one verification, in the order found."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Refuse the text; the same complaint at the same place is kept once."""
        self._add(code, message, span, hint, Severity.ERROR)

    def refuse(self, code: str, words: tuple[str, str | None], span: Span) -> None:
        """Refuse the text with a message and a hint."""
        self.error(code, words[0], span, words[1])

    def warn(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Warn, without refusing."""
        self._add(code, message, span, hint, Severity.WARNING)

    def _add(self, code: str, message: str, span: Span, hint: str | None, severity: Severity) -> None:
        if len(message) > MAX_MESSAGE:
            message = message[:MAX_MESSAGE] + "…"
        if hint is not None and len(hint) > MAX_HINT:
            hint = None
        self._found[Diagnostic(code, message, span, Layer.COMPUTE, hint, severity)] = None

    def sorted(self) -> tuple[Diagnostic, ...]:
        """Give everything found, in source order."""
        return tuple(sorted(self._found, key=lambda d: (d.span.line, d.span.column)))

    @property
    def codes(self) -> frozenset[str]:
        """The codes of the errors found so far."""
        return frozenset(d.code for d in self._found if d.severity is Severity.ERROR)

    @property
    def refused(self) -> bool:
        """Whether an error was found."""
        return any(d.severity is Severity.ERROR for d in self._found)
