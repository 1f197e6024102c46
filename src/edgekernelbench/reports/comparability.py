"""What two rows must have in common before one number may be held against the other."""

from collections.abc import Callable, Mapping, Sequence

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.manifest import Manifest
from edgekernelbench.records.reference import PLAIN
from edgekernelbench.reports.runs import RunAttempts, reference_of

NO_TIMING = "none"


def _setting(name: str, default: str = "") -> Callable[[Manifest], str]:
    def read(manifest: Manifest) -> str:
        value = manifest.settings.get(name)
        return default if value is None else str(value)

    return read


ALWAYS: Mapping[str, Callable[[Manifest], str]] = {
    "release": lambda manifest: f"catalogue {manifest.catalogue}",
    "track": _setting("track", "write"),
    "language": _setting("language", "kernel"),
    "device": lambda manifest: manifest.device.profile,
    "device class": lambda manifest: manifest.device.device_class,
    "reference": _setting("reference", "R0"),
}
"""What every score rests on: rows that differ here are never in one table."""

FOR_SPEED: Mapping[str, Callable[[Manifest], str]] = {
    "timing": _setting("timing"),
    "processor": lambda manifest: manifest.device.cpu or manifest.device.machine,
    "threads": lambda manifest: str(manifest.device.threads),
    "compiler": _setting("compiler"),
}
"""What speeds rest on besides: a ratio on one machine says little of another."""

REMEDY = "`ekb run --again RUN` judges stored answers once more, elsewhere or as a final verdict"


def refuse_other_kinds(runs: Sequence[RunAttempts]) -> None:
    """Refuse runs whose scores answer different questions.

    Raises:
        RecordError: When two differ in release, track, device, device class or reference, with both values.
    """
    differing = [text for name, read in ALWAYS.items() if (text := _difference(name, read, runs))]
    counted = {run.folder: str(key) for run in runs if (key := reference_of(run)) != PLAIN}
    if len(set(counted.values())) > 1:
        differing.append("speeds are against " + ", ".join(f"{k} in {run}" for run, k in counted.items()))
    if differing:
        raise RecordError(f"these runs are never in one table: {'; '.join(differing)}; {REMEDY}")


def speed_obstacles(runs: Sequence[RunAttempts]) -> tuple[str, ...]:
    """Say why speeds of some runs cannot be held against each other.

    Returns:
        One sentence a reason; empty when they can.
    """
    untimed = [run.folder for run in runs if _setting("timing")(run.manifest) == NO_TIMING]
    if untimed:
        return (f"nothing was timed in {', '.join(dict.fromkeys(untimed))}",)
    return tuple(text for name, read in FOR_SPEED.items() if (text := _difference(name, read, runs)))


def _difference(name: str, read: Callable[[Manifest], str], runs: Sequence[RunAttempts]) -> str:
    """Name a difference with the runs on each side; empty when there is none."""
    sides: dict[str, list[str]] = {}
    for run in runs:
        sides.setdefault(read(run.manifest), []).append(run.folder)
    if len(sides) < 2:
        return ""
    shown = (f"{value or 'unknown'} in {', '.join(dict.fromkeys(where))}" for value, where in sides.items())
    return f"the {name} is {', '.join(shown)}"
