"""Leaving out any directive or layer gives a right kernel or a coded refusal; order does not matter."""

import random
from collections.abc import Iterator
from dataclasses import replace

import pytest
from tests.interp.texts import SMALL
from tests.nest.running import TARGETS, assert_right, text_at, try_nest

from edgekernelbench.base.codes import CODES
from edgekernelbench.ir.memory import Memory, MemoryDirective
from edgekernelbench.ir.schedule import Schedule, ScheduleDirective
from edgekernelbench.verify.facts import Facts

USED_TOO_EARLY = {"S02", "S04", "M01", "M05"}
SEED = 7


def scheduled() -> Iterator[tuple[str, str]]:
    """List the texts with the targets that they have layers for; cuda only where opencl has none."""
    for name in SMALL:
        kernel = text_at(name, sizes_of(name)).kernel
        own = [t for t in TARGETS if kernel.schedule_for(t).directives or kernel.memory_for(t).directives]
        for target in own:
            if target != "cuda" or "opencl" not in own:
                yield name, target


def sizes_of(name: str) -> str:
    """Choose sizes that the vectors of a text divide, and few enough positions."""
    return "tails" if name in ("matmul", "histogram") else "small"


def with_layers(
    facts: Facts, target: str, schedule: list[ScheduleDirective], memory: list[MemoryDirective]
) -> Facts:
    """Give a kernel one schedule and one memory block."""
    blocks = (Schedule((target,), tuple(schedule)),), (Memory((target,), tuple(memory)),)
    return replace(facts, kernel=replace(facts.kernel, schedules=blocks[0], memories=blocks[1]))


def variants(facts: Facts, target: str) -> Iterator[tuple[str, Facts]]:
    """Leave out each directive, the whole schedule, the whole memory block."""
    schedule = list(facts.kernel.schedule_for(target).directives)
    memory = list(facts.kernel.memory_for(target).directives)
    yield "no schedule", with_layers(facts, target, [], memory)
    yield "no memory", with_layers(facts, target, schedule, [])
    for place, left_out in enumerate(schedule):
        rest = schedule[:place] + schedule[place + 1 :]
        yield f"without {left_out}", with_layers(facts, target, rest, memory)
    for place, left in enumerate(memory):
        yield f"without {left}", with_layers(facts, target, schedule, memory[:place] + memory[place + 1 :])


@pytest.mark.slow
@pytest.mark.parametrize(("name", "target"), list(scheduled()), ids=lambda value: value)
def test_what_is_left_out_changes_no_value(name: str, target: str) -> None:
    for label, facts in variants(text_at(name, sizes_of(name)), target):
        nest, codes = try_nest(facts, target)
        if nest is None:
            assert codes, label
            assert codes <= CODES.keys(), label
            continue
        try:
            assert_right(facts, nest)
        except AssertionError as error:
            raise AssertionError(label) from error


@pytest.mark.parametrize(("name", "target"), list(scheduled()), ids=lambda value: value)
def test_the_order_of_directives_changes_nothing(name: str, target: str) -> None:
    facts = text_at(name, sizes_of(name))
    whole, _ = try_nest(facts, target)
    if whole is None:
        assert name == "matmul_tensorcore"
        return
    rng = random.Random(SEED)  # noqa: S311 - no secret
    for _ in range(12):
        schedule = list(facts.kernel.schedule_for(target).directives)
        memory = list(facts.kernel.memory_for(target).directives)
        rng.shuffle(schedule)
        rng.shuffle(memory)
        shuffled, codes = try_nest(with_layers(facts, target, schedule, memory), target)
        assert shuffled == whole if shuffled is not None else codes & USED_TOO_EARLY
