"""Measure: the device. Knobs are resolved here, one submission a setting."""

from collections.abc import Mapping
from dataclasses import dataclass

from edgekernelbench.agents.leka.mind import Refusal
from edgekernelbench.agents.protocol import Judge, Left
from edgekernelbench.base.units import Nanoseconds


@dataclass(frozen=True, slots=True)
class Measured:
    """What the device said.

    Attributes:
        time: Median time of one run.
        ratio: Time of the baseline in the same ring over it.
    """

    time: Nanoseconds
    ratio: float


def measure(text: str, door: Judge) -> Measured | Refusal:
    """Submit a text; counted whatever comes of it.

    Args:
        text: A text that passed the gate.
        door: The device.

    Returns:
        Its time; or what was wrong on inputs that the gate has not.
    """
    feedback = door(text)
    if feedback.correct and feedback.time is not None and feedback.ratio is not None:
        return Measured(feedback.time, feedback.ratio)
    words = feedback.text.rsplit("\nleft: ", 1)[0]
    return Refusal("values" if feedback.accepted else "check", words)


def room_for_knobs(left: Left, knobs: Mapping[str, object], share: int) -> int:
    """Say how many submissions one revision may take.

    Args:
        left: What is left of the budget.
        knobs: The knobs of the revision.
        share: One submission in so many of what is left.
    """
    if not knobs:
        return 1
    return max(1, 4 * share if left.submissions is None else left.submissions // share)
