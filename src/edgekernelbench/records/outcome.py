"""The four things an attempt can come to, and the one that is none of them.

`Rejected | Crashed | Wrong | Correct` is what a kernel did. `Unjudged` says that we could not find out: a
lost board, a full disk, a model's endpoint that failed. It is kept apart by its type, so that nothing
that counts outcomes can count it by accident.
"""

import math
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Literal

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.units import Nanoseconds


class Phase(StrEnum):
    """What a worker was doing; a stage of the judge, not of a kernel."""

    START = "start"
    COMPILE = "compile"
    RUN = "run"
    TIME = "time"


class Fault(StrEnum):
    """In which way a kernel that ran was wrong."""

    VALUES = "values"
    """Elements outside their tolerance."""
    ERROR_RATIO = "error-ratio"
    """Every element within its tolerance, yet the RMS error is far above that of the declared arithmetic."""
    UNWRITTEN = "unwritten"
    """Elements that still hold the poison."""
    GUARD = "guard"
    """Bytes beside a buffer were changed."""
    INPUT_CHANGED = "input-changed"
    """A parameter was written to."""
    NONDETERMINISTIC = "nondeterministic"
    """A second run on the same inputs was outside the tolerance of the first."""


@dataclass(frozen=True, slots=True)
class Rejected:
    """The text never became a kernel.

    Attributes:
        diagnostics: Every complaint; at least one is an error.
    """

    diagnostics: tuple[Diagnostic, ...]
    kind: Literal["rejected"] = "rejected"


@dataclass(frozen=True, slots=True)
class Crashed:
    """The worker died, or was killed at its deadline, in `phase`.

    Attributes:
        phase: What it was doing.
        signal: The signal that ended it; None when it exited.
        timed_out: Whether its deadline had passed.
        detail: What is known besides: a compiler's message, the end of standard error.
    """

    phase: Phase
    signal: int | None
    timed_out: bool
    detail: str
    kind: Literal["crashed"] = "crashed"


@dataclass(frozen=True, slots=True)
class Wrong:
    """It ran, and what it left is not the answer.

    Attributes:
        fault: In which way.
        output: The output or parameter meant, by position, such as `"output 0"`.
        inputs: Which input set showed it.
        mismatched: How many elements (for a guard, bytes) are wrong.
        worst: The largest error in units of what is allowed; None when it is not a finite number.
        detail: The first place with what was expected and found.
    """

    fault: Fault
    output: str
    inputs: str
    mismatched: int
    worst: float | None
    detail: str
    kind: Literal["wrong"] = "wrong"


@dataclass(frozen=True, slots=True)
class Series:
    """What one process measured of one timed thing.

    Attributes:
        name: `"kernel"`, or the name of the baseline.
        runs: Kernel runs in each sample.
        samples: One duration a sample, over `runs` runs.
        threads: How many threads worked.
    """

    name: str
    runs: int
    samples: tuple[Nanoseconds, ...]
    threads: int

    @property
    def per_run(self) -> float:
        """The median duration of one run, in nanoseconds."""
        return median(self.samples) / self.runs


AT_LEAST: dict[str, tuple[str, ...]] = {"r1": ("default",)}
"""Baselines that are at least as fast as others: R1 is the faster of two, whatever was chosen for it."""


@dataclass(frozen=True, slots=True)
class Ring:
    """One set of processes that were measured in turn, a token passing round: the unit of repetition.

    Attributes:
        kernel: The judged kernel.
        baselines: What it was measured beside.
    """

    kernel: Series
    baselines: tuple[Series, ...]

    def log_ratio(self, baseline: str) -> float | None:
        """Compare with a baseline.

        Args:
            baseline: Its name.

        Returns:
            The natural logarithm of baseline over kernel, by medians; None when it was not measured. A
            baseline that is the faster of some is never slower than one of them (`AT_LEAST`).
        """
        times = {series.name: series.per_run for series in self.baselines}
        if baseline not in times:
            return None
        best = min(
            times[baseline], *(times[name] for name in AT_LEAST.get(baseline, ()) if name in times), math.inf
        )
        return math.log(best / self.kernel.per_run)


@dataclass(frozen=True, slots=True)
class Correct:
    """It ran and agreed with the reference on every input set.

    Attributes:
        rings: Measurements, one entry a set of fresh processes; empty when only correctness was asked.
    """

    rings: tuple[Ring, ...]
    kind: Literal["correct"] = "correct"


Outcome = Rejected | Crashed | Wrong | Correct
"""Exactly one of these per attempt. Only `Correct` has times, so nothing else can be fast."""


class Cause(StrEnum):
    """Why an attempt could not be judged."""

    DEVICE = "device"
    MODEL = "model"
    DISK = "disk"
    WORKER = "worker"
    """The judge's own processes failed, not the kernel."""
    LOAD = "load"
    """The machine could not be measured, such as more threads at work than were stated."""
    MISSING = "missing"
    """The run stopped before it came to this attempt."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """Not an outcome: nothing was learnt about the kernel.

    Attributes:
        cause: What failed.
        detail: What is known about it.
    """

    cause: Cause
    detail: str
    kind: Literal["unjudged"] = "unjudged"
