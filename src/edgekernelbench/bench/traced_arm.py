"""The arm `metaschedule`: TVM's tuner through the doors of agents, one submission a trial.

Agents may not see a compiler, so what proposes TVM's schedules is put together here. A submission is the
canonical text with a trace a part (`compiler.traced`): TVM's schedules are no texts of ours.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace

from edgekernelbench.agents.protocol import Feedback, Task
from edgekernelbench.agents.search import Proposer
from edgekernelbench.compiler.traced import SCHEMA, Part
from edgekernelbench.evaluator.environment import TUNER
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.tuning import Explorer, Session
from edgekernelbench.workloads.schema import Workload


def is_traced(text: str) -> bool:
    """Whether what an arm handed in is a kernel that TVM scheduled."""
    return text.startswith("{") and SCHEMA in text


@contextmanager
def open_traces(task: Task, workload: Workload, judge: Judge, seed: int, trials: int) -> Iterator[Proposer]:
    """Start TVM's search on a workload.

    Args:
        task: The task, for the number of the attempt.
        workload: The workload.
        judge: Whose device it is, and whose limits.
        seed: Of the search.
        trials: How many candidates there will be.

    Raises:
        PrerequisiteError: When TVM is missing.
        ServerLost: When no worker can be started.
    """
    with ExitStack() as stack:
        # A server of its own: other attempts may be at work, and the judge is theirs as well.
        own = stack.enter_context(Judge(judge.profile, limits=judge.limits))
        server = own.find_server(TUNER)
        session = stack.enter_context(Session(workload, judge.profile, server, judge.limits, lay=False))
        yield Traces(session, stack, seed=seed * 7919 + task.sample, trials=trials)


class Traces:
    """Proposes schedules of one part after another, the others at their best so far."""

    def __init__(self, session: Session, stack: ExitStack, *, seed: int, trials: int) -> None:
        count = len(session.traced.parts) if not session.reason else 0
        each = -(-trials // max(1, count))
        self._explorers: list[Explorer] = [
            stack.enter_context(session.explorer(n, trials=each, seed=seed + n))
            for n in range(min(count, trials))
        ]
        self._traced = session.traced
        self._found: list[float | None] = [None] * count
        self._asked = [0] * count
        self._best: list[tuple[float, str] | None] = [None] * count
        self._turn = 0
        self._last: tuple[int, str] | None = None

    def propose(self) -> str | None:
        """Give the next candidate; None when TVM has none for any part."""
        for _ in range(len(self._explorers)):
            part = self._turn % len(self._explorers)
            self._turn += 1
            trace = self._explorers[part].propose(self._found[part], first=self._asked[part] == 0)
            if trace is None:
                continue
            self._asked[part] += 1
            self._last = (part, trace)
            return self._with(part, trace)
        return None

    def learn(self, feedback: Feedback) -> None:
        """Tell the search of a part how long the whole took with its last candidate."""
        if self._last is None:
            return
        part, trace = self._last
        time = None if feedback.time is None else float(feedback.time)
        self._found[part] = time
        best = self._best[part]
        if time is not None and (best is None or time < best[0]):
            self._best[part] = (time, trace)

    def _with(self, part: int, trace: str) -> str:
        parts = []
        for number, plain in enumerate(self._traced.parts):
            best = self._best[number]
            chosen = trace if number == part else "" if best is None else best[1]
            parts.append(Part(plain.stages, chosen))
        return replace(self._traced, parts=tuple(parts)).to_json()
