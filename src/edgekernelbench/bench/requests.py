"""The model calls of a run before they are made: for batch files and for plans."""

from edgekernelbench.agents.batch import BatchItem
from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.models.registry import parse_spec
from edgekernelbench.agents.protocol import Track
from edgekernelbench.agents.several import widen_task
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.contestants import direct_agent
from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.evaluator.devices import find_device
from edgekernelbench.records.attempt import attempt_id
from edgekernelbench.workloads.catalogue import find_catalogue

GOING_ON = ("best-of", "repair", "leka", "package")
"""Agents that ask a model again and again."""


def likely_requests(experiment: Experiment, setting: AgentSetting) -> list[BatchItem]:
    """Give the calls that one agent of a run may make, for a plan.

    Those of agents that go on are not known before: as many as the budget allows, each as long as the card.

    Args:
        experiment: The run.
        setting: One of its agents.
    """
    if setting.kind not in GOING_ON:
        return planned_requests(experiment, setting)
    first = planned_requests(experiment, setting.model_copy(update={"kind": "direct"}))
    return [item for item in first for _ in range(experiment.budget.calls or 1)]


def planned_requests(experiment: Experiment, setting: AgentSetting) -> list[BatchItem]:
    """Write the requests that one agent of a run will make.

    Args:
        experiment: The run.
        setting: One of its agents.

    Returns:
        One request an attempt, with the attempt's id; none for agents that ask no model.

    Raises:
        CatalogueError: When a workload or the profile does not exist.
    """
    if setting.kind != "direct" or setting.model is None:
        return []
    catalogue = find_catalogue(experiment.catalogue)
    profile = find_device(experiment.profile).profile
    others = tuple(find_device(name).profile for name in experiment.also)
    budget = experiment.budget.budget()
    short = parse_spec(setting.model).is_small
    agent = direct_agent(setting)
    items = []
    for workload in experiment.workloads:
        facts = card_facts(
            catalogue.workload(workload), Track(experiment.track), profile, experiment.language
        )
        for number in range(experiment.k):
            first = make_task(facts, profile, budget, sample=number, short=short)
            task = widen_task(first, others, short=short)
            items.append(BatchItem(attempt_id(setting.name, workload, number), agent.request(task)))
    return items
