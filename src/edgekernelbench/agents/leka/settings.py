"""What the controller is told; the ablations are settings like any other."""

import math
from dataclasses import dataclass

from edgekernelbench.metrics.speed import PROCESS_SPREAD

NOISE = math.exp(math.sqrt(2) * PROCESS_SPREAD)
"""A gain must exceed this. Parent and child were each timed in one fresh process beside the same baseline:
the spread of the log of their ratio is the root of two of that of one process."""


@dataclass(frozen=True, slots=True)
class Settings:
    """How the controller searches.

    Attributes:
        beam: How many candidates steps may start from.
        explore: How often, of all steps, one does not start from the best.
        repairs: How often a refused revision is handed back.
        rest_after: Trials of a layer in a row without a gain after which it rests.
        rest_for: Steps that it then rests.
        swap_after: Steps in a row without a gain after which layers of several candidates are combined.
        failures: Trials without a gain after which a candidate is no longer started from.
        reflect_every: Steps between reflections; 0 for none.
        knob_share: The knobs of one revision may take one in so many of the submissions left, one at least.
        near: Share of the bound at which the search ends.
        fruitless: Steps in a row that measured nothing after which it gives up: for minds that cost nothing.
        layered: Whether layers are revised one at a time; False is the ablation "one document".
        freezing: Whether the other layers are frozen; False is the ablation "no freezing".
        static: Whether static feedback is shown; False is the ablation "no static feedback".
    """

    beam: int = 3
    explore: float = 0.3
    repairs: int = 2
    rest_after: int = 3
    rest_for: int = 2
    swap_after: int = 3
    failures: int = 6
    reflect_every: int = 4
    knob_share: int = 4
    near: float = 0.95
    fruitless: int = 60
    layered: bool = True
    freezing: bool = True
    static: bool = True
