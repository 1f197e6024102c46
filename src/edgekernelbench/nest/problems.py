"""Collects what is wrong with the schedule and memory layers of one target."""

from edgekernelbench.base.diagnostics import Diagnostic, Layer
from edgekernelbench.base.errors import SourceError
from edgekernelbench.base.span import Span
from edgekernelbench.ir.memory import MemoryDirective
from edgekernelbench.ir.schedule import ScheduleDirective

Directive = ScheduleDirective | MemoryDirective


class Problems:
    """The diagnostics of one build, in the order found; the same one is kept once.

    Attributes:
        target: The target whose blocks are looked at.
        unmade: Names that lines refused before would have made: nothing is said of their absence.
    """

    def __init__(self, target: str, unmade: frozenset[str] = frozenset()) -> None:
        self.target = target
        self.unmade = unmade
        self._found: dict[Diagnostic, None] = {}

    def add(
        self,
        code: str,
        message: str,
        directive: Directive | Span,
        hint: str | None = None,
        *,
        arg: int = -1,
        layer: Layer = Layer.SCHEDULE,
    ) -> None:
        """Refuse the text.

        Args:
            code: One of `base.codes.CODES`.
            message: What was expected and what was found.
            directive: What is wrong, or where.
            hint: The corrected lines.
            arg: The argument that is meant; -1 for the whole directive.
            layer: Which layer must change, where no directive says so.
        """
        if isinstance(directive, Span):
            span = directive
        else:
            layer = Layer.MEMORY if isinstance(directive, MemoryDirective) else Layer.SCHEDULE
            span = directive.spans[arg] if 0 <= arg < len(directive.spans) else directive.span
        self._found[Diagnostic(code, message, span, layer, hint, target=self.target)] = None

    def check(self) -> None:
        """Stop here when something was found.

        Raises:
            SourceError: With everything found so far, in source order.
        """
        if self._found:
            raise SourceError(self.sorted())

    def sorted(self) -> list[Diagnostic]:
        """Give everything found so far, in source order."""
        return sorted(self._found, key=lambda d: (d.span.line, d.span.column, d.code))

    @property
    def any(self) -> bool:
        """Whether something was found."""
        return bool(self._found)
