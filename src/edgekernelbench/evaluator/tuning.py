"""TVM's MetaSchedule on a workload, with a builder and a runner of ours: a child a candidate.

```text
default lowering ─ where it fuses ─▶ parts ─ run plainly once ─▶ what goes between them
part ─▶ explorer (one child): propose ──▶ candidate (a child each): compile, run, compare ──▶ learn
```
TVM's own builder let every build of this project's machines time out. Whatever crashes or hangs here costs
one trial, and is counted.
"""

import shutil
import time
from collections import Counter
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

import numpy as np

from edgekernelbench.compiler.arrays import stored_type
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.evaluator.baselines import FindServer
from edgekernelbench.evaluator.device_lock import hold_device
from edgekernelbench.evaluator.environment import TUNER, part_of
from edgekernelbench.evaluator.hands import Hand, Hands
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.trial import last_words
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.cuts import Cuts, cut
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload

NS_PER_SECOND = 1_000_000_000
INPUTS = "inputs.npz"
TUNING_SEED = 20_260_102
"""Inputs on which candidates are tried; nothing is ever judged on them."""

PLAIN_S = 300.0
"""How long all parts together may take as TVM writes them: serial loops."""

PROPOSE_S = 60.0
COMPILE_S = 20.0
RUN_S = 10.0


@dataclass(frozen=True, slots=True)
class TunedPart:
    """What the search made of one part.

    Attributes:
        stages: Its stages.
        trace: The fastest schedule, as TVM writes it in JSON; empty when none was right.
        best_ns: What that takes by itself, in a warm cache; None when none was right.
        proposed: Candidates that were tried.
        right: How many were compiled and right.
        failed: Why the others were not, with their number.
        drawn: Draws that TVM refused, or that were proposed before; they cost no trial.
        seconds: Time of all, with the search.
    """

    stages: tuple[str, ...]
    trace: str
    best_ns: float | None
    proposed: int
    right: int
    failed: dict[str, int]
    drawn: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Tuned:
    """What tuning a workload came to.

    Attributes:
        traced: The kernel with its schedules; None when TVM cannot take it.
        parts: What the search made of each part.
        reason: Why there is no kernel; empty when there is one.
        seconds: Time of all.
    """

    traced: Traced | None
    parts: tuple[TunedPart, ...]
    reason: str
    seconds: float


def cut_workload(workload: Workload, profile: Profile) -> tuple[Traced, Cuts]:
    """Cut the canonical compute of a workload where the default lowering fuses; no traces yet."""
    kernel = workload.kernel()
    facts = verify_compute(kernel)
    cuts = cut(facts, default_lowering(facts, profile.target, profile).schedule_for(profile.target))
    return Traced(print_kernel(kernel), tuple(Part(p) for p in cuts.parts), cuts.prepared), cuts


class Tuner:
    """Tunes workloads on one device, one at a time."""

    def __init__(self, profile: Profile, find_server: FindServer, limits: Limits) -> None:
        """Make a tuner.

        Args:
            profile: The device, a CPU.
            find_server: Gives the fork server of a name.
            limits: What workers may use.
        """
        self._profile = profile
        self._find_server = find_server
        self._limits = limits

    def tune(self, workload: Workload, *, trials: int, seed: int) -> Tuned:
        """Tune a workload.

        Args:
            workload: Which.
            trials: Candidates of each part.
            seed: Of the search.

        Raises:
            ServerLost: When no worker can be started.
            PrerequisiteError: When TVM is missing.
        """
        start = time.monotonic()
        with Session(workload, self._profile, self._find_server(TUNER), self._limits) as session:
            if session.reason:
                return Tuned(None, (), session.reason, time.monotonic() - start)
            parts = [
                session.tune_part(number, trials=trials, seed=seed + number)
                for number in range(len(session.traced.parts))
            ]
            if not any(part.trace for part in parts):
                reason = f"no schedule was right: {_most(parts)}"
                return Tuned(None, tuple(parts), reason, time.monotonic() - start)
            made = tuple(Part(part.stages, part.trace) for part in parts)
            traced = replace(session.traced, parts=made)
            return Tuned(traced, tuple(parts), "", time.monotonic() - start)


