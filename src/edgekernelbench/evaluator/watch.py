"""Whether a machine was quiet while a set of processes was measured, and what it was like."""

import math
from collections.abc import Callable, Sequence
from statistics import median

from edgekernelbench.evaluator.telemetry import Reading
from edgekernelbench.evaluator.timing import Batch
from edgekernelbench.records.conditions import Conditions
from edgekernelbench.records.outcome import Ring, Series

LOAD, STOLEN, CLOCK, SLOWING = "load", "stolen", "clock", "slowing"

MARKS = {
    LOAD: "measured-under-load",
    STOLEN: "processor-time-stolen",
    CLOCK: "clock-changed",
    SLOWING: "everything-slowed-down",
}
"""What stands among the flags of a judgement for each mark."""

MOST_WAITED = 0.02
"""Threads that wait for a core for a larger share of their batches are not alone. It is also about what two
equal processes differ by."""

MOST_STOLEN = 0.02

MOST_CLOCK_CHANGE = 0.05
"""Between the lowest and the highest clock rate seen after batches, as a share of the highest."""

MOST_SLOWING = 0.05


Sense = Callable[[], Reading]
"""Reads what a machine shows just now."""


class Watch:
    """Looks at the machine while a ring is measured."""

    def __init__(self, cores: Sequence[int], sense: Sense) -> None:
        """Look for the first time.

        Args:
            cores: Those that are measured on.
            sense: Reads what the machine shows: this one, or a board.
        """
        self._cores = tuple(cores)
        self._sense = sense
        self._first = self._last = sense()
        self._hot: list[Reading] = []
        self._batches: dict[str, list[Batch]] = {}

    def note(self, name: str, batch: Batch) -> None:
        """Look after a batch, while its cores still have the clock rate at which it ran.

        Args:
            name: Whose batch it was.
            batch: What it showed.
        """
        self._last = self._sense()
        self._hot.append(self._last)
        self._batches.setdefault(name, []).append(batch)

    def elsewhere(self) -> dict[str, tuple[int, ...]]:
        """Name the processes that ran on other cores than they should, with those cores."""
        found = {name: {c for b in batches for c in b.cores} for name, batches in self._batches.items()}
        return {name: tuple(sorted(cores)) for name, cores in found.items() if cores != set(self._cores)}

    def conditions(self, ring: Ring, tries: int = 1) -> Conditions:
        """Say what the machine was like.

        Args:
            ring: What was measured meanwhile.
            tries: How often it was measured until now.
        """
        rates = [rate for reading in self._hot for rate in reading.mhz]
        low, high = (min(rates), max(rates)) if rates else (None, None)
        waited = max(map(_waited_share, self._batches.values()), default=0.0)
        stolen, throttled, slowing = self._stolen(), self._throttled(), slowing_of(ring)
        changed = low is not None and high is not None and high - low > MOST_CLOCK_CHANGE * high
        found = {
            LOAD: waited > MOST_WAITED,
            STOLEN: stolen is not None and stolen > MOST_STOLEN,
            CLOCK: changed or bool(throttled),
            SLOWING: slowing > MOST_SLOWING,
        }
        heat = [r.celsius for r in (self._first, *self._hot) if r.celsius is not None]
        return Conditions(
            cores=self._cores,
            mhz_low=low,
            mhz_high=high,
            governor=self._last.governor or None,
            celsius=max(heat, default=None),
            throttled=throttled,
            stolen=stolen,
            load=self._first.load,
            waited=waited,
            slowing=slowing,
            marks=tuple(mark for mark, is_so in found.items() if is_so),
            tries=tries,
        )

    def _stolen(self) -> float | None:
        before, after = self._first.ticks, self._last.ticks
        if before is None or after is None:
            return None
        return (after[0] - before[0]) / max(1, after[1] - before[1])

    def _throttled(self) -> int | None:
        """Count by the counter, and where there is only a state, by the readings in that state."""
        states = [reading.held_back for reading in self._hot if reading.held_back is not None]
        before, after = self._first.throttles, self._last.throttles
        counted = None if before is None or after is None else after - before
        if counted is None:
            return sum(states) if states else None
        return counted + sum(states)


def _waited_share(batches: Sequence[Batch]) -> float:
    return sum(b.waited_ns for b in batches) / sum(sum(b.samples) for b in batches)


def slowing_of(ring: Ring) -> float:
    """Say by how much everything got slower from the first half of the samples to the second.

    What one process does alone is its own; what all do at once is the machine.

    Args:
        ring: What was measured; with one process alone nothing can be said.

    Returns:
        The least increase of all processes, such as 0.05; negative when one of them got faster.
    """
    series = (ring.kernel, *ring.baselines)
    if len(series) < 2:
        return 0.0
    return math.exp(min(map(_slowing, series))) - 1


def _slowing(series: Series) -> float:
    half = len(series.samples) // 2
    if half == 0:
        return 0.0
    return math.log(median(series.samples[-half:]) / median(series.samples[:half]))
