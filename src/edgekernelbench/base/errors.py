"""The exceptions of this package. Failures of a kernel are values, not exceptions (decision 0006).

```text
EkbError
├── SourceError          a kernel text is wrong; carries its diagnostics
├── CompileError         a compiler refused a verified kernel: ours to explain
├── DeviceFault          a device failed while it ran a kernel
├── CatalogueError       a catalogue file is wrong
├── RecordError          a stored file cannot be read
├── PrerequisiteError    a tool, package or device is missing; carries the remedy
│   └── ForeignError     code of another package failed: theirs to explain
├── ModelError           a language model's endpoint failed after its retries
├── BudgetExceeded       a limit of the run was reached
└── InternalError        a bug of ours; always worth a report
```
"""

from collections.abc import Iterable

from edgekernelbench.base.diagnostics import Diagnostic


class EkbError(Exception):
    """The root of what this package raises."""


class SourceError(EkbError):
    """A kernel text is wrong.

    Attributes:
        diagnostics: Every complaint found in one pass, in source order; at least one is an error.
        source: The text, for rendering.
    """

    def __init__(self, diagnostics: Iterable[Diagnostic], source: str = "") -> None:
        self.diagnostics = tuple(diagnostics)
        self.source = source
        super().__init__(self.diagnostics, source)

    def __str__(self) -> str:
        return "\n".join(d.render(self.source) for d in self.diagnostics)


class CompileError(EkbError):
    """A compiler refused a verified kernel."""


class DeviceFault(EkbError):  # noqa: N818 - what happened, not whose error
    """A device failed while it ran a kernel: a lost context, a fault of memory, a launch refused."""


class CatalogueError(EkbError):
    """A catalogue file is wrong; the message names the file and the entry."""


class RecordError(EkbError):
    """A stored file cannot be read; the message names file and line."""


class PrerequisiteError(EkbError):
    """Something on this machine is missing.

    Attributes:
        missing: What is missing.
        remedy: The command, or the step, that brings it.
    """

    def __init__(self, missing: str, remedy: str) -> None:
        self.missing = missing
        self.remedy = remedy
        super().__init__(missing, remedy)

    def __str__(self) -> str:
        return f"{self.missing}; {self.remedy}"


class ForeignError(PrerequisiteError):
    """Code of another package, found by its entry point, failed."""


class ModelError(EkbError):
    """A language model's endpoint failed after its retries."""


class BudgetExceeded(EkbError):  # noqa: N818 - the reached limit is the news, not a fault
    """A limit of the run was reached.

    Attributes:
        limit: Which one, such as `"submissions"`.
        used: How much was used.
        allowed: How much was allowed.
    """

    def __init__(self, limit: str, used: float, allowed: float) -> None:
        self.limit = limit
        self.used = used
        self.allowed = allowed
        super().__init__(limit, used, allowed)

    def __str__(self) -> str:
        return f"the budget of {self.allowed:g} {self.limit} is used up ({self.used:g})"


class InternalError(EkbError):
    """A bug of ours."""