class Session:
    """What tuning one workload needs: its parts, and a folder with what goes between them.

    Attributes:
        traced: The kernel, without traces.
        reason: Why TVM cannot take it; empty when it can.
    """

    def __init__(
        self, workload: Workload, profile: Profile, server: Hands, limits: Limits, *, lay: bool = True
    ) -> None:
        """Cut a workload.

        Args:
            workload: Which.
            profile: The device.
            server: Where workers come from.
            limits: What they may use.
            lay: Whether to run all parts plainly, without which `measure` has nothing to run on.

        Raises:
            ServerLost: When no worker can be started.
        """
        self._server = server
        self._limits = limits
        self._profile = profile
        self.traced, cuts = cut_workload(workload, profile)
        self._fields = {"traced": self.traced.to_json(), "profile": asdict(profile)}
        self._data = server.folder()
        self.reason = ""
        if cuts.ordered:
            self.reason = f"ordered: {cuts.ordered[0]} stands in a `for`, which MetaSchedule cannot schedule"
        elif not cuts.parts:
            self.reason = "empty: every stage hangs on weights alone"
        elif lay:
            self.reason = self._lay(workload)

    def _lay(self, workload: Workload) -> str:
        """Run all parts plainly; give why that failed, or nothing."""
        kernel = workload.kernel()
        pairs = zip(make_inputs(workload, TUNING_SEED), kernel.params, strict=True)
        arrays = {}
        for number, (array, param) in enumerate(pairs):
            kind = stored_type(param.dtype)
            arrays[f"p{number}"] = np.ascontiguousarray(array).view(f"V{kind.itemsize}")
        np.savez(self._data / INPUTS, allow_pickle=False, **arrays)
        request = {**self._fields, "data": str(self._data)}
        with self._worker("lay", request, PLAIN_S) as worker:
            ended = worker.wait()
            reply = worker.reply()
            if ended.timed_out:
                return f"slow: TVM's own loops took over {PLAIN_S:.0f} s"
            return "" if reply is not None and "plain_ns" in reply else f"refused: {_why(worker, reply)}"

    def _worker(self, role: str, request: dict[str, Any], seconds: float) -> Hand:
        folder = self._server.folder()
        limits = replace(self._limits, deadline_s=seconds, file_bytes=4 << 30)
        return self._server.start(role, request, folder=folder, limits=limits)

    def tune_part(self, number: int, *, trials: int, seed: int) -> TunedPart:
        """Look for a schedule of one part.

        Args:
            number: Which part.
            trials: Candidates.
            seed: Of the search.
        """
        start = time.monotonic()
        best: tuple[float, str] | None = None
        failed: Counter[str] = Counter()
        proposed = right = drawn = 0
        with self.explorer(number, trials=trials, seed=seed) as explorer:
            found: float | None = None
            while proposed < trials:
                proposal = explorer.propose(found, first=proposed == 0)
                if proposal is None:
                    failed[explorer.trouble] += 1
                    break
                proposed += 1
                found, why = self.measure(number, proposal, None if best is None else best[0])
                if found is None:
                    failed[why] += 1
                    continue
                right += 1
                if best is None or found < best[0]:
                    best = (found, proposal)
            drawn = explorer.drawn
        stages = self.traced.parts[number].stages
        best_ns, trace = (None, "") if best is None else best
        seconds = round(time.monotonic() - start, 2)
        return TunedPart(stages, trace, best_ns, proposed, right, dict(failed), drawn, seconds)

    def explorer(self, number: int, *, trials: int, seed: int) -> "Explorer":
        """Start the search of a part."""
        request = {**self._fields, "part": number, "trials": trials, "seed": seed}
        # Of the processor time that the deadline allows, a search of 32 trials takes a hundredth.
        return Explorer(self._worker("explore", request, 3600.0))

    def measure(self, number: int, trace: str, best_ns: float | None) -> tuple[float | None, str]:
        """Try one schedule of a part.

        Args:
            number: Which part.
            trace: The schedule.
            best_ns: What the fastest so far takes.

        Returns:
            Its duration, or None with a word for what went wrong.
        """
        request = {
            **self._fields,
            "part": number,
            "trace": trace,
            "data": str(self._data),
            "best_ns": best_ns,
            "run_s": RUN_S,
        }
        with self._worker("candidate", request, COMPILE_S) as worker:
            if worker.pass_token({"do": "report"}) is None:
                return None, _how(worker, "compile")
            worker.extend(3600.0)  # others may be at work on the device
            with hold_device(part_of(self._profile)):
                worker.extend(RUN_S + COMPILE_S)
                answer = worker.pass_token({"do": "measure"})
            if answer is None:
                return None, _how(worker, "run")
            found = answer.get("nanoseconds")
            return (float(found), "") if isinstance(found, int | float) else (None, "wrong")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        shutil.rmtree(self._data, ignore_errors=True)


class Explorer:
    """The child that holds the search of one part.

    Attributes:
        drawn: Draws that cost no trial: refused, or proposed before.
        trouble: Why it proposes nothing any more.
    """

    def __init__(self, worker: Hand) -> None:
        self._worker = worker
        self.drawn = 0
        self.trouble = ""

    def propose(self, found: float | None, *, first: bool) -> str | None:
        """Ask for the next candidate; None when there is none.

        Args:
            found: What the last one took; None when it failed.
            first: Whether there was no last one.
        """
        if self._worker.ended is not None:
            return None
        self._worker.extend(PROPOSE_S)
        answer = self._worker.pass_token({"do": "propose"} if first else {"do": "learn", "ns": found})
        if answer is None:
            reply = self._worker.reply()
            self.trouble = "search: " + (str(reply["refused"]) if reply and "refused" in reply else "crashed")
            return None
        self._worker.extend(3600.0)  # now candidates run, however long that takes
        self.drawn = int(answer["refused"]) + int(answer["repeated"])
        if answer["trace"] is None:
            self.trouble = "search: no new candidate" if answer["spaces"] else "search: no space"
            return None
        return str(answer["trace"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.close()


def _how(worker: Hand, phase: str) -> str:
    """Say in a word or two how a candidate failed."""
    if worker.ended is None:
        return f"{phase}: unreadable"
    if worker.ended.timed_out:
        return f"{phase}: timed out"
    reply = worker.reply()
    if reply is not None and "refused" in reply:
        return f"{phase}: refused"
    return f"{phase}: crashed"


def _why(worker: Hand, reply: dict[str, Any] | None) -> str:
    if reply is not None and "refused" in reply:
        return str(reply["refused"])
    return last_words(worker.stderr_tail()) or "the worker was lost"


def _most(parts: list[TunedPart]) -> str:
    found: Counter[str] = Counter()
    for part in parts:
        found.update(part.failed)
    return ", ".join(f"{kind} ({count})" for kind, count in found.most_common(3)) or "nothing was proposed"
