"""What a kernel that leaves the house takes with it: the judge's word, and its time."""

import math
import secrets
from functools import partial

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.beside import reference_baselines
from edgekernelbench.bench.own import own_workload
from edgekernelbench.bench.release import release_name
from edgekernelbench.evaluator.devices import open_judges
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.metrics.speed import log_speedup
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct


def measure_kernel(kernel: Kernel, profile: Profile) -> dict[str, int | float | str]:
    """Judge a kernel against its own compute layer, on the device, and say what came of it.

    Args:
        kernel: The kernel.
        profile: The device, which is here.

    Returns:
        `device`, `threads`, `time_ns` (median of a run), `times_default` (how many times as fast as the
        default lowering).

    Raises:
        RecordError: When the judge does not find it correct.
        PrerequisiteError: When the device, or what compiles for it, is missing.
    """
    workload = own_workload(kernel)
    submission = Submission(
        workload=workload,
        text=print_kernel(kernel),
        inputs=choose_inputs(secrets.token_bytes(16), workload),
        timing=TimingPlan(),
    )
    beside = partial(reference_baselines, "R0", None, compiler="tvm")
    with open_judges(profile.name, "tvm", beside, release=release_name(), at_most=1) as judges:
        return measurement(judges.judge(submission), kernel.name)


def measurement(judgement: Judgement, name: str) -> dict[str, int | float | str]:
    """Say what a judgement measured, as an exported folder records it.

    Raises:
        RecordError: When the kernel was not found correct, or was not timed.
    """
    outcome = judgement.outcome
    if not isinstance(outcome, Correct) or not outcome.rings:
        raise RecordError(f"expected the judge to find {name} correct and to time it, found {outcome.kind}")
    series, log = outcome.rings[0].kernel, log_speedup(outcome.rings, "default")
    found: dict[str, int | float | str] = {
        "device": judgement.device,
        "threads": series.threads,
        "time_ns": round(series.per_run, 1),
    }
    return found if log is None else found | {"times_default": round(math.exp(log), 3)}
