"""What a plan says of calls that are not made yet."""

from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.bench.requests import likely_requests, planned_requests

WORKLOAD = "norm/softmax@r591-n197-f32"


def planned(agent: AgentSetting) -> int:
    experiment = Experiment(
        agents=(agent,), suite="quick", workloads=(WORKLOAD,), budget=BudgetSetting(calls=3)
    )
    assert agent.kind == "direct" or planned_requests(experiment, agent) == []
    return len(likely_requests(experiment, agent))


def test_an_agent_of_a_package_may_use_all_its_calls() -> None:
    assert planned(AgentSetting(name="asker", kind="package", entry="asker", model="smollm2")) == 3


def test_an_agent_of_a_package_without_a_model_makes_no_calls() -> None:
    assert planned(AgentSetting(name="asker", kind="package", entry="asker")) == 0


def test_a_direct_agent_asks_once() -> None:
    assert planned(AgentSetting(name="direct", kind="direct", model="smollm2")) == 1
