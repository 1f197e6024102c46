"""Every stored text gets its final verdict.

Inputs of a workload are drawn when no agent is at work on it any more, so that their seeds can be stored with
each judgement. An attempt that was lost, and made again after that, is judged on others.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.traced_arm import is_traced
from edgekernelbench.evaluator.exam import InputChoice, choose_inputs
from edgekernelbench.evaluator.pool import Judging
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Unjudged
from edgekernelbench.records.store import RunFolder, RunWriter
from edgekernelbench.workloads.schema import Workload

FINAL_RINGS = 5

TIMING_PLANS = {"none": None, "one-child": TimingPlan(), "final": TimingPlan(rings=FINAL_RINGS)}

NO_TEXT = Diagnostic("P02", "the answer has no kernel text", hint="answer with one function definition")


@dataclass(frozen=True, slots=True)
class Case:
    """An attempt that is to be judged.

    Attributes:
        attempt: The attempt.
        submission: What is put before the judge; None where there is no text.
    """

    attempt: Attempt
    submission: Submission | None


@dataclass(slots=True)
class Verdicts:
    """What all final verdicts of a run share.

    Attributes:
        used: The inputs of each workload, once they are drawn.
    """

    experiment: Experiment
    folder: RunFolder
    writer: RunWriter
    judging: Judging
    workloads: Mapping[str, Workload]
    used: dict[str, tuple[InputChoice, ...]] | None = None

    def counts(self) -> tuple[int, int]:
        """Say how many judgements the run will have, and how many it has."""
        return len(self.experiment.planned()), len(self.folder.judged())

    def cases(self, attempts: Sequence[Attempt]) -> tuple[Case, ...]:
        """Draw inputs for attempts that no agent is at work on any more, the same for each of a workload.

        Args:
            attempts: Attempts without an outcome, in any order.
        """
        places = {name: place for place, name in enumerate(self.experiment.workloads)}
        ordered = sorted(attempts, key=lambda a: (places[a.workload], a.agent, a.number))
        if self.used is None:
            self.used = self._used_inputs()
        # Seeds that are stored can be read by who comes again: it gets others.
        lost = self.folder.lost()
        for name in {a.workload for a in ordered if a.id in lost}:
            self.used.pop(name, None)
        for attempt in ordered:
            if attempt.workload not in self.used:
                workload = self.workloads[attempt.workload]
                self.used[attempt.workload] = choose_inputs(secrets.token_bytes(16), workload)
        return tuple(Case(a, self._submission(a, self.used[a.workload])) for a in ordered)

    def ready(self, case: Case) -> None:
        """Do ahead what needs no device: draw inputs, compute answers, compile."""
        if case.submission is not None:
            self.judging.ready(case.submission)

    def judge(self, case: Case) -> Judgement:
        """Judge an attempt."""
        if case.submission is not None:
            return self._with_baselines(self.judging.judge(case.submission), case.submission.workload)
        if case.attempt.ending is Ending.LOST:
            return self._without_text(case.attempt, Unjudged(Cause.MODEL, case.attempt.detail))
        return self._without_text(case.attempt, Rejected((NO_TEXT,)))

    def store(self, judgement: Judgement) -> None:
        """Store a judgement."""
        self.writer.add_judgement(judgement)

    def _used_inputs(self) -> dict[str, tuple[InputChoice, ...]]:
        """Find the inputs that judgements of an earlier process used: all attempts get the same."""
        return {
            judgement.workload: tuple(
                InputChoice(row.name, row.distribution, row.seed) for row in judgement.inputs
            )
            for judgement in self.folder.judgements().values()
            if judgement.inputs
        }

    def _submission(self, attempt: Attempt, inputs: tuple[InputChoice, ...]) -> Submission | None:
        if attempt.ending is Ending.LOST or attempt.text is None:
            return None
        text = self.folder.artifact(attempt.text)
        return Submission(
            workload=self.workloads[attempt.workload],
            text=text,
            inputs=inputs,
            timing=TIMING_PLANS[self.experiment.timing],
            attempt=attempt.id,
            text_hash=attempt.text,
            reveal=True,
            language=self.experiment.language,
            traced=self._hands_in_traces(attempt.agent) and is_traced(text),
        )

    def _with_baselines(self, judgement: Judgement, workload: Workload) -> Judgement:
        """Store the texts that a kernel was timed beside: for reports, and for whoever times them again."""
        if not (isinstance(judgement.outcome, Correct) and judgement.outcome.rings):
            return judgement
        texts = self.judging.baseline_texts(workload)
        stored = {name: self.writer.add_artifact(text) for name, text in texts.items()}
        return judgement.model_copy(update={"baselines": stored})

    def _hands_in_traces(self, agent: str) -> bool:
        return any(s.name == agent and s.kind == "metaschedule" for s in self.experiment.agents)

    def _without_text(self, attempt: Attempt, outcome: Rejected | Unjudged) -> Judgement:
        return Judgement(
            attempt=attempt.id,
            workload=attempt.workload,
            device=self.judging.profile.name,
            device_class=str(self.judging.profile.device_class),
            compiler=self.judging.compiler,
            threads=self.judging.profile.threads,
            text=None,
            outcome=outcome,
        )
