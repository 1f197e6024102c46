"""Knobs resolved by a small measured search: successive halving over one knob after another.

Ends and middle of a knob are measured, then what lies beside the best; the knob that made the widest
difference comes first. It stops when the values of a knob differ by no more than the noise.
"""

from collections.abc import Iterator, Mapping, Sequence

from edgekernelbench.agents.leka.knobs import Probe, Setting, first_options
from edgekernelbench.agents.leka.settings import NOISE

Knobs = Mapping[str, tuple[int | float, ...]]


def halving(knobs: Knobs, probes: Sequence[Probe], room: int) -> Setting | None:
    """Give the next setting to measure.

    Args:
        knobs: Options of each knob, in the author's order: the first is the prior.
        probes: What was measured so far.
        room: Submissions that may still be spent.

    Returns:
        The setting; None to stop: nothing is left, or the last knob gained no more than noise.
    """
    start = first_options(knobs)
    seen = {probe.setting for probe in probes}
    if room <= 0:
        return None
    if start not in seen:
        return start
    known = [probe for probe in probes if probe.ratio is not None]
    best = max(known, key=lambda probe: probe.ratio or 0.0) if known else None
    centre = start if best is None else best.setting
    for name in _by_spread(knobs, known):
        for value in _spread(knobs[name], dict(centre)[name]):
            setting = tuple((n, value if n == name else v) for n, v in centre)
            if setting not in seen:
                return setting if not _is_flat(name, known) else None
    return None


def _by_spread(knobs: Knobs, known: Sequence[Probe]) -> list[str]:
    """Order the knobs: unmeasured ones as they stand, then those that made the widest difference."""
    return sorted(knobs, key=lambda name: -_difference(name, known))


def _difference(name: str, known: Sequence[Probe]) -> float:
    """Give the ratio between the best and the worst that a knob made; infinite before it was tried."""
    best: dict[int | float, float] = {}
    for probe in known:
        value = dict(probe.setting)[name]
        best[value] = max(best.get(value, 0.0), probe.ratio or 0.0)
    return max(best.values()) / max(min(best.values()), 1e-9) if len(best) > 1 else float("inf")


def _is_flat(name: str, known: Sequence[Probe]) -> bool:
    """Say whether three values of a knob differed by no more than noise: there is nothing to find."""
    values = {dict(probe.setting)[name] for probe in known}
    return len(values) >= 3 and _difference(name, known) <= NOISE


def _spread(options: Sequence[int | float], centre: float) -> Iterator[int | float]:
    """List values of a knob: both ends and the middle first, then the neighbours of the best."""
    ordered = sorted(set(options))
    place = ordered.index(centre) if centre in ordered else 0
    if len(ordered) > 4:
        yield from (ordered[0], ordered[-1], ordered[len(ordered) // 2])
    for distance in range(1, len(ordered)):
        for other in (place + distance, place - distance):
            if 0 <= other < len(ordered):
                yield ordered[other]
