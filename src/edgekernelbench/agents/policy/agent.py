"""The agent `policy`: LEKA's controller with the built-in policy as its mind."""

from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.policy.knobs import halving
from edgekernelbench.agents.policy.mind import PolicyMind
from edgekernelbench.profiles.profile import Profile

SETTINGS = Settings(explore=0.0, repairs=0, rest_after=4, rest_for=1, swap_after=5, reflect_every=0)
"""Its moves are ordered by what they promise: nothing is drawn, and a layer hardly rests."""


def policy_agent(profile: Profile, *, name: str = "policy", seed: int = 0) -> Leka:
    """Make the agent.

    Args:
        profile: The device.
        name: The name of its row.
        seed: Base of everything that is drawn.
    """
    return Leka(PolicyMind(), profile, name=name, settings=SETTINGS, search=halving, seed=seed)
