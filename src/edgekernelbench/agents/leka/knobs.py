"""How the knobs of a revision are resolved: by measuring, one submission a setting."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

Setting = tuple[tuple[str, int | float], ...]
"""Value of each knob, in the order of the text."""


@dataclass(frozen=True, slots=True)
class Probe:
    """One setting with what came of it.

    Attributes:
        setting: The values.
        ratio: Time of the baseline over that of the kernel; None when it was refused, wrong, or crashed.
        measured: Whether it cost a submission.
    """

    setting: Setting
    ratio: float | None
    measured: bool


KnobSearch = Callable[[Mapping[str, tuple[int | float, ...]], Sequence[Probe], int], Setting | None]
"""Gives the next setting for options, probes so far, and submissions that may still be spent on this
revision; None to stop. A pure function: all it knows is in its arguments."""


def first_options(knobs: Mapping[str, tuple[int | float, ...]]) -> Setting:
    """Give the setting that a text has when nobody chooses."""
    return tuple((name, options[0]) for name, options in knobs.items() if options)


def one_at_a_time(
    knobs: Mapping[str, tuple[int | float, ...]], probes: Sequence[Probe], room: int
) -> Setting | None:
    """Walk along one knob after another from the best setting so far.

    The plainest search; the built-in policy brings a better one.
    """
    if room <= 0:
        return None
    start = first_options(knobs)
    seen = {probe.setting for probe in probes}
    if start not in seen:
        return start
    known = [probe for probe in probes if probe.ratio is not None]
    best = max(known, key=lambda probe: probe.ratio or 0.0).setting if known else start
    for name, options in knobs.items():
        for option in options:
            setting = tuple((n, option if n == name else v) for n, v in best)
            if setting not in seen:
                return setting
    return None
