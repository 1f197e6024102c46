"""Attribute: a gain belongs to the layer that changed; nothing else did. Layers that stop paying rest."""

import math
from dataclasses import dataclass, replace

from edgekernelbench.agents.leka.settings import NOISE, Settings
from edgekernelbench.agents.leka.state import LAYERS, State, Trial
from edgekernelbench.base.diagnostics import Layer


@dataclass(frozen=True, slots=True)
class Credit:
    """What one layer brought so far.

    Attributes:
        layer: Which.
        tried: Trials.
        paid: Trials with a gain beyond noise.
        refused: Trials that the gate stopped.
        gain: Product of the gains that were beyond noise.
    """

    layer: Layer
    tried: int
    paid: int
    refused: int
    gain: float


def is_gain(gain: float | None) -> bool:
    """Say whether a gain is beyond noise."""
    return gain is not None and gain > NOISE


def attribute(state: State, trial: Trial, settings: Settings, *, improved: bool) -> State:
    """Enter a trial into the ledger of layers.

    Args:
        state: Before.
        trial: What was planned and what came of it.
        settings: When layers rest.
        improved: Whether the best candidate is a new one now: without that, steps stagnate.

    Returns:
        The state with the trial; its layer rests when its last trials brought nothing.
    """
    tried = (*state.tried, trial)
    layer = trial.plan.layer
    last = [t for t in tried if t.plan.layer is layer][-settings.rest_after :]
    tired = len(last) == settings.rest_after and not any(t.accepted for t in last)
    resting = tuple((name, step) for name, step in state.resting if name is not layer)
    if tired:
        resting = (*resting, (layer, trial.step + settings.rest_for + 1))
    stagnant = 0 if improved else state.stagnant + 1
    return replace(state, tried=tried, resting=resting, stagnant=stagnant)


def allowed_layers(state: State, step: int, settings: Settings) -> tuple[Layer, ...]:
    """List the layers that a step may plan: those that do not rest; all of them when all rest."""
    if not settings.layered:
        return (Layer.TEXT,)
    resting = {layer for layer, until in state.resting if step < until}
    return tuple(layer for layer in LAYERS if layer not in resting) or LAYERS


def credits(state: State) -> tuple[Credit, ...]:
    """Sum up what each layer brought, for those that were tried."""
    rows = []
    for layer in (*LAYERS, Layer.TEXT):
        trials = [trial for trial in state.tried if trial.plan.layer is layer]
        if not trials:
            continue
        gains = [trial.gain for trial in trials if trial.accepted and trial.gain is not None]
        refused = sum(1 for trial in trials if trial.gain is None)
        rows.append(Credit(layer, len(trials), len(gains), refused, math.prod(gains)))
    return tuple(rows)
