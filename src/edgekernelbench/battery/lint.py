"""The null battery: mistakes and false answers put into the judge's comparison; none may pass."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import SourceError
from edgekernelbench.battery.answers import false_answers
from edgekernelbench.battery.generic import generic_inputs
from edgekernelbench.battery.mutants import Mutant, mutants
from edgekernelbench.battery.reasons import reason_for
from edgekernelbench.evaluator.compare import OUTPUT_FACTOR, Expected, compare
from edgekernelbench.evaluator.exam import Exams, InputChoice, Paper, choose_inputs
from edgekernelbench.interp.evaluate import evaluate
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.verify.facts import Facts
from edgekernelbench.workloads.limits import ROUNDOFF
from edgekernelbench.workloads.schema import Workload

Array = NDArray[np.generic]

SECRET = b"null battery"

NEVER_SHOWS = "gives the same bits on inputs of every kind, whatever the workload draws"
WITHIN_ROUNDING = (
    "scales by less than the four roundings of a 16-bit float that every kernel may lose, element by element"
)

LEAST = {DType.F16: 2.0**-24, DType.BF16: 2.0**-133}
"""The 16-bit floats, each with its least positive value: near zero, a rounding is that much."""


class Fate(StrEnum):
    """What became of a mistake."""

    KILLED = "killed"
    """The judge calls it wrong."""
    EQUIVALENT = "equivalent"
    """It is no mistake, for a reason that is stated."""
    ALIVE = "alive"
    """It passes as right."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one mistake.

    Attributes:
        stage: The stage that was changed; empty for a false answer.
        change: What was changed.
        fate: What became of it.
        margin: The largest error over what is allowed: of the input set that showed it, or of all when
            none did.
        reason: Why it is equivalent; empty otherwise.
    """

    stage: str
    change: str
    fate: Fate
    margin: float
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Battery:
    """The null battery of one workload.

    Attributes:
        workload: Its id.
        verdicts: One entry a mistake that is a legal kernel.
        refused: How many mistakes the verifier refused.
    """

    workload: str
    verdicts: tuple[Verdict, ...]
    refused: int

    def of(self, fate: Fate) -> tuple[Verdict, ...]:
        """List the mistakes that had a fate."""
        return tuple(verdict for verdict in self.verdicts if verdict.fate is fate)

    @property
    def least_margin(self) -> float:
        """The margin of the killed mistake that was nearest to passing; infinite without any."""
        return min((v.margin for v in self.of(Fate.KILLED)), default=float("inf"))


def null_battery(workload: Workload) -> Battery:
    """Try every mistake of a workload on the judge's own input sets and limits.

    Args:
        workload: The workload, or its twin.

    Returns:
        What became of each.
    """
    exam = Exams().exam(workload, choose_inputs(SECRET, workload), timed=False)
    right = [_evaluate(exam.kernel, paper.inputs) for paper in exam.papers]
    sheets = tuple(zip(exam.papers, right, strict=True))
    verdicts, refused = [], 0
    for mutant in _numbered(mutants(exam.kernel)):
        try:
            verdicts.append(_try_mutant(mutant, sheets, exam.kernel))
        except SourceError:
            refused += 1
    verdicts += _try_answers(workload, exam.papers[0])
    return Battery(workload.id, tuple(_with_reason(workload, v) for v in verdicts), refused)


def _numbered(found: Iterator[Mutant]) -> Iterator[Mutant]:
    """Tell changes of equal words in one stage apart."""
    seen: Counter[tuple[str, str]] = Counter()
    for mutant in found:
        seen[mutant.stage, mutant.change] += 1
        count = seen[mutant.stage, mutant.change]
        yield mutant if count == 1 else replace(mutant, change=f"{mutant.change} (place {count})")


def _with_reason(workload: Workload, verdict: Verdict) -> Verdict:
    if verdict.fate is not Fate.ALIVE:
        return verdict
    reason = reason_for(workload.pattern.id, verdict.stage, verdict.change)
    return verdict if reason is None else replace(verdict, fate=Fate.EQUIVALENT, reason=reason)


def _try_mutant(mutant: Mutant, sheets: Sequence[tuple[Paper, tuple[Array, ...]]], kernel: Kernel) -> Verdict:
    margin, same, slight = 0.0, True, True
    facts = verify_compute(mutant.kernel)
    for paper, right in sheets:
        outputs = _run(facts, paper.inputs)
        worst, killed = _judged(outputs, paper)
        if killed:
            return Verdict(mutant.stage, mutant.change, Fate.KILLED, worst)
        margin, same = max(margin, worst), same and _equal(outputs, right)
        slight = slight and all(map(_only_scales, outputs, right, paper.expected))
    if same and all(_equal(_run(facts, x), _evaluate(kernel, x)) for x in generic_inputs(kernel)):
        return Verdict(mutant.stage, mutant.change, Fate.EQUIVALENT, margin, NEVER_SHOWS)
    if slight and not same:
        return Verdict(mutant.stage, mutant.change, Fate.EQUIVALENT, margin, WITHIN_ROUNDING)
    return Verdict(mutant.stage, mutant.change, Fate.ALIVE, margin)


def _only_scales(output: Array, right: Array, expected: Expected) -> bool:
    """Whether each element of a narrow output is as far from the right one as roundings of itself go."""
    if expected.dtype not in LEAST:
        return _equal([output], [right])
    found, wanted = output.astype(np.float64), right.astype(np.float64)
    with np.errstate(invalid="ignore"):
        rounding = np.maximum(ROUNDOFF[expected.dtype] * np.abs(wanted), LEAST[expected.dtype])
        near = np.abs(found - wanted) <= OUTPUT_FACTOR * rounding
    return bool(np.all(near))


def _judged(outputs: Sequence[Array], paper: Paper) -> tuple[float, bool]:
    """Give the largest error over what is allowed, and whether the judge refuses."""
    found = [compare(out, expected) for out, expected in zip(outputs, paper.expected, strict=True)]
    return max(c.elementwise for c in found), any(c.mismatch is not None for c in found)


def _evaluate(kernel: Kernel, inputs: Sequence[Array]) -> tuple[Array, ...]:
    return _run(verify_compute(kernel), inputs)


def _run(facts: Facts, inputs: Sequence[Array]) -> tuple[Array, ...]:
    named = {param.name: array for param, array in zip(facts.kernel.params, inputs, strict=True)}
    with np.errstate(all="ignore"):
        return evaluate(facts, named, precision="declared")


def _equal(a: Sequence[Array], b: Sequence[Array]) -> bool:
    return all(x.tobytes() == y.tobytes() for x, y in zip(a, b, strict=True))


def _try_answers(workload: Workload, paper: Paper) -> list[Verdict]:
    kernel = workload.kernel()
    wanted = _evaluate(kernel, paper.inputs)
    others = InputChoice("others", paper.choice.distribution, paper.choice.seed + 1)
    previous = _evaluate(kernel, Exams().exam(workload, (others,), timed=False).papers[0].inputs)
    verdicts = []
    for answer in false_answers(paper.inputs, wanted, previous):
        worst, killed = _judged(answer.outputs, paper)
        if killed:
            verdicts.append(Verdict("", answer.name, Fate.KILLED, worst))
        elif not _equal(answer.outputs, wanted):
            verdicts.append(Verdict("", answer.name, Fate.ALIVE, worst))
    return verdicts
