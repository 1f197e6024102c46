"""How long each function of an imported model takes on a device, and how long it must take at least."""

import json
import secrets
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from edgekernelbench.base.errors import EkbError
from edgekernelbench.evaluator.bounds import bound_of, needs_of
from edgekernelbench.evaluator.devices import open_judges
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.roofline import measure_peaks
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.imports.record import Function, ImportedModel, Needed, load_model, store_model
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.peaks import Peaks, load_peaks
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Ring, Unjudged
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

Progress = Callable[[str, int, int], None]
"""Is told of each function before it is measured: its name, its number, how many there are."""

LEFT_DEADLINE_S = 300.0


def measure(
    folder: Path,
    device: str,
    *,
    compiler: str = "tvm",
    roofline: bool = True,
    progress: Progress | None = None,
) -> ImportedModel:
    """Judge and time the default lowering of every raised function; time what stays with TVM.

    Args:
        folder: What `ekb import` wrote.
        device: A profile, or a board.
        compiler: Name of the compiler.
        roofline: Whether to say what each function needs, too; peaks are measured where none are kept.
        progress: Is told how far it is; None for silence.

    Returns:
        The model with times, shares, verdicts and needs, which its file has from now on.

    Raises:
        RecordError: When the folder has no model.
        PrerequisiteError: When there is no such device.
    """
    model = load_model(folder)
    catalogue = load_catalogue(folder.resolve())
    functions: list[Function] = []
    with open_judges(device, compiler, lambda _: (), at_most=1) as judging:
        profile = judging.profile
        peaks = _peaks(profile, compiler) if roofline and _is_here(device) else None
        for number, function in enumerate(model.functions):
            if progress is not None:
                progress(function.name, number, len(model.functions))
            if function.workload is None:
                functions.append(function)
            else:
                workload = catalogue.workload(function.workload)
                functions.append(_measured(function, workload, judging, peaks))
    left = _time_left(folder, functions, profile) if profile.target == "llvm" and _is_here(device) else {}
    functions = [f.model_copy(update={"time_ns": left[f.name]}) if f.name in left else f for f in functions]
    model = model.model_copy(update={"device": device, "functions": with_shares(functions)})
    store_model(model, folder)
    return model


def with_shares(functions: Sequence[Function]) -> tuple[Function, ...]:
    """Say how much of the time of all functions each takes; one without a time has no share."""
    total = sum(f.runs * f.time_ns for f in functions if f.time_ns is not None)
    return tuple(
        f.model_copy(update={"share": None if f.time_ns is None or not total else f.runs * f.time_ns / total})
        for f in functions
    )


def _peaks(profile: Profile, compiler: str) -> Peaks:
    return load_peaks(profile) or measure_peaks(profile, compiler=compiler)


def _is_here(device: str) -> bool:
    return not device.startswith("rpc:")


def _measured(function: Function, workload: Workload, judging: JudgePool, peaks: Peaks | None) -> Function:
    profile = judging.profile
    try:
        text = print_kernel(default_lowering(verify_compute(workload.kernel()), profile.target, profile))
    except EkbError as error:
        return function.model_copy(update={"verdict": f"not lowered: {str(error).splitlines()[0]}"})
    judgement = judging.judge(
        Submission(
            workload=workload,
            text=text,
            inputs=choose_inputs(secrets.token_bytes(16), workload),
            timing=TimingPlan(),
            attempt=f"import/{workload.id}/0",
        )
    )
    return function.model_copy(update=_facts(workload, judgement, profile, peaks))


def _facts(
    workload: Workload, judgement: Judgement, profile: Profile, peaks: Peaks | None
) -> dict[str, object]:
    match judgement.outcome:
        case Correct(rings=(ring, *_)):
            return {
                "verdict": "correct",
                "time_ns": ring.kernel.per_run,
                "needs": None if peaks is None else _needed(workload, judgement, ring, profile, peaks),
            }
        case Unjudged(cause=cause, detail=detail):
            return {"verdict": f"unjudged: {cause}: {detail}"}
        case outcome:
            return {"verdict": outcome.kind}


def _needed(workload: Workload, judgement: Judgement, ring: Ring, profile: Profile, peaks: Peaks) -> Needed:
    needs = needs_of(workload, profile)
    bound = bound_of(needs, peaks, profile, ring)
    return Needed(
        operations=needs.operations,
        moved_bytes=needs.moved_bytes,
        memory_ns=bound.memory_ns,
        compute_ns=bound.compute_ns,
        launch_ns=bound.launch_ns,
        workspace_bytes=sum(judgement.cost.workspace_bytes.values()) if judgement.cost else 0,
    )


def _time_left(folder: Path, functions: Sequence[Function], profile: Profile) -> dict[str, float]:
    """Time what stays with TVM, as TVM compiles it by itself, in a process of its own."""
    if all(f.workload is not None for f in functions):
        return {}
    command = [sys.executable, "-m", "edgekernelbench.imports.leftovers", str(folder)]
    done = subprocess.run(  # noqa: S603 - ourselves
        command,
        env=worker_environment(profile.threads),
        capture_output=True,
        timeout=LEFT_DEADLINE_S,
        check=False,
    )
    times: dict[str, float] = json.loads(done.stdout) if done.returncode == 0 else {}
    return times
