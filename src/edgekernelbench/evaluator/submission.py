"""What is put before the judge."""

from dataclasses import dataclass

from edgekernelbench.evaluator.exam import InputChoice
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.records.language import Language
from edgekernelbench.workloads.schema import Workload


@dataclass(frozen=True, slots=True)
class Submission:
    """What is to be judged.

    Attributes:
        workload: For which workload.
        text: The kernel text, whatever it is.
        inputs: On which inputs; the seeds are nobody else's business.
        timing: How to time it; None for correctness alone.
        attempt: Id of the attempt, for the record.
        text_hash: Artifact hash of the text, for the record.
        reveal: Whether the record names the seeds: only when no agent is at work any more.
        traced: Whether the text is a kernel that TVM scheduled (`compiler.traced`) and no text of ours.
        language: What the text is written in: our language, or plain C.
    """

    workload: Workload
    text: str
    inputs: tuple[InputChoice, ...]
    timing: TimingPlan | None = None
    attempt: str = ""
    text_hash: str | None = None
    reveal: bool = False
    traced: bool = False
    language: Language = "kernel"
