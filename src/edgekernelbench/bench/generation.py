"""Agents write texts. Every attempt is stored when it ends."""

import json
import time
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.ledger import Ledger, solve_within
from edgekernelbench.agents.models.protocol import Reply, Request
from edgekernelbench.agents.protocol import Answer, Feedback, Track
from edgekernelbench.agents.recorder import Recorder
from edgekernelbench.agents.recording import Entrant
from edgekernelbench.agents.several import widen_task
from edgekernelbench.base.errors import ModelError
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.contestants import Contestant
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.feedback import NothingLearnt, feedback_of
from edgekernelbench.bench.inspecting import inspector
from edgekernelbench.bench.remembering import remember
from edgekernelbench.bench.traced_arm import is_traced
from edgekernelbench.evaluator.exam import choose_inputs, public_inputs
from edgekernelbench.evaluator.pool import Judging
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.attempt import Attempt, Ending, Usage, attempt_id
from edgekernelbench.records.language import Language
from edgekernelbench.records.schema import storable
from edgekernelbench.records.store import RunWriter
from edgekernelbench.records.trajectories import hash_file, trajectory_path, write_trajectory
from edgekernelbench.workloads.schema import Workload

NS_PER_MS = 1_000_000


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """Opens the doors of agents to the judge, on inputs of this session alone.

    Attributes:
        judge: Judges texts.
        secret: From which the hidden inputs of `measure` are drawn; the final verdict uses others.
        lock: Held while something is judged; one that holds nothing where several judges share the work.
        language: What texts are written in.
    """

    judge: Judging
    secret: bytes
    lock: AbstractContextManager[object]
    language: Language = "kernel"

    def check(self, workload: Workload) -> Callable[[str], Feedback]:
        """Make the free door: values on two public inputs, nothing timed."""
        return lambda source: self._ask(workload, source, None)

    def measure(self, workload: Workload, *, traces: bool = False) -> Callable[[str], Feedback]:
        """Make the door to the device, which the ledger counts.

        Args:
            workload: What is measured.
            traces: Whether it also takes kernels that TVM scheduled: for TVM's tuner alone.
        """
        return lambda source: self._ask(workload, source, TimingPlan(), traced=traces and is_traced(source))

    def _ask(
        self, workload: Workload, source: str, timing: TimingPlan | None, *, traced: bool = False
    ) -> Feedback:
        public = timing is None
        inputs = public_inputs(workload) if public else choose_inputs(self.secret, workload)
        with self.lock:
            judgement = self.judge.judge(
                Submission(workload, source, inputs, timing, traced=traced, language=self.language)
            )
        return feedback_of(judgement, source, public=public)


@dataclass(frozen=True, slots=True)
class Generation:
    """What all attempts of a run share."""

    experiment: Experiment
    profile: Profile
    workloads: Mapping[str, Workload]
    keeper: Doorkeeper
    writer: RunWriter
    lock: Lock
    others: tuple[Profile, ...] = ()

    def attempt(self, contestant: Contestant, workload_id: str, number: int) -> Attempt:
        """Let an agent make one attempt, and store it.

        Args:
            contestant: The agent.
            workload_id: On which workload.
            number: Which of the k attempts.
        """
        attempt = self._solve(contestant, self.workloads[workload_id], number)
        with self.lock:
            self.writer.add_attempt(attempt)
        return attempt

    def _solve(self, contestant: Contestant, workload: Workload, number: int) -> Attempt:
        budget = self.experiment.budget.budget()
        language = self.experiment.language
        facts = card_facts(workload, Track(self.experiment.track), self.profile, language)
        first = make_task(facts, self.profile, budget, sample=number, short=contestant.short)
        task = widen_task(first, self.others, short=contestant.short)
        ledger = Ledger(budget, price=contestant.price)
        steps: list[str] = []
        name = contestant.agent.name
        made = attempt_id(name, workload.id, number)
        entrant = Entrant(name, contestant.model_name, made, self.profile.name, contestant.settings)
        recorder = Recorder(entrant, task, ledger)
        path = trajectory_path(self.writer.folder.root, made)
        memory = remember(path, recorder.head)
        doors = recorder.doors(
            ledger.doors(
                check=memory.door("check", self.keeper.check(workload)),
                judge=memory.door("measure", self.keeper.measure(workload, traces=contestant.traces)),
                model=contestant.model,
                heard=lambda request, reply: steps.append(self._store_call(request, reply)),
                inspect=inspector(self.profile),
            )
        )
        start = time.monotonic_ns()
        try:
            answer = solve_within(contestant.agent, task, doors, ledger)
            ending = _ending(answer, ledger)
        except (ModelError, NothingLearnt) as error:
            answer, ending = Answer("", str(error)), Ending.LOST
        text = self._store(answer.source) if answer.source else None
        if answer.log:
            steps.append(self._store(answer.log))
        if ending is Ending.LOST:
            write_trajectory(path, recorder.head, recorder.unfinished(), None)
        else:
            write_trajectory(path, *recorder.finish(answer))
        return Attempt(
            id=made,
            agent=name,
            workload=workload.id,
            number=number,
            ending=ending,
            text=text,
            detail=storable(answer.note),
            steps=tuple(steps),
            usage=Usage(
                calls=ledger.calls,
                input_tokens=ledger.usage.input,
                output_tokens=ledger.usage.output,
                submissions=ledger.submissions,
                checks=ledger.checks,
                estimated=ledger.usage.estimated,
                wall_ms=(time.monotonic_ns() - start) // NS_PER_MS,
            ),
            visit=answer.visit,
            trajectory=hash_file(path),
        )

    def _store_call(self, request: Request, reply: Reply) -> str:
        answer = {
            "text": reply.text,
            "usage": reply.usage.as_json(),
            "stop": reply.stop,
            "model": reply.model,
        }
        return self._store(json.dumps({"request": request.as_json(), "reply": answer}, sort_keys=True))

    def _store(self, text: str) -> str:
        with self.lock:
            return self.writer.add_artifact(text)


def _ending(answer: Answer, ledger: Ledger) -> Ending:
    if answer.source:
        return Ending.ANSWERED
    left = ledger.left()
    spent = any(rest == 0 for rest in (left.tokens, left.money, left.seconds) if rest is not None)
    return Ending.BUDGET if spent else Ending.NO_TEXT
