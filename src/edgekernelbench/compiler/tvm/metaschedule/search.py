"""MetaSchedule's search spaces, sampled and mutated without a cost model.

The rules, mutators and postprocessors are TVM's own for LLVM. TVM's search (a population of 512 and a learned
model) took 131 s for 64 trials of a convolution and found a slower one than this took 28 s for; at equal
trials this is the stronger of the two, and a reference must not be weak.
"""

import json
import random
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import Any

import tvm
import tvm_ffi
from tvm import s_tir
from tvm.s_tir.schedule import Trace

from edgekernelbench.compiler.tvm.build import make_target
from edgekernelbench.compiler.tvm.metaschedule.expressions import OPAQUE
from edgekernelbench.compiler.tvm.metaschedule.program import MAIN, Whole, part_function
from edgekernelbench.compiler.tvm.metaschedule.replay import REFUSALS
from edgekernelbench.profiles.profile import Profile

BEST_KEPT = 6
"""So many of the fastest are mutated."""

SHARE_DRAWN = 0.5
"""Of the trials, this part is drawn from the spaces; the rest are mutations of the best."""

DRAWS = 200
"""So many draws are tried for a candidate that is legal and new."""

_INTRINSICS = "tvm.s_tir.tensor_intrin"
_LARGEST_SEED = 2**31 - 1


def load_scheduler() -> Any:
    """Import MetaSchedule, without the intrinsics of all machines that TVM knows: parsing them takes 26 s."""
    if _INTRINSICS not in sys.modules:
        sys.modules[_INTRINSICS] = module_from_spec(ModuleSpec(_INTRINSICS, None, is_package=True))
    from tvm.s_tir import meta_schedule  # noqa: PLC0415 - only after that

    return meta_schedule


@dataclass(slots=True)
class Search:
    """Candidates for one part, one after another.

    Attributes:
        spaces: How many search spaces TVM made.
        refused: Draws that TVM refused so far.
        repeated: Draws that had been proposed before.
    """

    module: Any
    context: Any
    traces: list[Any]
    random: random.Random
    trials: int
    refused: int = 0
    repeated: int = 0
    proposed: int = 0
    _seen: set[int] = field(default_factory=set)
    _last: Any = None
    _best: list[tuple[float, Any]] = field(default_factory=list)

    @property
    def spaces(self) -> int:
        """How many search spaces TVM made."""
        return len(self.traces)

    def propose(self) -> str | None:
        """Give the next candidate, as TVM writes a trace in JSON; None when no new one was found."""
        for trace in self._drawn():
            schedule = self._tried(trace)
            if schedule is None:
                self.refused += 1
                continue
            key = int(tvm_ffi.structural_hash(schedule.mod))
            if key in self._seen:
                self.repeated += 1
                continue
            self._seen.add(key)
            self._last = schedule.trace
            self.proposed += 1
            return json.dumps(plain_values(schedule.trace.as_json()), separators=(",", ":"))
        return None

    def learn(self, nanoseconds: float | None) -> None:
        """Take down what the last candidate took; None when it failed."""
        if nanoseconds is not None and self._last is not None:
            self._best = sorted([*self._best, (nanoseconds, self._last)], key=lambda b: b[0])[:BEST_KEPT]

    def _drawn(self) -> Iterator[Any]:
        for _ in range(DRAWS):
            if not self._best or self.proposed < self.trials * SHARE_DRAWN:
                yield Trace(self.random.choice(self.traces).insts, {})
                continue
            mutated = self._mutator().apply(self.random.choice(self._best)[1])
            if mutated is not None:
                yield mutated

    def _mutator(self) -> Any:
        chances = self.context.space_generator.mutator_probs
        mutators = list(chances.items())
        weights = [float(getattr(chance, "value", chance)) for _, chance in mutators]
        return self.random.choices([m for m, _ in mutators], weights)[0]

    def _tried(self, trace: Any) -> Any | None:
        """Apply a trace and TVM's postprocessors; None when one of them refuses."""
        seed = self.random.randint(1, _LARGEST_SEED)
        schedule = s_tir.Schedule(self.module, seed=seed, error_render_level="none")
        try:
            trace.apply_to_schedule(schedule, remove_postproc=True)
            schedule.enter_postproc()
            fits = all(post.apply(schedule) for post in self.context.space_generator.postprocs)
        except REFUSALS:
            return None
        return schedule if fits else None


def plain_values(node: Any) -> Any:
    """Turn TVM's containers and numbers into those of JSON."""
    if isinstance(node, str | int | float) or node is None:
        return node
    if hasattr(node, "value"):
        return node.value
    return [plain_values(each) for each in node]


def open_search(whole: Whole, stages: tuple[str, ...], profile: Profile, *, trials: int, seed: int) -> Search:
    """Have TVM make the search spaces of a part.

    Args:
        whole: The kernel.
        stages: The stages of the part.
        profile: The device.
        trials: How many candidates will be asked for.
        seed: Of all that is drawn here; TVM's mutators draw from their own.

    Raises:
        ValueError: When TVM has no space for it; so do other errors of TVM.
    """
    scheduler = load_scheduler()
    module = tvm.IRModule({MAIN: part_function(whole, stages)})
    target, _ = make_target(profile)
    context = scheduler.TuneContext(
        module, target=target, space_generator=_space(scheduler), num_threads=1, rand_state=1 + seed % 1000
    )
    traces = [space.trace for space in context.generate_design_space()]
    return Search(module, context, traces, random.Random(seed), trials)  # noqa: S311 - a search, no secret


def _space(scheduler: Any) -> Any:
    """TVM's default rules for LLVM, without intrinsics; programs of ours are not computed twice."""
    rule = scheduler.schedule_rule
    rules = [
        rule.ApplyCustomRule(),
        rule.InlineConstantScalars(),
        rule.AutoInline(
            into_producer=False,
            into_consumer=True,
            inline_const_tensor=True,
            disallow_if_then_else=True,
            require_injective=True,
            require_ordered=True,
            disallow_op=["tirx.exp", *OPAQUE],
        ),
        rule.AddRFactor(max_jobs_per_core=16, max_innermost_factor=64),
        rule.MultiLevelTiling(
            structure="SSRSRS",
            tile_binds=None,
            max_innermost_factor=64,
            vector_load_lens=None,
            reuse_read=None,
            reuse_write=rule.ReuseType(req="may", levels=[1, 2], scope="global"),
        ),
        rule.ParallelizeVectorizeUnroll(
            max_jobs_per_core=16,
            max_vectorize_extent=64,
            unroll_max_steps=[0, 16, 64, 512],
            unroll_explicit=True,
        ),
        rule.RandomComputeLocation(),
    ]
    return scheduler.space_generator.PostOrderApply(sch_rules=rules, postprocs="llvm", mutator_probs="llvm")
