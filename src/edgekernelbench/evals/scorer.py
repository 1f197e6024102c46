"""Our judge as a scorer of Inspect, with our scores as its metrics."""

import math
from collections.abc import Mapping
from functools import partial
from statistics import fmean

from anyio import to_thread
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer, stderr
from inspect_ai.solver import TaskState

from edgekernelbench.agents.extract import extract_kernel
from edgekernelbench.bench.feedback import BASELINE, feedback_of
from edgekernelbench.evals.bench import Place, bench_of
from edgekernelbench.metrics.measures import accepted, correct, fast
from edgekernelbench.metrics.population import Scored
from edgekernelbench.metrics.speed import log_speedup
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct

ANSWER = "ekb_answer"
"""Where the solver with doors leaves the best text that was measured."""

MEASURES = (
    accepted(),
    correct(),
    fast(1.0, baseline=BASELINE, sure=False),
    fast(1.0, baseline=BASELINE, sure=True),
)
SPEEDUP = "speedup"


@metric
def geometric_mean() -> Metric:
    """Give the geometric mean of the speedups of correct kernels: no score, only what was correct has one."""

    def of(scores: list[SampleScore]) -> float:
        values = [score.score.as_float() for score in scores]
        known = [value for value in values if value > 0]
        return math.exp(fmean(math.log(value) for value in known)) if known else math.nan

    return of


SHARES = [mean(), stderr(cluster="pattern")]
"""Each workload weighs the same, whatever its epochs; workloads of one pattern are no independent samples."""


@scorer(metrics={**{measure.name: SHARES for measure in MEASURES}, SPEEDUP: [geometric_mean()]})
def judged(
    device: str = "llvm", compiler: str = "tvm", timing: str = "one-child", catalogue: str | None = None
) -> Scorer:
    """Judge the kernel of each answer, as `ekb run` does.

    Args:
        device: A profile, or `rpc:KEY` for boards.
        compiler: Name of the compiler.
        timing: `none`, `one-child` or `final`.
        catalogue: A folder, or the name of an entry point; None for the catalogue of the product.
    """
    bench = bench_of(Place(device, compiler, timing, catalogue))

    async def score(state: TaskState, target: Target) -> Score:
        del target  # what is right is computed, not written down
        text = str(state.store.get(ANSWER, "")) or extract_kernel(state.output.completion) or ""
        name = str(state.sample_id)
        attempt = f"inspect/{name}/{state.epoch}"
        judgement = await to_thread.run_sync(partial(bench.verdict, name, text, attempt))
        return score_of(judgement, text, bench.workload(name).pattern.id)

    return score


def score_of(judgement: Judgement, text: str, pattern: str) -> Score:
    """Give a judgement as Inspect has scores.

    Args:
        judgement: The judgement.
        text: The kernel.
        pattern: Id of the workload's pattern.

    Raises:
        NothingLearnt: When there is no outcome: the sample is an error then, and can be tried again.
    """
    heard = feedback_of(judgement, text, public=False)
    one = [Scored("inspect", judgement.workload, pattern, 0, judgement.outcome)]
    shares = {measure.name: measure.score(one) for measure in MEASURES}
    return Score(
        # NaN is Inspect's word for "not known": without times, nothing is said of speed.
        value={
            **{k: math.nan if v is None else float(v) for k, v in shares.items()},
            SPEEDUP: _speedup(judgement),
        },
        answer=text,
        explanation=heard.text,
        metadata=_metadata(judgement),
    )


def _speedup(judgement: Judgement) -> float:
    outcome = judgement.outcome
    log = log_speedup(outcome.rings, BASELINE) if isinstance(outcome, Correct) else None
    return math.nan if log is None else math.exp(log)


def _metadata(judgement: Judgement) -> Mapping[str, object]:
    return {"judgement": judgement.model_dump(mode="json", by_alias=True)}
