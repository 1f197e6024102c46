"""Watching an agent: it may work so long, must be heard of now and then, and may not write without end."""

import time
from dataclasses import dataclass
from threading import Event
from typing import Literal, Protocol

from edgekernelbench.bench.feedback import NothingLearnt
from edgekernelbench.bench.visits.cell import Cell
from edgekernelbench.bench.visits.listening import FLOOD_BYTES, Ear
from edgekernelbench.bench.visits.recipe import Recipe

TICK_S = 0.2
MS_PER_S = 1000

End = Literal["left", "wall", "idle", "flooded"]


class Heard(Protocol):
    """What is known of an agent besides what it writes."""

    @property
    def last(self) -> float:
        """When it was heard of last, by the monotonic clock."""
        ...

    @property
    def waited_for(self) -> bool:
        """Whether it waits for the device."""
        ...

    @property
    def busy(self) -> bool:
        """Whether it waits for anything."""
        ...


@dataclass(frozen=True, slots=True)
class Seen:
    """How a visit went.

    Attributes:
        end: Why it ended.
        wall_ms: How long it took.
        output: What the agent wrote to standard output.
        errors: What it wrote to standard error.
    """

    end: End
    wall_ms: int
    output: str
    errors: str


def watch(cell: Cell, recipe: Recipe, heard: Heard, stopping: Event, seconds: float | None) -> Seen:
    """Wait until an agent leaves, or end it.

    Args:
        cell: Where it is.
        recipe: Its limits.
        heard: What is known of it.
        stopping: Set when the run is interrupted.
        seconds: What the budget gives it, without what it waits for the device; None for no limit.

    Returns:
        How it went; everything that it started has ended.

    Raises:
        NothingLearnt: When the run was interrupted.
    """
    ears = tuple(Ear(stream) for stream in cell.output)
    most = recipe.wall_s if seconds is None else min(recipe.wall_s, seconds)
    begun = before = time.monotonic()
    own = 0.0
    end: End = "left"
    while not cell.wait(TICK_S):
        if stopping.is_set():
            cell.end()
            raise NothingLearnt("the run was interrupted")
        now = time.monotonic()
        if not heard.waited_for:
            own += now - before
        before = now
        silent = now - max(heard.last, *(ear.last for ear in ears))
        if own > most:
            end = "wall"
        elif silent > recipe.idle_s and not heard.busy:
            end = "idle"
        elif sum(ear.size for ear in ears) > FLOOD_BYTES:
            end = "flooded"
        else:
            continue
        cell.end()
        break
    wall_ms = round((time.monotonic() - begun) * MS_PER_S)
    output, errors = (ear.text() for ear in ears)
    return Seen(end, wall_ms, output, errors)
