"""Legitimate rewrites are correct: all on small twins, a few in the judge, and all of them at full size."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.battery.honest import evaluate_rewrite, honest_pairs, judge_rewrite
from edgekernelbench.battery.rewrites import Rewrite, load_rewrites
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.signature import verify_arithmetic, verify_signature, verify_sums
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

CATALOGUE = load_catalogue()
PAIRS = list(honest_pairs(CATALOGUE, CATALOGUE.workloads))
REWRITES = load_rewrites()

THROUGH_THE_JUDGE = (
    "norm/softmax/online",
    "attention/decode_attention/split",
    "linear/matmul_q15/exact_doubles",
    "signal/biquad_cascade/transposed",
)
"""One of each kind of type and structure: a twin of each is compiled and judged in CI."""


def test_there_are_at_least_sixty_over_all_domains_levels_and_types() -> None:
    assert len(REWRITES) >= 60
    reached = [workload for _, workload in PAIRS]
    assert {w.domain for w in reached} == {w.domain for w in CATALOGUE.workloads}
    assert {w.level for w in reached} == {w.level for w in CATALOGUE.workloads}
    assert {w.dtype for w in reached} == {w.dtype for w in CATALOGUE.workloads}


@pytest.mark.parametrize("rewrite", REWRITES, ids=lambda r: r.id)
def test_a_rewrite_is_right_on_a_small_twin(rewrite: Rewrite) -> None:
    """Another text of the same signature and arithmetic, which says what it does otherwise, and is right."""
    workload = rewrite.workloads(CATALOGUE)[0].twin()
    kernel, canonical = rewrite.kernel(workload), workload.kernel()
    facts, own = verify_compute(kernel), verify_compute(canonical)
    assert kernel.compute != canonical.compute
    assert verify_signature(kernel, canonical) == ()
    assert verify_arithmetic(facts.kernel, own.kernel, workload.accumulate) == ()
    assert verify_sums(facts, own, workload.accumulate) == ()
    assert rewrite.technique.endswith(".")
    judged = evaluate_rewrite(rewrite, workload)
    assert not judged.is_refused, judged.detail


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(load_profile("llvm"), compiler="c") as judge:
        yield judge


@pytest.mark.parametrize("name", THROUGH_THE_JUDGE)
def test_a_rewrite_is_lowered_compiled_and_judged_correct(judge: Judge, name: str) -> None:
    rewrite = next(r for r in REWRITES if r.id == name)
    judged = judge_rewrite(judge, rewrite, rewrite.workloads(CATALOGUE)[0].twin())
    assert judged.outcome == "correct", judged.detail
    assert judged.elementwise is not None


def test_a_rewrite_with_a_mistake_is_refused(judge: Judge) -> None:
    """The battery is no rubber stamp: the fade of earlier blocks is forgotten."""
    rewrite = next(r for r in REWRITES if r.id == "norm/softmax/online")
    wrong = replace(rewrite, text=rewrite.text.replace(" * exp(top[i, t - 1] - top[i, t])", ""))
    workload = CATALOGUE.workload("norm/softmax@r591-n197-f32")
    assert wrong.text != rewrite.text
    assert evaluate_rewrite(wrong, workload).outcome == "wrong values"
    assert judge_rewrite(judge, wrong, workload).outcome == "wrong values"


def test_a_rewrite_of_nothing_is_an_error() -> None:
    with pytest.raises(CatalogueError, match="expected a pattern or workload, found norm/hardmax"):
        Rewrite("norm/hardmax", "online", "").workloads(CATALOGUE)


@pytest.fixture(scope="module")
def tvm_judge() -> Iterator[Judge]:
    with Judge(load_profile("llvm")) as judge:
        yield judge


@pytest.mark.full_size
@pytest.mark.parametrize(("rewrite", "workload"), PAIRS, ids=lambda part: str(part.id))
def test_a_rewrite_is_correct_at_full_size(tvm_judge: Judge, rewrite: Rewrite, workload: Workload) -> None:
    judged = judge_rewrite(tvm_judge, rewrite, workload)
    assert judged.outcome == "correct", judged.detail
