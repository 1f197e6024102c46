"""What every agent must do, whoever wrote it."""

import os
import re
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import repeat
from multiprocessing import TimeoutError as TooLong
from multiprocessing.pool import ThreadPool
from pathlib import Path

from edgekernelbench.agents.card import CardFacts, make_task
from edgekernelbench.agents.examples import Example
from edgekernelbench.agents.ledger import Budget, Ledger, solve_within
from edgekernelbench.agents.models.protocol import ChatModel, Reply, Request
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.agents.packaged import Options, make_packaged
from edgekernelbench.agents.protocol import Agent, Answer, Doors, Feedback, Task, Track
from edgekernelbench.base.errors import ModelError
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.bench.inspecting import inspector
from edgekernelbench.bench.own import own_facts, own_workload
from edgekernelbench.conformance.expecting import expect, pool_examples, pool_kernel
from edgekernelbench.nest.survey import survey_text
from edgekernelbench.profiles.profile import Profile, load_profile

ANSWERS = 200
"""Answers that the model of these tests has, the same again and again."""

STUBBORN = 1000
"""Questions after which an agent that hears nothing but "nothing is left" will not stop any more."""

AT_ONCE = 4


class Unreachable:
    """A model whose endpoint is gone."""

    name = "unreachable"

    def __init__(self) -> None:
        self.asked = 0

    def complete(self, request: Request) -> Reply:
        """Fail, as an endpoint does after its retries."""
        self.asked += 1
        raise ModelError("the endpoint of this test is gone")


class AgentConformance:
    """Subclass it, name the entry point, and run pytest.

    Attributes:
        entry: Name of the entry point of the group `edgekernelbench.agents`.
        tracks: Tracks that the agent works in.
        patience_s: How long it may take for one task here, where the device answers at once.
    """

    entry: str = ""
    tracks: tuple[Track, ...] = (Track.WRITE, Track.OPTIMISE)
    patience_s: float = 60.0

    def make(self, profile: Profile) -> Agent:
        """Make the agent; override it for one without an entry point."""
        expect(self.entry, "expected the name of an entry point in `entry`, found none")
        return make_packaged(self.entry, Options("conformance", profile)).agent

    def test_its_name_can_be_the_name_of_a_row(self) -> None:
        name = self.make(_profile()).name
        good = isinstance(name, str) and re.fullmatch(r"[^/\s]+", name)
        expect(good, f"expected a name without slash and space, found {name!r}")

    def test_it_answers_with_a_text(self) -> None:
        for track, example in _tasks(self.tracks):
            answer = self._solve(track, example, Budget(submissions=4, calls=8))
            good = isinstance(answer, Answer) and isinstance(answer.source, str)
            expect(good, f"expected an Answer whose source is a text in {track}, found {answer!r}")

    def test_an_empty_budget_is_no_error(self) -> None:
        for track, example in _tasks(self.tracks):
            self._solve(track, example, Budget(submissions=0, tokens=0, calls=0))

    def test_it_stops_when_nothing_is_left(self) -> None:
        for track, example in _tasks(self.tracks):
            self._solve(track, example, Budget(submissions=2, calls=3))

    def test_a_lost_endpoint_is_not_hidden(self) -> None:
        track, example = _tasks(self.tracks)[0]
        model = Unreachable()
        try:
            self._solve(track, example, Budget(submissions=2, calls=3), model)
        except ModelError:
            return
        expect(
            not model.asked,
            "expected the ModelError of a lost endpoint to come out of solve, found an answer; "
            "such an attempt is made again, and not counted",
        )

    def test_it_works_on_several_tasks_at_once(self) -> None:
        agent = self.make(_profile())
        tasks = _tasks(self.tracks) * AT_ONCE

        def solve(one: tuple[Track, Example]) -> Answer:
            return self._solve(*one, Budget(submissions=2, calls=4), agent=agent)

        with ThreadPoolExecutor(AT_ONCE) as pool:
            for answer in pool.map(solve, tasks[:AT_ONCE]):
                expect(isinstance(answer.source, str), f"expected a text, found {answer!r}")

    def test_it_leaves_the_process_as_it_was(self) -> None:
        before = (Path.cwd(), dict(os.environ))
        self._solve(*_tasks(self.tracks)[0], Budget(submissions=2, calls=3))
        after = (Path.cwd(), dict(os.environ))
        # pytest itself notes there which test is running.
        changed = {
            name
            for name in before[1].keys() | after[1].keys()
            if before[1].get(name) != after[1].get(name) and not name.startswith("PYTEST_")
        }
        expect(before[0] == after[0], f"expected to be in {before[0]} afterwards, found {after[0]}")
        expect(not changed, f"expected the environment as it was, found changes of {', '.join(changed)}")

    def _solve(
        self,
        track: Track,
        example: Example,
        budget: Budget,
        model: ChatModel | None = None,
        agent: Agent | None = None,
    ) -> Answer:
        profile = _profile()
        task = _task(track, example, profile, budget)
        ledger = Ledger(budget)
        answering = model or ScriptedModel(
            repeat(f"```python\n{example.kernel_for(task.target)}```", ANSWERS)
        )
        doors = ledger.doors(
            check=lambda source: _feedback(source, profile, measured=False),
            judge=lambda source: _feedback(source, profile, measured=True),
            model=answering,
            inspect=inspector(profile),
        )
        one = agent or self.make(profile)
        return _within(
            self.patience_s, lambda: solve_within(one, task, _patient(doors), ledger), f"an answer in {track}"
        )


def _profile() -> Profile:
    return load_profile("llvm")


def _tasks(tracks: Iterable[Track]) -> list[tuple[Track, Example]]:
    return list(zip(tracks, pool_examples(), strict=False))


def _task(track: Track, example: Example, profile: Profile, budget: Budget) -> Task:
    kernel = pool_kernel(example, profile.target)
    facts: CardFacts = own_facts(kernel, own_workload(kernel), profile)
    if track is Track.WRITE:
        facts = replace(facts, canonical=None, pytorch=example.pytorch)
    return make_task(facts, profile, budget)


def _feedback(source: str, profile: Profile, *, measured: bool) -> Feedback:
    """Answer as a device would on which every legal text is correct and takes a microsecond."""
    found = survey_text(source, profile)
    if found.nest is None:
        text = "\n".join(d.render(source, "kernel") for d in found.diagnostics)
        return Feedback(f"refused:\n{text}", accepted=False, codes=tuple(d.code for d in found.diagnostics))
    if not measured:
        return Feedback("correct on the public inputs", accepted=True, correct=True)
    return Feedback("correct; 0.0010 ms", accepted=True, correct=True, time=Nanoseconds(1000), ratio=1.0)


def _patient(doors: Doors) -> Doors:
    """Count questions, so that an agent that never stops is found out."""
    count = 0

    def counted(door: Callable[[str], Feedback]) -> Callable[[str], Feedback]:
        def ask(source: str) -> Feedback:
            nonlocal count
            count += 1
            if count > STUBBORN:
                time.sleep(1.0)  # its time runs out, and the rest of the machine has peace
            return door(source)

        return ask

    return replace(doors, check=counted(doors.check), measure=counted(doors.measure))


def _within(patience_s: float, act: Callable[[], Answer], what: str) -> Answer:
    """Wait for an answer; what hangs is left behind, and ends with the process."""
    pool = ThreadPool(1)  # its threads are not waited for when the process ends
    pending = pool.apply_async(act)
    pool.close()
    try:
        return pending.get(patience_s)
    except TooLong:
        message = f"expected {what} within {patience_s:g} s, found none; it may never stop"
        raise AssertionError(message) from None
