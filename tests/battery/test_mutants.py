"""Mutants: one mistake each, of the same signature."""

import pytest

from edgekernelbench.battery.mutants import mutants
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

TEXT = """
def blur(x: f32[9], w: const[f32[3]]):
    with compute:
        pad[i]: f32[11] = x[i - 1] if 1 <= i < 10 else 0.5
        out[i]: f32[9] = sum(pad[i + k] * w[k] for k in range(3))
        return out
"""


def changes(text: str) -> list[tuple[str, str]]:
    return [(m.stage, m.change) for m in mutants(parse(text))]


def test_ranges_lose_their_ends() -> None:
    assert ("out", "the last k left out") in changes(TEXT)
    assert ("out", "the first k left out") in changes(TEXT)


def test_padding_operators_terms_and_reductions_change() -> None:
    found = changes(TEXT)
    assert ("pad", "0.5 becomes 0.25") in found
    assert ("pad", "1 <= i < 10 becomes 1 < i < 10") in found
    assert ("pad", "10 becomes 9") in found
    assert ("out", "pad[i + k] * w[k] becomes pad[i + k]") in found
    assert ("out", "i + k becomes i") in found
    assert ("out", "sum becomes max") in found


def test_a_stage_that_has_the_shape_of_what_it_reads_is_left_out() -> None:
    text = TEXT.replace("return out", "twice[i]: f32[9] = out[i] * 2.0\n        return twice")
    assert ("twice", "left out, a copy of out") in changes(text)


def test_a_limit_is_halved_and_not_moved_by_one() -> None:
    text = TEXT.replace("return out", "small[i]: f32[9] = clamp(out[i], 0.0, 6.0)\n        return small")
    found = [change for stage, change in changes(text) if stage == "small"]
    assert "clamp(out[i], 0.0, 6.0) becomes clamp(out[i], 0.0, 3.0)" in found
    assert "6.0 becomes 3.0" not in found


@pytest.mark.parametrize("workload", load_catalogue().select(suite="quick"), ids=lambda w: w.id)
def test_every_mutant_is_another_kernel_of_the_same_signature(workload: Workload) -> None:
    kernel = workload.twin().kernel()
    found = list(mutants(kernel))
    assert len(found) > 4
    for mutant in found:
        assert mutant.kernel != kernel
        assert mutant.kernel.params == kernel.params
        assert mutant.kernel.compute.outputs == kernel.compute.outputs
        assert print_kernel(mutant.kernel)
