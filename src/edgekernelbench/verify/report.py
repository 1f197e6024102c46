"""Collects what is wrong with a compute layer, so that one pass reports everything."""

from edgekernelbench.base.diagnostics import Diagnostic, Layer, Severity
from edgekernelbench.base.span import Span


class Report:
    """The diagnostics of one verification, in the order found."""

    def __init__(self) -> None:
        self._found: dict[Diagnostic, None] = {}

    def error(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Refuse the text; the same complaint at the same place is kept once."""
        self._found[Diagnostic(code, message, span, Layer.COMPUTE, hint)] = None

    def warn(self, code: str, message: str, span: Span, hint: str | None = None) -> None:
        """Warn, without refusing."""
        self._found[Diagnostic(code, message, span, Layer.COMPUTE, hint, Severity.WARNING)] = None

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
