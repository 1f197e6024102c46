"""Judge one text for one workload.

```text
text ─ parse ─ verify ─ signature ─ limits ─┬─ Rejected
                                            └─ worker: compile ─ run ─ compare ─ time ─┬─ Crashed
                                                                                       ├─ Wrong
                                                                                       └─ Correct
```
"""

from collections.abc import Sequence
from dataclasses import replace
from types import TracebackType
from typing import Self

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.base.errors import SourceError
from edgekernelbench.evaluator.acceptance import accept
from edgekernelbench.evaluator.baselines import Baseline, Bench, DefaultBaseline, Entry
from edgekernelbench.evaluator.bounds import FASTER_THAN_ROOFLINE, Needs, bound_of, is_faster, needs_of
from edgekernelbench.evaluator.control.fresh import FreshInputs
from edgekernelbench.evaluator.control.verdict import beside_its_work
from edgekernelbench.evaluator.entering import enter
from edgekernelbench.evaluator.environment import ALL_CORES, host_room, worker_cores, worker_environment
from edgekernelbench.evaluator.exam import Exam, Exams
from edgekernelbench.evaluator.findings import Findings
from edgekernelbench.evaluator.hands import Hands
from edgekernelbench.evaluator.marking import Mark, first_wrong
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.places import Here, Place
from edgekernelbench.evaluator.quiet import crowd, is_hopeless, measure_quietly
from edgekernelbench.evaluator.references import reference_record
from edgekernelbench.evaluator.ring import IDLE_S, Lost, Pace, Timed, TimingPlan
from edgekernelbench.evaluator.standby import Standby
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.supervisor import ServerLost
from edgekernelbench.evaluator.sustaining import sustain
from edgekernelbench.evaluator.trial import Trial, excuse, out_of_room, post_mortem, refusal
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.profiles.peaks import Peaks
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import InputSet, Judgement
from edgekernelbench.records.outcome import (
    Cause,
    Correct,
    Crashed,
    Outcome,
    Rejected,
    Ring,
    Unjudged,
    Wrong,
)
from edgekernelbench.records.reference import BASELINE_OF
from edgekernelbench.records.schema import storable
from edgekernelbench.workloads.schema import Workload

COMPILE_DEADLINE_S = 60.0
"""Compiling is the compiler's work, and the largest graphs take it seconds."""

LEAST_DEADLINE_S = 10.0
DEADLINE_FACTOR = 50
RUNS_OF_A_WORKER = 6
"""A worker runs a kernel twice on each of three input sets; for that it may take 50 times as long as the
default baseline would, where that was measured, and at least 10 s."""

NS_PER_SECOND = 1_000_000_000

ONE_CHILD = "one-child"
"""Flag of a judgement: its speed rests on one set of processes."""

STOPPED_EARLY = "stopped-early"
"""Flag of a judgement: fewer sets of processes than planned, for a kernel far slower than every baseline."""

NONDETERMINISTIC = "nondeterministic"
"""Flag of a judgement: two runs on the same inputs differ, within the tolerance."""


