"""The second stage of a run: every stored text gets its final verdict.

It begins when no agent is at work any more, so that the seeds of its inputs can be stored with each
judgement.
"""

import secrets
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import ExitStack
from dataclasses import dataclass

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.progress import Watcher
from edgekernelbench.bench.traced_arm import is_traced
from edgekernelbench.evaluator.exam import InputChoice, choose_inputs
from edgekernelbench.evaluator.pool import Judging
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.attempt import Attempt, Ending
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Cause, Correct, Rejected, Unjudged
from edgekernelbench.records.store import RunFolder, RunWriter
from edgekernelbench.workloads.schema import Workload

FINAL_RINGS = 5

TIMING_PLANS = {"none": None, "one-child": TimingPlan(), "final": TimingPlan(rings=FINAL_RINGS)}

NO_TEXT = Diagnostic("P02", "the answer has no kernel text", hint="answer with one function definition")


@dataclass(frozen=True, slots=True)
class Verdicts:
    """What all final verdicts of a run share."""

    experiment: Experiment
    folder: RunFolder
    writer: RunWriter
    judge: Judging
    workloads: Mapping[str, Workload]

    def judge_all(self, attempts: Sequence[Attempt], watcher: Watcher, *, at_once: int = 1) -> None:
        """Judge attempts, workload by workload, and store each judgement at once.

        Args:
            attempts: Those that have no outcome yet, in any order.
            watcher: Is told of each judgement.
            at_once: How many are judged at one time: the number of boards.
        """
        used = self._used_inputs()
        places = {name: place for place, name in enumerate(self.experiment.workloads)}
        ordered = sorted(attempts, key=lambda a: (places[a.workload], a.agent, a.number))
        for attempt in ordered:
            if attempt.workload not in used:
                workload = self.workloads[attempt.workload]
                used[attempt.workload] = choose_inputs(secrets.token_bytes(16), workload)
        with ThreadPoolExecutor(at_once) as pool, ExitStack() as at_the_end:
            # When it is interrupted, what has not begun is not begun.
            at_the_end.callback(pool.shutdown, wait=False, cancel_futures=True)
            futures = [pool.submit(self._judge, a, used[a.workload]) for a in ordered]
            try:
                for future in as_completed(futures):
                    judgement = future.result()
                    self.writer.add_judgement(judgement)
                    watcher.advance(failure_kind(judgement.outcome))
            except KeyboardInterrupt:
                watcher.stop()
                raise

    def _used_inputs(self) -> dict[str, tuple[InputChoice, ...]]:
        """Find the inputs that judgements of an earlier process used: all attempts get the same."""
        return {
            judgement.workload: tuple(
                InputChoice(row.name, row.distribution, row.seed) for row in judgement.inputs
            )
            for judgement in self.folder.judgements().values()
            if judgement.inputs
        }

    def _judge(self, attempt: Attempt, inputs: tuple[InputChoice, ...]) -> Judgement:
        if attempt.ending is Ending.LOST:
            return self._without_text(attempt, Unjudged(Cause.MODEL, attempt.detail))
        if attempt.text is None:
            return self._without_text(attempt, Rejected((NO_TEXT,)))
        text = self.folder.artifact(attempt.text)
        submission = Submission(
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
        return self._with_baselines(self.judge.judge(submission), submission.workload)

    def _with_baselines(self, judgement: Judgement, workload: Workload) -> Judgement:
        """Store the texts that a kernel was timed beside: for reports, and for whoever times them again."""
        if not (isinstance(judgement.outcome, Correct) and judgement.outcome.rings):
            return judgement
        texts = self.judge.baseline_texts(workload)
        stored = {name: self.writer.add_artifact(text) for name, text in texts.items()}
        return judgement.model_copy(update={"baselines": stored})

    def _hands_in_traces(self, agent: str) -> bool:
        return any(s.name == agent and s.kind == "metaschedule" for s in self.experiment.agents)

    def _without_text(self, attempt: Attempt, outcome: Rejected | Unjudged) -> Judgement:
        return Judgement(
            attempt=attempt.id,
            workload=attempt.workload,
            device=self.judge.profile.name,
            device_class=str(self.judge.profile.device_class),
            compiler=self.judge.compiler,
            threads=self.judge.profile.threads,
            text=None,
            outcome=outcome,
        )
