"""What a machine was like while it was measured, as stored with a judgement."""

from edgekernelbench.records.schema import Record


class Conditions(Record):
    """What the machine was like while one set of processes was measured."""

    cores: tuple[int, ...]
    """Cores that the processes could use, the same for all of them."""
    mhz_low: float | None
    """Lowest clock rate of these cores, seen after a batch; None where the machine does not show it."""
    mhz_high: float | None
    """Highest clock rate."""
    governor: str | None
    """What chooses the clock rate, such as `performance`; None where the machine does not show it."""
    celsius: float | None
    """Highest temperature of any sensor; None where the machine shows none."""
    throttled: int | None
    """How often the machine says that it held cores back meanwhile; None where it does not say."""
    stolen: float | None
    """Share of the time of these cores that a hypervisor gave to others."""
    load: float | None
    """Load average of the last minute, at the start."""
    waited: float
    """Share of its batches in which threads of a process waited for a core; of the one that waited most."""
    slowing: float
    """By how much every process got slower from the first half of its samples to the second, at least: 0.05
    is 5 %; negative when one of them got faster."""
    marks: tuple[str, ...]
    """What was not as it should be: `load`, `stolen`, `clock`, `slowing`; empty for a quiet machine."""
    tries: int
    """How often the set was measured until it was quiet, or given up; the quietest try is what is stored."""
