"""A run at work: texts are written, made ready and measured, each by as many as there are for it.

On boards all three go on at one time. On this machine measuring begins when writing is over: a model that
writes here, or a compiler at work, would be measured along.

The seeds of a workload's final inputs are drawn and stored when no agent will be at work on it any more.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field

from edgekernelbench.bench.assembly import Assembly, Rate, Stage
from edgekernelbench.bench.contestants import Contestant
from edgekernelbench.bench.experiment import AgentSetting
from edgekernelbench.bench.generation import Generation
from edgekernelbench.bench.lanes import Lane
from edgekernelbench.bench.progress import Watcher
from edgekernelbench.bench.verdicts import Case, Verdicts
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.attempt import Attempt

OpenContestant = Callable[[AgentSetting, ExitStack], Contestant]
"""Makes an agent that can be asked; what it holds is let go of with the stack."""

WRITING, JUDGING = "writing", "judging"

READY_A_BOARD = 2
"""Texts that wait, made ready, for each board: as many as keep it at work, and few to hold in memory."""


@dataclass(frozen=True, slots=True)
class Crew:
    """Who does what in a run, and how many at one time.

    Attributes:
        generation: Lets agents make attempts.
        verdicts: Judges them.
        open_contestant: Makes agents.
        watcher: Is told of every attempt and every judgement.
        writers: Attempts that each lane makes at one time.
        readiers: Texts that are made ready at one time; 0 where nothing can be made ready.
        boards: Texts that are judged at one time.
        overlaps: Whether texts are judged while others are written.
    """

    generation: Generation
    verdicts: Verdicts
    open_contestant: OpenContestant
    watcher: Watcher
    writers: int = 1
    readiers: int = 0
    boards: int = 1
    overlaps: bool = False


@dataclass(slots=True)
class _Work:
    """One attempt on its way through a lane."""

    contestant: Contestant
    workload: str
    number: int


@dataclass(slots=True)
class Pipeline:
    """The stages of one run.

    Attributes:
        rates: What each stage did, known when the run is over.
    """

    crew: Crew
    rates: tuple[Rate, ...] = ()
    _left: Counter[str] = field(default_factory=Counter)
    _held: dict[str, list[Attempt]] = field(default_factory=dict)
    _at_work: dict[str, Contestant] = field(default_factory=dict)

    def run(self, lanes: Sequence[Lane], stored: Sequence[Attempt]) -> None:
        """Do what is left of a run.

        Args:
            lanes: Attempts that are to be made.
            stored: Attempts that are stored and not judged, those that will be made again left out.
        """
        self._left = Counter(item[1] for lane in lanes for _, items in lane.turns for item in items)
        for attempt in stored:
            self._held.setdefault(attempt.workload, []).append(attempt)
        with Assembly() as assembly:
            try:
                self._run(lanes, _Stages(self, assembly, len(lanes)), assembly)
            except KeyboardInterrupt:
                self.crew.watcher.stop()
                for contestant in tuple(self._at_work.values()):
                    contestant.stop()
                raise
            finally:
                self.rates = assembly.rates()

    def _run(self, lanes: Sequence[Lane], stages: "_Stages", assembly: Assembly) -> None:
        planned = self.crew.verdicts.counts()[0]
        if self.crew.generation.experiment.answers_of is None:
            self.crew.watcher.begin(WRITING, planned, planned - self._left.total())
        if self.crew.overlaps:
            self.crew.watcher.begin(JUDGING, *self.crew.verdicts.counts())
            stages.feed.put(tuple(w for w in self._held if not self._left[w]))
        for lane in lanes:
            stages.lanes.put(lane)
        assembly.wait()
        if not self.crew.overlaps:
            self.crew.watcher.begin(JUDGING, *self.crew.verdicts.counts())
            stages.feed.put(tuple(self._held))
            assembly.wait()

    def wrote(self, attempt: Attempt) -> bool:
        """Take down an attempt, on the thread that waits; say whether its workload can be judged now."""
        self.crew.watcher.advance(attempt.ending, WRITING)
        self._held.setdefault(attempt.workload, []).append(attempt)
        self._left[attempt.workload] -= 1
        return self.crew.overlaps and not self._left[attempt.workload]

    def came(self, contestant: Contestant) -> None:
        """Take down an agent that is to be told when it must stop."""
        self._at_work[contestant.agent.name] = contestant

    def cases(self, workload: str) -> tuple[Case, ...]:
        """Give what is to be judged of a workload; nobody is at work on it any more."""
        return self.crew.verdicts.cases(self._held.pop(workload, []))


class _Stages:
    """Puts the stages of a run together."""

    def __init__(self, pipeline: Pipeline, assembly: Assembly, lanes: int) -> None:
        crew = pipeline.crew
        self._pipeline, self._assembly, self._crew = pipeline, assembly, crew
        self.lanes: Stage[Lane] = assembly.stage("lanes", max(1, lanes), 0, self._drive)
        places = READY_A_BOARD * crew.boards
        self.measuring: Stage[Case] = assembly.stage("measuring", crew.boards, places, self._measure)
        self.readying: Stage[Case] | None = (
            assembly.stage("readying", crew.readiers, crew.readiers, self._ready) if crew.readiers else None
        )
        # One thread deals out whole workloads, in their order; it is the one that waits for places.
        self.feed: Stage[tuple[str, ...]] = assembly.stage("dealing", 1, 1 << 20, self._deal)

    def _drive(self, lane: Lane) -> None:
        for settings, items in lane.turns:
            name = f"{WRITING} {lane.name}"
            with ExitStack() as stack:
                opened = {one.name: self._crew.open_contestant(one, stack) for one in settings}
                for contestant in opened.values():
                    self._pipeline.came(contestant)
                writing: Stage[_Work] = self._assembly.stage(name, self._crew.writers, 0, self._write)
                # When it is interrupted, models are let go of after the attempts at work.
                stack.callback(writing.close)
                for setting, workload, number in items:
                    writing.put(_Work(opened[setting.name], workload, number))
                writing.drain()

    def _write(self, work: _Work) -> None:
        attempt = self._crew.generation.attempt(work.contestant, work.workload, work.number)
        self._assembly.tell(lambda: self._note(attempt))

    def _note(self, attempt: Attempt) -> None:
        if self._pipeline.wrote(attempt):
            self.feed.put((attempt.workload,))

    def _deal(self, workloads: tuple[str, ...]) -> None:
        for workload in workloads:
            for case in self._pipeline.cases(workload):
                self.feed.hand_on(case, self.readying or self.measuring)

    def _ready(self, case: Case) -> None:
        self._crew.verdicts.ready(case)
        if self.readying is not None:
            self.readying.hand_on(case, self.measuring)

    def _measure(self, case: Case) -> None:
        judgement = self._crew.verdicts.judge(case)

        def store() -> None:
            self._crew.verdicts.store(judgement)
            self._crew.watcher.advance(failure_kind(judgement.outcome), JUDGING)

        self._assembly.tell(store)
