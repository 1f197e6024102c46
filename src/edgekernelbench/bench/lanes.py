"""Which agents of a run write at one time: those of other endpoints do, those of this machine take turns."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from edgekernelbench.agents.models.registry import parse_spec
from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.records.attempt import attempt_id

HERE = "here"
"""The lane of all that works on this machine: two local models are never loaded at once."""

REMOTE = ("openai", "anthropic")


@dataclass(frozen=True, slots=True)
class Lane:
    """Agents that share what answers them.

    Attributes:
        name: Of the model that answers, or `here`.
        turns: Agents whose models are open at one time, with their missing attempts: workload and number.
    """

    name: str
    turns: tuple[tuple[tuple[AgentSetting, ...], tuple[tuple[AgentSetting, str, int], ...]], ...]


def lanes_of(experiment: Experiment, done: Collection[str]) -> tuple[Lane, ...]:
    """Share out the attempts of a run.

    Args:
        experiment: The run.
        done: Ids of attempts that need not be made.

    Returns:
        Lanes with something to do; the attempts of each go workload by workload, so that workloads are
        whole early and can be judged while others are written.
    """
    groups: dict[str, list[AgentSetting]] = {}
    for setting in experiment.agents:
        groups.setdefault(_lane(setting), []).append(setting)
    lanes = []
    for name, settings in groups.items():
        together = [(one,) for one in settings] if name == HERE else [tuple(settings)]
        turns = [(group, tuple(_missing(experiment, group, set(done)))) for group in together]
        turns = [turn for turn in turns if turn[1]]
        if turns:
            lanes.append(Lane(name, tuple(turns)))
    return tuple(lanes)


def _lane(setting: AgentSetting) -> str:
    if setting.model is None:
        return HERE
    spec = parse_spec(setting.model)
    return str(spec) if spec.kind in REMOTE else HERE


def _missing(
    experiment: Experiment, group: Sequence[AgentSetting], done: set[str]
) -> list[tuple[AgentSetting, str, int]]:
    return [
        (setting, workload, number)
        for workload in experiment.workloads
        for setting in group
        for number in range(experiment.k)
        if attempt_id(setting.name, workload, number) not in done
    ]
