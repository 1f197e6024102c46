"""The thirty texts: on every target, scheduled and bare, a nest computes what the compute layer says."""

import pytest
from _pytest.mark.structures import ParameterSet
from tests.interp.texts import SMALL, facts_of
from tests.nest.running import CASES, TARGETS, assert_right, bare, nest_of, text_at

from edgekernelbench.base.errors import SourceError

SCHEDULED = [
    (name, size, target)
    for name, size in CASES
    for target in TARGETS
    if text_at(name, size).kernel.schedule_for(target).directives
    or text_at(name, size).kernel.memory_for(target).directives
]
SLOW = [("matmul_tensorcore", "tails")]
"""Hundreds of threads, each of which is run in turn."""

REFUSED = {
    ("matmul", "small", "cuda"): {"L06"},
    ("matmul_tensorcore", "small", "cuda"): {"L06", "S29"},
}
"""Sizes that the vectors and instructions of a text do not divide."""


def marked(case: tuple[str, str, str]) -> ParameterSet:
    marks = [pytest.mark.slow] if case[:2] in SLOW else []
    return pytest.param(*case, id="-".join(case), marks=marks)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SMALL)
def test_a_text_without_schedule_computes_its_values(name: str, target: str) -> None:
    facts = bare(text_at(name, "small"))
    assert_right(facts, nest_of(facts, target))


@pytest.mark.parametrize(("name", "size", "target"), [marked(case) for case in SCHEDULED])
def test_a_scheduled_text_computes_its_values(name: str, size: str, target: str) -> None:
    facts = text_at(name, size)
    if (name, size, target) in REFUSED:
        with pytest.raises(SourceError) as caught:
            nest_of(facts, target)
        assert {d.code for d in caught.value.diagnostics} == REFUSED[name, size, target]
        return
    assert_right(facts, nest_of(facts, target))


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", sorted({name for name, _ in CASES if name != "conv2d"}))
def test_a_text_fits_its_devices_at_full_size(name: str, target: str) -> None:
    facts = facts_of(name, full=True)
    assert nest_of(facts, target).body
