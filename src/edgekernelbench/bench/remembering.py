"""What the device said to an attempt that was lost on the way, so that it need not say it again.

An attempt that is made again asks its model with what was measured in the prompts. Times differ from one
measurement to the next; stored answers of a model would then belong to no question any more.
"""

from collections import defaultdict, deque
from pathlib import Path

from edgekernelbench.agents.protocol import Feedback, Judge
from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.hashing import hash_text
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.schema import storable
from edgekernelbench.records.trajectories import read_trajectory
from edgekernelbench.records.trajectory import Head, TextCall


class Memory:
    """Answers of both doors, by text, in the order in which they were given."""

    def __init__(self, calls: tuple[TextCall, ...] = ()) -> None:
        self._calls: dict[tuple[str, str], deque[TextCall]] = defaultdict(deque)
        for call in calls:
            self._calls[call.door, call.source.digest].append(call)

    def door(self, name: str, judge: Judge) -> Judge:
        """Make a door that answers from memory first.

        Args:
            name: `check` or `measure`.
            judge: The door itself.
        """

        def ask(source: str) -> Feedback:
            known = self._calls[name, hash_text(storable(source))]
            return _feedback(known.popleft()) if known else judge(source)

        return ask


def remember(path: Path, head: Head) -> Memory:
    """Read what the doors said to an attempt that was not finished.

    Args:
        path: Where its trajectory is, if there is one.
        head: The head of the new one: an attempt under other terms is another attempt.
    """
    if not path.is_file():
        return Memory()
    try:
        found = read_trajectory(path)
    except RecordError:
        return Memory()
    if found.end is not None or found.head != head:
        return Memory()
    calls = (call for step in found.steps for call in step.extra.ekb.calls)
    return Memory(tuple(call for call in calls if isinstance(call, TextCall)))


def _feedback(call: TextCall) -> Feedback:
    return Feedback(
        text=call.reply.rpartition("\nleft: ")[0] or call.reply,
        accepted=call.accepted,
        correct=call.correct,
        time=None if call.time_ns is None else Nanoseconds(call.time_ns),
        ratio=call.ratio,
        codes=call.codes,
    )
