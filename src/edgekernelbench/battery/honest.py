"""The honest battery: legitimate rewrites before the judge; all of them must be `Correct`.

A rewrite that is refused is a fault of the judge: of a tolerance, of inputs, or of the language.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from edgekernelbench.base.errors import SourceError
from edgekernelbench.battery.rewrites import Rewrite, load_rewrites
from edgekernelbench.evaluator.compare import compare
from edgekernelbench.evaluator.exam import Exams, choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.outcome import Correct, Crashed, Outcome, Rejected, Unjudged, Wrong
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import Catalogue
from edgekernelbench.workloads.schema import Workload

SECRET = b"honest battery"


@dataclass(frozen=True, slots=True)
class Judged:
    """What the judge says of one rewrite for one workload.

    Attributes:
        workload: Id of the workload.
        rewrite: Id of the rewrite.
        outcome: What it came to, such as `correct` or `wrong values`.
        elementwise: Largest error over what is allowed, of all input sets; None when nothing was compared.
        rms_ratio: Largest RMS error over that of the declared arithmetic; None where integers are exact.
        detail: What is wrong; empty when nothing is.
    """

    workload: str
    rewrite: str
    outcome: str
    elementwise: float | None = None
    rms_ratio: float | None = None
    detail: str = ""

    @property
    def is_refused(self) -> bool:
        """Whether it is anything but correct."""
        return self.outcome != "correct"


def honest_pairs(catalogue: Catalogue, workloads: Sequence[Workload]) -> Iterator[tuple[Rewrite, Workload]]:
    """List each rewrite with each of some workloads that it is for."""
    wanted = {workload.id for workload in workloads}
    for rewrite in load_rewrites():
        yield from ((rewrite, w) for w in rewrite.workloads(catalogue) if w.id in wanted)


def judge_rewrite(judge: Judge, rewrite: Rewrite, workload: Workload) -> Judged:
    """Lower a rewrite by the default rules and judge it like any other kernel.

    Args:
        judge: Judges on one device.
        rewrite: The rewrite.
        workload: One that it is for, or the twin of one.

    Returns:
        What the judge says.
    """
    try:
        facts = verify_compute(rewrite.kernel(workload))
        lowered = default_lowering(facts, judge.profile.target, judge.profile)
    except SourceError as error:
        found = error.diagnostics[0]
        return Judged(workload.id, rewrite.id, f"rejected {found.code}", detail=found.message)
    submission = Submission(workload, print_kernel(lowered), choose_inputs(SECRET, workload))
    judgement = judge.judge(submission)
    ratios = [m.rms_ratio for m in judgement.margins if m.rms_ratio is not None]
    return Judged(
        workload.id,
        rewrite.id,
        failure_kind(judgement.outcome),
        max((m.elementwise for m in judgement.margins), default=None),
        max(ratios, default=None),
        _detail(judgement.outcome),
    )


def _detail(outcome: Outcome | Unjudged) -> str:
    match outcome:
        case Rejected(diagnostics=diagnostics):
            return diagnostics[0].message
        case Wrong(inputs=inputs, detail=detail):
            return f"{inputs}: {detail}"
        case Crashed(detail=detail) | Unjudged(detail=detail):
            return detail
        case Correct():
            return ""


def evaluate_rewrite(rewrite: Rewrite, workload: Workload) -> Judged:
    """Evaluate a rewrite serially in its declared types, and compare as the judge does; compiles nothing.

    Args:
        rewrite: The rewrite.
        workload: One that it is for, or the twin of one.

    Returns:
        What the comparison says.

    Raises:
        SourceError: When the text is wrong with the sizes of the workload.
    """
    facts = verify_compute(rewrite.kernel(workload))
    exam = Exams().exam(workload, choose_inputs(SECRET, workload), timed=False)
    worst, ratio = 0.0, None
    for paper in exam.papers:
        named = {param.name: a for param, a in zip(facts.kernel.params, paper.inputs, strict=True)}
        with np.errstate(all="ignore"):
            outputs = evaluate(facts, named, precision="declared")
        for output, expected in zip(outputs, paper.expected, strict=True):
            found = compare(output, expected)
            worst = max(worst, found.elementwise)
            if found.rms_ratio is not None:
                ratio = max(ratio or 0.0, found.rms_ratio)
            if found.mismatch is not None:
                detail = f"{paper.choice.name}: {found.mismatch.detail}"
                fault = f"wrong {found.mismatch.fault}"
                return Judged(workload.id, rewrite.id, fault, worst, ratio, detail)
    return Judged(workload.id, rewrite.id, "correct", worst, ratio)
