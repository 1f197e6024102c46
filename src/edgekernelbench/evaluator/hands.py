"""What the judge asks of workers and of whoever starts them, on this machine or on a board."""

from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Protocol, Self

from edgekernelbench.evaluator.messages import Ended, Limits
from edgekernelbench.records.outcome import Phase


class Hand(Protocol):
    """A worker, seen from the judge; `supervisor.Worker` says what each of these does."""

    @property
    def ended(self) -> Ended | None:
        """How it ended; None while it is known to be alive."""
        ...

    def extend(self, seconds: float) -> None:
        """Give it a new deadline, counted from now."""
        ...

    def wait(self) -> Ended:
        """Wait until it has ended; its sheets are then as it left them."""
        ...

    def pass_token(self, message: Mapping[str, object]) -> dict[str, Any] | None:
        """Let it work until it answers; None when it ended instead."""
        ...

    def kill(self) -> None:
        """End it now."""
        ...

    def phase(self) -> Phase:
        """Say what it was doing last."""
        ...

    def reply(self) -> dict[str, Any] | None:
        """Read its reply."""
        ...

    def stderr_tail(self) -> str:
        """Read the end of what it wrote to standard error."""
        ...

    def close(self) -> None:
        """End it if it is alive, and leave nothing behind."""
        ...

    def __enter__(self) -> Self: ...

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...


class Hands(Protocol):
    """Starts workers; `supervisor.Supervisor` says what each of these does."""

    def folder(self) -> Path:
        """Make a folder for a worker, on this machine."""
        ...

    def start(self, role: str, request: Mapping[str, object], *, folder: Path, limits: Limits) -> Hand:
        """Start a worker.

        Raises:
            ServerLost: When none can be started.
            PrerequisiteError: When something is missing.
        """
        ...
