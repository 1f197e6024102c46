"""One text on several devices: Portable@1."""

from collections.abc import Mapping, Sequence

from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.outcome import Correct, Outcome, Unjudged


def joined(by_device: Mapping[str, Sequence[Scored]]) -> tuple[Scored, ...]:
    """Make one attempt of the same text's judgements on several devices.

    Portable@1 is Correct@1 of what this gives.

    Args:
        by_device: Every planned attempt of one agent on each device, the same attempts on each.

    Returns:
        The attempts in the order of the first device. Correct, without times, where every device says so.
        Unjudged where one has no outcome yet; else what it came to on the first device where it failed.

    Raises:
        ValueError: When the devices were not given the same attempts.
    """
    first, *others = by_device.values()
    plans = [{(a.agent, a.workload, a.number): a for a in attempts} for attempts in others]
    keys = {(a.agent, a.workload, a.number) for a in first}
    for device, plan in zip(list(by_device)[1:], plans, strict=True):
        if set(plan) != keys:
            raise ValueError(f"{device} was given other attempts than {next(iter(by_device))}")
    return tuple(
        Scored(
            a.agent,
            a.workload,
            a.pattern,
            a.number,
            _together([a.outcome, *(plan[a.agent, a.workload, a.number].outcome for plan in plans)]),
        )
        for a in first
    )


def _together(outcomes: Sequence[Outcome | Unjudged]) -> Outcome | Unjudged:
    unknown = next((o for o in outcomes if isinstance(o, Unjudged)), None)
    failed = next((o for o in outcomes if not isinstance(o, Correct)), None)
    return unknown or failed or Correct(())
