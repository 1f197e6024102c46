"""Our judge as a scorer of Inspect, with our scores as its metrics."""

import math
from collections.abc import Mapping
from functools import partial

from anyio import to_thread
from inspect_ai.scorer import Score, Scorer, Target, mean, scorer, stderr
from inspect_ai.solver import TaskState

from edgekernelbench.agents.extract import extract_kernel
from edgekernelbench.bench.feedback import BASELINE, feedback_of
from edgekernelbench.evals.bench import Place, bench_of
from edgekernelbench.metrics.measures import accepted, correct, fast
from edgekernelbench.metrics.population import Scored
from edgekernelbench.records.judgement import Judgement

FENCE = "~~~~~~"
"""Nobody writes so many."""

ANSWER = "ekb_answer"
"""Where the solver with doors leaves the best text that was measured."""

MEASURES = (
    accepted(),
    correct(),
    fast(1.0, baseline=BASELINE, sure=False),
    fast(1.0, baseline=BASELINE, sure=True),
)

SHARES = [mean(), stderr(cluster="pattern")]
"""Each workload weighs the same, whatever its epochs; workloads of one pattern are no independent samples."""


@scorer(metrics={measure.name: SHARES for measure in MEASURES})
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
        value={name: math.nan if share is None else float(share) for name, share in shares.items()},
        answer=text,
        explanation=f"{_block(text, 'python')}\n{_block(heard.text, 'text')}" if text else heard.text,
        metadata=_metadata(judgement),
    )


def _block(text: str, language: str) -> str:
    """Keep columns where they are: what explains a score is read as Markdown."""
    return f"{FENCE}{language}\n{text.rstrip()}\n{FENCE}\n"


def _metadata(judgement: Judgement) -> Mapping[str, object]:
    return {"judgement": judgement.model_dump(mode="json", by_alias=True)}
