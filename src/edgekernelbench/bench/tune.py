"""Tuning a list of workloads with MetaSchedule: each is stored when it is done, and never done twice."""

import math
import secrets
import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

from edgekernelbench.base.errors import PrerequisiteError, RecordError
from edgekernelbench.bench.progress import Watcher
from edgekernelbench.bench.provenance import device_facts, package_versions
from edgekernelbench.bench.verdicts import FINAL_RINGS
from edgekernelbench.evaluator.baselines import Bench, DefaultBaseline
from edgekernelbench.evaluator.devices import Device
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.references import PlainBaseline, baseline_path, kernel_hash, read_tuned
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.tuning import Tuned, Tuner
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.metrics.speed import log_speedup, sure_log_speedup
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Ring, Unjudged
from edgekernelbench.records.store import Lines
from edgekernelbench.records.tuned import BesideRecord, PartRecord, TunedRecord
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.schema import Workload


@dataclass(frozen=True, slots=True)
class TunePlan:
    """How workloads are tuned.

    Attributes:
        trials: Candidates of each part.
        seed: Of the search.
        rings: Sets of fresh processes in which what was found is measured beside `default`.
        beside: Whether TVM out of the box and the vendor are measured, too, in one set.
    """

    trials: int = 32
    seed: int = 0
    rings: int = FINAL_RINGS
    beside: bool = False


def tune_workloads(
    folder: Path,
    profile: Profile,
    workloads: Sequence[Workload],
    plan: TunePlan,
    *,
    resume: bool,
    watcher: Watcher,
) -> dict[str, TunedRecord]:
    """Tune workloads and store what comes of each.

    Args:
        folder: Where the file of the profile is.
        profile: The device, a CPU.
        workloads: Which.
        plan: How.
        resume: Whether to go on with a file that is there: what it has is not done again, unless it was
            made with another number of trials or of another text.
        watcher: Is told of each workload.

    Returns:
        The records of these workloads, by id; all, also those made earlier.

    Raises:
        RecordError: When there is a file and nothing was said of going on, or it cannot be read.
        PrerequisiteError: When the profile is of no CPU, or something is missing.
    """
    if profile.target != "llvm":
        raise PrerequisiteError(
            f"tuning is for CPUs, {profile.name} is of {profile.target}", "count against R0 there"
        )
    path = baseline_path(folder, profile.name)
    if path.is_file() and not resume:
        raise RecordError(f"{path.name} is there already; go on with it (--resume), or name another folder")
    folder.mkdir(parents=True, exist_ok=True)
    known = read_tuned(path)
    done = {w.id for w in workloads if _is_done(known.get(w.id), w, plan)}
    watcher.begin("tuning", len(workloads), len(done))
    lines = Lines(path)
    with ExitStack() as stack:
        stack.callback(lines.close)
        bench = Bench(profile, "tvm")
        judge = stack.enter_context(Judge(profile))
        beside = None
        if plan.beside:
            others = (DefaultBaseline(bench), PlainBaseline(bench), VendorBaseline(profile))
            beside = stack.enter_context(Judge(profile, baselines=others))
        for workload in workloads:
            if workload.id in done:
                continue
            record = tune_workload(judge, beside, workload, plan)
            lines.append(record)
            known[workload.id] = record
            watcher.advance(record.choice if not record.reason else record.reason.partition(":")[0])
    return {w.id: known[w.id] for w in workloads}


def _is_done(record: TunedRecord | None, workload: Workload, plan: TunePlan) -> bool:
    return record is not None and record.trials == plan.trials and record.kernel == kernel_hash(workload)


def tune_workload(judge: Judge, beside: Judge | None, workload: Workload, plan: TunePlan) -> TunedRecord:
    """Tune one workload and measure what comes of it.

    Args:
        judge: Measures beside `default`.
        beside: Measures beside TVM out of the box and the vendor, too; None for neither.
        workload: Which.
        plan: How.

    Raises:
        ServerLost: When no worker can be started.
        PrerequisiteError: When TVM is missing.
    """
    start = time.monotonic()
    started = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    tuned = Tuner(judge.profile, judge.find_server, judge.limits).tune(
        workload, trials=plan.trials, seed=plan.seed
    )
    record = TunedRecord(
        workload=workload.id,
        kernel=kernel_hash(workload),
        trials=plan.trials,
        seed=plan.seed,
        choice="default",
        reason=tuned.reason,
        prepared=() if tuned.traced is None else tuned.traced.prepared,
        parts=_parts(tuned),
        seconds=0.0,
        versions=package_versions(),
        device=device_facts(Device(judge.profile.name, judge.profile)),
        started=started,
    )
    if tuned.traced is not None:
        record = _measured(record, _judged(judge, workload, tuned.traced.to_json(), plan.rings))
    if beside is not None:
        record = record.model_copy(update={"beside": _beside(beside, workload)})
    return record.model_copy(update={"seconds": round(time.monotonic() - start, 1)})


def _parts(tuned: Tuned) -> tuple[PartRecord, ...]:
    return tuple(
        PartRecord(
            stages=p.stages,
            trace=p.trace,
            best_ns=p.best_ns,
            trials=p.proposed,
            right=p.right,
            failed=p.failed,
            drawn=p.drawn,
            seconds=p.seconds,
        )
        for p in tuned.parts
    )


def _judged(judge: Judge, workload: Workload, text: str, rings: int, *, traced: bool = True) -> Judgement:
    inputs = choose_inputs(secrets.token_bytes(16), workload)
    return judge.judge(
        Submission(workload, text, inputs, TimingPlan(rings=rings), reveal=True, traced=traced)
    )


def _measured(record: TunedRecord, judgement: Judgement) -> TunedRecord:
    """Add what the judge found; R1 is `default` unless TVM's kernel is right and faster."""
    outcome = judgement.outcome
    if not isinstance(outcome, Correct):
        detail = " ".join(getattr(outcome, "detail", "").split())[:200]
        word = "unjudged" if isinstance(outcome, Unjudged) else outcome.kind
        return record.model_copy(update={"outcome": word, "reason": f"{word}: {detail}"})
    log, low = log_speedup(outcome.rings, "default"), sure_log_speedup(outcome.rings, "default")
    ratio = None if log is None else math.exp(log)
    faster = ratio is not None and ratio > 1.0
    return record.model_copy(
        update={
            "outcome": outcome.kind,
            "rings": len(outcome.rings),
            "default_ns": _median(outcome.rings, "default"),
            "tuned_ns": median(ring.kernel.per_run for ring in outcome.rings),
            "ratio": ratio,
            "sure_ratio": None if low is None else math.exp(low),
            "choice": "metaschedule" if faster else "default",
            "reason": "" if faster else "slower: the default lowering is at least as fast",
        }
    )


def _beside(judge: Judge, workload: Workload) -> BesideRecord | None:
    """Measure what stands beside the default lowering, which is itself the kernel here."""
    facts, profile = verify_compute(workload.kernel()), judge.profile
    text = print_kernel(default_lowering(facts, profile.target, profile))
    judgement = _judged(judge, workload, text, 1, traced=False)
    if not isinstance(judgement.outcome, Correct):
        return None
    rings = judgement.outcome.rings
    default = _median(rings, "default")
    if default is None:
        return None
    return BesideRecord(
        default_ns=default,
        plain_ns=_median(rings, "plain"),
        vendor_ns=_median(rings, "vendor"),
        vendor=None if judgement.vendor is None else judgement.vendor.name,
    )


def _median(rings: Sequence[Ring], name: str) -> float | None:
    found = [s.per_run for ring in rings for s in ring.baselines if s.name == name]
    return median(found) if found else None
