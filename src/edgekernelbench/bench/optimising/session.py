"""The course of an optimisation: time every function, search the worthwhile ones, prove the whole.

```text
model ─▶ import ─▶ time each function ─▶ search ─▶ final verdict ─▶ … ─▶ whole model against the original
```
Each arrow is stored. Killed at any moment, it loses the search that was going on and nothing else.
"""

import math
import secrets
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.bench.beside import reference_baselines
from edgekernelbench.bench.optimising.plan import next_part, shares
from edgekernelbench.bench.optimising.record import (
    KERNELS,
    MODEL,
    TRAJECTORIES,
    Optimisation,
    Part,
    store_optimisation,
)
from edgekernelbench.bench.optimising.wholes import default_kernels, prove_whole
from edgekernelbench.bench.release import release_name
from edgekernelbench.bench.searching import (
    NS_PER_SECOND,
    Optimised,
    Searcher,
    Terms,
    open_searcher,
    search_kernel,
)
from edgekernelbench.bench.verdicts import FINAL_RINGS
from edgekernelbench.evaluator.devices import find_device, open_judges
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.imports.measuring import measure
from edgekernelbench.imports.profiling import perfect_ns
from edgekernelbench.imports.record import load_model
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.metrics.speed import log_speedup, sure_log_speedup
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue
from edgekernelbench.workloads.schema import Workload

Tell = Callable[[str], None]
"""Is told how far it is, a line each."""


@dataclass(frozen=True, slots=True)
class Session:
    """One optimisation at work.

    Attributes:
        folder: Its folder.
        catalogue: The functions of the model as workloads.
        judges: Judges of the device.
        searcher: Who writes kernels.
        tell: Is told how far it is.
    """

    folder: Path
    catalogue: Catalogue
    judges: JudgePool
    searcher: Searcher
    tell: Tell

    def search(self, found: Optimisation, part: Part, seconds: float) -> Part:
        """Search for a faster text of one function, and keep it when the final verdict says that it is."""
        share = shares(found.parts)[part.name]
        self.tell(f"{part.name}: {share:.0%} of the time, searched for {seconds:.0f} s")
        begun = time.monotonic_ns()
        workload = self.catalogue.workload(part.workload)
        terms = Terms(Budget(), deadline_ns=begun + int(seconds * NS_PER_SECOND))
        best = search_kernel(self.searcher, workload.kernel(), workload, terms, self.judges)
        best.write(self.folder / TRAJECTORIES / f"{part.name}.jsonl")
        speedup, note = self._verdict(workload, best)
        if speedup > 1.0:
            (self.folder / KERNELS / f"{part.name}.kir").write_text(best.text, encoding="utf-8")
        spent = (time.monotonic_ns() - begun) / NS_PER_SECOND
        self.tell(f"{part.name}: {note}")
        return part.model_copy(
            update={
                "searched": True,
                "speedup": speedup,
                "spent_s": spent,
                "measured": best.submissions,
                "note": note,
            }
        )

    def _verdict(self, workload: Workload, best: Optimised) -> tuple[float, str]:
        """Judge the text of a search anew, on inputs that it has never seen, in fresh processes."""
        if best.speedup <= 1.0:
            return 1.0, "nothing faster than the default lowering was found"
        judgement = self._judge(workload, best.text, rings=FINAL_RINGS)
        outcome = judgement.outcome
        if not isinstance(outcome, Correct):
            return 1.0, f"the final verdict found the fastest text {outcome.kind}; the default lowering stays"
        ratio, sure = log_speedup(outcome.rings, "default"), sure_log_speedup(outcome.rings, "default")
        if ratio is None or sure is None or sure <= 0.0:
            return 1.0, "not surely faster than the default lowering, which stays"
        return math.exp(ratio), f"{math.exp(ratio):.2f} times as fast as the default lowering"

    def _judge(self, workload: Workload, text: str, *, rings: int) -> Judgement:
        inputs = choose_inputs(secrets.token_bytes(16), workload)
        return self.judges.judge(Submission(workload, text, inputs, TimingPlan(rings=rings)))


def timed_parts(folder: Path, device: str, tell: Tell) -> tuple[Part, ...]:
    """Time every function by the default lowering, which is the text that it has so far.

    Functions whose default lowering is not correct stay with TVM.

    Args:
        folder: The result folder.
        device: Profile, or `rpc:KEY`.
        tell: Is told how far it is.
    """
    model = measure(
        folder / MODEL,
        device,
        progress=lambda name, number, count: tell(f"timing {number + 1} of {count}: {name}"),
    )
    texts = default_kernels(model, load_catalogue((folder / MODEL).resolve()), find_device(device).profile)
    parts = []
    for function in model.functions:
        if function.workload is None or function.time_ns is None:
            tell(f"{function.name} stays with TVM: {function.reason or function.verdict}")
            continue
        path = folder / KERNELS / f"{function.name}.kir"
        path.write_text(print_kernel(texts[function.name]), encoding="utf-8")
        parts.append(
            Part(
                name=function.name,
                workload=function.workload,
                runs=function.runs,
                start_ns=function.time_ns,
                perfect_ns=perfect_ns(function),
            )
        )
    return tuple(parts)


def go_on(folder: Path, found: Optimisation, tell: Tell, endpoint: Endpoint | None = None) -> Optimisation:
    """Do what is left of an optimisation.

    Args:
        folder: Its folder, with the imported model in `model/`.
        found: Its record.
        tell: Is told how far it is.
        endpoint: Address and key of the model that `leka` asks; None for those of the environment.

    Returns:
        The record of what was found, which is also stored.

    Raises:
        PrerequisiteError: When the device, a compiler or a model is missing.
    """
    for name in (KERNELS, TRAJECTORIES):
        (folder / name).mkdir(exist_ok=True)
    store_optimisation(found, folder)
    if not found.parts:
        parts = timed_parts(folder, found.device, tell)
        found = found.model_copy(update={"parts": parts})
        store_optimisation(found, folder)
    model, catalogue = load_model(folder / MODEL), load_catalogue((folder / MODEL).resolve())
    beside = partial(reference_baselines, "R0", None, compiler="tvm")
    with ExitStack() as stack:
        judges = stack.enter_context(
            open_judges(found.device, "tvm", beside, release=release_name(), at_most=1)
        )
        searcher = open_searcher(found.model, judges.profile, stack, seed=found.seed, endpoint=endpoint)
        session = Session(folder, catalogue, judges, searcher, tell)
        profile = judges.profile
        while (chosen := next_part(found.parts, found.budget_s - found.spent_s)) is not None:
            part = session.search(found, *chosen)
            spent = found.spent_s + part.spent_s
            found = found.with_part(part).model_copy(update={"spent_s": spent})
            store_optimisation(found, folder)
            left = sum(not p.searched for p in found.parts)
            tell(f"{max(0.0, found.budget_s - spent):.0f} s left, {left} functions not searched")
    if found.whole is None:
        tell("the whole model, against the original")
        found = prove_whole(folder, model, found, profile)
        store_optimisation(found, folder)
    return found