class Judge:
    """Judges texts on one device; holds the fork servers, the examinations and idle baselines."""

    def __init__(  # noqa: PLR0913 - all but the first are named, and have a default
        self,
        profile: Profile,
        *,
        compiler: str = "tvm",
        baselines: Sequence[Baseline] | None = None,
        limits: Limits | None = None,
        server: Sequence[str] | None = None,
        release: str = "",
        peaks: Peaks | None = None,
        place: Place | None = None,
        exams: Exams | None = None,
    ) -> None:
        """Make a judge; servers are started with the first worker that needs them.

        Args:
            profile: The device.
            compiler: Name of the compiler.
            baselines: What kernels are timed beside; None for `default` alone.
            limits: What workers may use; None for what the profile asks for.
            server: Starts a fork server, given the name of a compiler; None for the product's own.
            release: Id of the release that records name; empty names none.
            peaks: What the device reaches; None when that was not measured.
            place: Where kernels are run, closed with the judge; None for this machine.
            exams: Examinations that are shared with other judges; None for its own.
        """
        self.profile = profile
        self.compiler = compiler
        self.release = release
        self.environment = worker_environment(profile.threads)
        self._bench = Bench(profile, compiler)
        self._baselines = (DefaultBaseline(self._bench),) if baselines is None else tuple(baselines)
        self._limits = limits or Limits(
            deadline_s=COMPILE_DEADLINE_S + LEAST_DEADLINE_S,
            run_s=LEAST_DEADLINE_S,
            memory_bytes=profile.workspace_bytes + host_room(profile),
            cpus=worker_cores(profile.threads),
        )
        cores = self._limits.cpus or worker_cores(ALL_CORES)
        self._place: Place = place or Here(profile, compiler, self.environment, cores, server)
        self._exams = exams or Exams()
        self._fresh = FreshInputs()
        self._standby = Standby(self._place.hands, self._place.hold)
        self._paces: dict[str, Pace] = {}
        self._peaks = peaks
        self._needs: dict[str, Needs] = {}

    def judge(self, submission: Submission) -> Judgement:
        """Judge one text.

        Args:
            submission: What is to be judged, and how.

        Returns:
            The outcome with what it rests on; `Unjudged` when the judge's own machinery failed.
        """
        findings = Findings()
        outcome = self._place.recheck(self._outcome(submission, findings))
        margins = tuple(m for mark in findings.marks for m in mark.margins)
        shown = submission.inputs if submission.reveal else ()
        return Judgement(
            attempt=submission.attempt,
            workload=submission.workload.id,
            device=self.profile.name,
            device_class=str(self.profile.device_class),
            compiler=self.compiler,
            threads=self.profile.threads,
            text=submission.text_hash,
            canonical=findings.canonical,
            outcome=outcome,
            flags=findings.flags,
            margins=margins,
            inputs=tuple(InputSet(name=c.name, distribution=c.distribution, seed=c.seed) for c in shown),
            cost=findings.cost,
            baseline_costs=findings.beside if isinstance(outcome, Correct) else {},
            vendor=findings.vendor,
            reference=reference_record(self.release, outcome, self._baselines, findings.chosen),
            conditions=findings.conditions if isinstance(outcome, Correct) else (),
            roofline=findings.roofline,
            board=self._place.record(),
            sustained=findings.sustained,
            control=findings.control,
            spent_ns=findings.spent or {},
        )

    def _outcome(self, submission: Submission, findings: Findings) -> Outcome | Unjudged:
        try:
            is_board = self._place.record() is not None
            entry, findings.canonical = enter(submission, self._bench, is_board=is_board)
        except SourceError as error:
            return Rejected(tuple(_storable(d) for d in error.diagnostics))
        timing = submission.timing
        exam = self._exams.exam(submission.workload, submission.inputs, timed=timing is not None)
        if entry.plain and timing is not None:
            exam = self._fresh.add(exam)
        try:
            if timing is None:
                return self._judge_values(entry, exam, findings)
            return self._judge_speed(entry, exam, timing, findings)
        except ServerLost as error:
            return Unjudged(Cause.DEVICE if self.lost else Cause.WORKER, str(error))
        except OSError as error:
            if not out_of_room(error):
                raise
            return Unjudged(Cause.DISK, "there is no room for the buffers of a worker")

    def ready(self, submission: Submission) -> None:
        """Do nothing ahead: what compiles here would be measured along."""
        del submission

    def baseline_texts(self, workload: Workload) -> dict[str, str]:
        """Give the texts of the baselines that are kernel texts, by name."""
        texts = {baseline.name: baseline.text(workload) for baseline in self._baselines}
        return {name: text for name, text in texts.items() if text is not None}

    def accept(self, workload: Workload, text: str) -> Kernel:
        """Check a text against a workload and the limits of the device.

        Raises:
            SourceError: With everything that is wrong in any layer.
        """
        return accept(workload, text, self.profile)

    def _judge_values(self, entry: Entry, exam: Exam, findings: Findings) -> Outcome | Unjudged:
        assignment = entry.assignment(self._limits_for(exam.workload))
        with Trial(self._place.hands(entry.server), assignment, exam, None) as trial:
            ended = trial.worker.wait()
            reply = trial.worker.reply()
            failure = refusal(reply) or excuse(reply)
            if failure is not None:
                return failure
            if reply is None or ended.exit_code != 0 or "cost" not in reply:
                return post_mortem(trial.worker, ended)
            findings.note_report(reply)
            return self._marked(trial.marks(), findings) or Correct(())

    def _marked(self, marks: Sequence[Mark], findings: Findings) -> Wrong | None:
        findings.marks = [*findings.marks, *marks]
        if not all(mark.deterministic for mark in marks):
            findings.flag(NONDETERMINISTIC)
        return first_wrong(marks)

    def _judge_speed(
        self, entry: Entry, exam: Exam, timing: TimingPlan, findings: Findings
    ) -> Outcome | Unjudged:
        rings = []
        for number in range(timing.rings):
            fresh = timing.rings > 1
            result = self._ring(entry, exam, timing, findings, fresh=fresh, first=number == 0)
            if not isinstance(result, Ring):
                return result
            rings.append(result)
            if len(rings) < timing.rings and is_hopeless(rings):
                findings.flag(STOPPED_EARLY)
                break
        if timing.rings == 1:
            findings.flag(ONE_CHILD)
        self._compare_with_roofline(exam.workload, rings, findings)
        return Correct(tuple(rings))

    def _compare_with_roofline(self, workload: Workload, rings: Sequence[Ring], findings: Findings) -> None:
        if self._peaks is None:
            return
        if workload.id not in self._needs:
            self._needs[workload.id] = needs_of(workload, self.profile)
        bounds = [bound_of(self._needs[workload.id], self._peaks, self.profile, r) for r in rings]
        findings.roofline = max(bounds, key=lambda bound: bound.memory_ns)
        if all(map(is_faster, rings, bounds)):
            findings.flag(FASTER_THAN_ROOFLINE)

    def _ring(
        self,
        entry: Entry,
        exam: Exam,
        timing: TimingPlan,
        findings: Findings,
        *,
        fresh: bool,
        first: bool,
    ) -> Ring | Outcome | Unjudged:
        """Run one set of processes; every one shows its values before it is timed, and after."""
        beside = self._beside(exam, timing, findings, fresh=fresh)
        if isinstance(beside, Unjudged):
            return beside
        limits = self._limits_for(exam.workload)
        assignment = entry.assignment(limits)
        if first and timing.rings > 1:
            # It may cost as much as compiling: once a final verdict, and not inside a search.
            assignment = replace(assignment, fields={**assignment.fields, "sized": True})
        with Trial(self._place.hands(entry.server), assignment, exam, timing) as trial:
            report = trial.worker.pass_token({"do": "report"})
            if report is None or "cost" not in report:
                return self._fate(trial)
            if first:
                findings.note_report(report)
            wrong = self._marked(trial.marks(), findings)
            if wrong is not None:
                return wrong
            trial.worker.extend(IDLE_S)
            with self._place.hold():
                things = [trial.timed("kernel", limits.run_s), *beside]
                measured = measure_quietly(things, timing, self._place.cores, self._place.sense)
            if isinstance(measured, Lost):
                return self._lost(measured, trial)
            # Beside a GPU, host threads only wait and start kernels; PoCL has its own limit.
            crowded = crowd(measured, self.profile.threads) if self.profile.target == "llvm" else None
            if crowded is not None:
                return crowded
            findings.note_conditions(measured.conditions)
            if first and timing.sustain_s:
                with self._place.hold():
                    findings.sustained = sustain(things[0], timing, self._place.sense)
            left = trial.worker.pass_token({"do": "outputs"})
            if left is None:
                return self._fate(trial)
            findings.note_code(left.get("code_bytes"))
            wrong = beside_its_work(left.get("fault")) or self._marked(trial.timed_marks(), findings)
            return wrong or measured.ring

    def _beside(
        self, exam: Exam, timing: TimingPlan, findings: Findings, *, fresh: bool
    ) -> list[Timed] | Unjudged:
        """Make the baselines ready; `Unjudged` when one fails that must not, with what each of them is."""
        things: list[Timed] = []
        exam = replace(exam, fresh=None)  # baselines are texts of ours or libraries: they keep nothing
        for baseline in self._baselines:
            thing = self._standby.ready(baseline, exam, timing, self._limits_for(exam.workload), fresh=fresh)
            match baseline.name:
                case "vendor":
                    findings.vendor = self._standby.choice(baseline, exam.workload)
                case name if name == BASELINE_OF["R1"]:
                    findings.chosen = self._standby.choice(baseline, exam.workload)
            if not isinstance(thing, Unjudged):
                things.append(thing)
                findings.beside |= self._standby.costs(baseline, exam.workload)
                if baseline.required and thing.pace is not None:
                    self._paces[exam.workload.id] = thing.pace
            elif baseline.required:
                return thing
            else:
                findings.flag(f"no-{baseline.name}")
        return things

    def _limits_for(self, workload: Workload) -> Limits:
        """Give the limits of a workload: the deadline follows the default baseline once that was measured."""
        pace = self._paces.get(workload.id)
        if pace is None:
            return self._limits
        patience = DEADLINE_FACTOR * RUNS_OF_A_WORKER * pace.single_ns / NS_PER_SECOND
        return self._limits.longer(patience - self._limits.run_s)

    def _lost(self, lost: Lost, trial: Trial) -> Rejected | Crashed | Unjudged:
        if lost.name == "kernel":
            return self._fate(trial)
        self._standby.drop_all()
        return Unjudged(Cause.WORKER, f"the baseline {lost.name} was lost while it was timed")

    def _fate(self, trial: Trial) -> Rejected | Crashed | Unjudged:
        """Say why a worker did not give the token back."""
        worker = trial.worker
        if worker.ended is None:
            worker.kill()
            worker.wait()
            return Unjudged(Cause.WORKER, "a worker's answer could not be read")
        reply = worker.reply()
        return refusal(reply) or excuse(reply) or post_mortem(worker, worker.ended)

    @property
    def limits(self) -> Limits:
        """What workers may use."""
        return self._limits

    @property
    def busy_ns(self) -> int:
        """How long its device was asked something and had not answered yet; 0 where that is not counted."""
        return self._place.busy_ns

    @property
    def lost(self) -> bool:
        """Whether the device does not answer any more: nothing can be judged on it."""
        return self._place.lost

    def find_server(self, name: str) -> Hands:
        """Give the fork server of a name; it is started with its first worker."""
        return self._place.hands(name)

    def servers(self) -> tuple[int, ...]:
        """Give the process ids of the fork servers that were started."""
        return self._place.pids()

    def close(self) -> None:
        """End all servers and workers."""
        self._standby.drop_all()
        self._place.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _storable(diagnostic: Diagnostic) -> Diagnostic:
    hint = None if diagnostic.hint is None else storable(diagnostic.hint)
    return replace(diagnostic, message=storable(diagnostic.message), hint=hint)
