"""Where a step starts from: mostly the best candidate, now and then another of the beam."""

from edgekernelbench.agents.leka.attribute import is_gain
from edgekernelbench.agents.leka.mind import Ground
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.leka.state import Candidate, State


def choose_parent(state: State, ground: Ground, step: int, settings: Settings) -> Candidate:
    """Choose what a step starts from.

    Args:
        state: The archive.
        ground: Has the seed.
        step: Number of the step.
        settings: Width of the beam, how often it explores, when a candidate is given up.
    """
    beam = state.beam(settings.beam)
    alive = [c for c in beam if _children_without_gain(state, c) < settings.failures] or [state.best]
    chance = ground.chance(step, "parent")
    if len(alive) == 1 or chance.random() >= settings.explore:
        return alive[0]
    return chance.choice(alive[1:])


def _children_without_gain(state: State, candidate: Candidate) -> int:
    children = [c for c in state.candidates if c.parent == candidate.number]
    return sum(1 for child in children if not is_gain(child.ratio / candidate.ratio))
