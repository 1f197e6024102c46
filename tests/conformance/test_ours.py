"""What is expected of agents, devices and compilers of others holds for ours."""

import pytest

from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.policy.agent import policy_agent
from edgekernelbench.agents.protocol import Agent, Answer, Doors, Task, Track
from edgekernelbench.agents.repeated import BestOf, Repair
from edgekernelbench.base.errors import BudgetExceeded, EkbError
from edgekernelbench.conformance.agents import AgentConformance
from edgekernelbench.conformance.compilers import CompilerConformance
from edgekernelbench.conformance.devices import DeviceConformance
from edgekernelbench.profiles.profile import Profile, own_profile_names


class TestDirect(AgentConformance):
    def make(self, profile: Profile) -> Agent:
        return Direct()


class TestBestOf(AgentConformance):
    def make(self, profile: Profile) -> Agent:
        return BestOf(Direct(), "best-of")


class TestRepair(AgentConformance):
    def make(self, profile: Profile) -> Agent:
        return Repair(Direct(), "repair")


class TestPolicy(AgentConformance):
    tracks = (Track.OPTIMISE,)

    def make(self, profile: Profile) -> Agent:
        return policy_agent(profile, name="policy", seed=0)


class TestC(CompilerConformance):
    entry = "c"


@pytest.mark.parametrize("name", own_profile_names())
def test_every_profile_has_what_a_device_must_have(name: str) -> None:
    tests = DeviceConformance()
    tests.entry = name
    tests.test_it_says_what_it_is_and_where_its_numbers_come_from()
    tests.test_its_numbers_can_be()
    tests.test_a_gpu_says_how_many_threads_and_blocks_it_takes()
    tests.test_the_default_rules_write_kernels_that_fit()


class Stubborn:
    """Measures for ever."""

    name = "stubborn"

    def solve(self, task: Task, doors: Doors) -> Answer:
        while True:
            try:
                doors.measure("")
            except BudgetExceeded:
                continue


class Hiding:
    """Takes a lost endpoint for an answer of the model."""

    name = "hiding"

    def solve(self, task: Task, doors: Doors) -> Answer:
        try:
            if doors.chat is not None:
                Direct().solve(task, doors)
        except EkbError:
            pass
        return Answer("")


class Wordless:
    """Hands in nothing that is a text."""

    name = "no name at all"

    def solve(self, task: Task, doors: Doors) -> Answer:
        return Answer(None)  # type: ignore[arg-type]


def conformance_of(agent: Agent) -> AgentConformance:
    class Tests(AgentConformance):
        patience_s = 0.5

        def make(self, profile: Profile) -> Agent:
            return agent

    return Tests()


def test_an_agent_that_never_stops_is_found_out() -> None:
    with pytest.raises(AssertionError, match=r"within 0\.5 s, found none; it may never stop"):
        conformance_of(Stubborn()).test_it_stops_when_nothing_is_left()


def test_an_agent_that_hides_a_lost_endpoint_is_found_out() -> None:
    with pytest.raises(AssertionError, match="expected the ModelError of a lost endpoint"):
        conformance_of(Hiding()).test_a_lost_endpoint_is_not_hidden()


def test_an_answer_without_a_text_and_a_name_with_spaces_are_found_out() -> None:
    with pytest.raises(AssertionError, match="expected an Answer whose source is a text in write"):
        conformance_of(Wordless()).test_it_answers_with_a_text()
    with pytest.raises(AssertionError, match="expected a name without slash and space"):
        conformance_of(Wordless()).test_its_name_can_be_the_name_of_a_row()
