"""The meaning of a compute layer: its values, at full size, in NumPy.

This is the oracle of the judge. It shares no code with any compiler.
"""

from collections.abc import Mapping
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import Precision, storage_type
from edgekernelbench.interp.closures import Environment
from edgekernelbench.interp.frame import Run
from edgekernelbench.interp.groups import stages_in, taken_apart, tensors_read
from edgekernelbench.interp.memory import Array, Memory
from edgekernelbench.interp.stages import stage_run
from edgekernelbench.interp.wavefront import LINE, Slant, room, slant_of, slanted, straightened, target_name
from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage, Table
from edgekernelbench.verify.facts import Facts

BLOCK = 2**17
"""Positions evaluated at once: a megabyte of float64, so that temporaries stay in the cache."""


def evaluate(
    facts: Facts,
    inputs: Mapping[str, NDArray[Any]],
    precision: Precision = "reference",
    *,
    block: int = BLOCK,
) -> tuple[NDArray[Any], ...]:
    """Compute the outputs of a kernel.

    Args:
        facts: A verified kernel; its schedules and memories do not matter.
        inputs: One array a parameter in the declared type, shape `()` for a scalar; `i4` and `u4` are held
            in `int8` and `uint8`, one element each.
        precision: `reference`: floats are float64 throughout and sums are in any order. `declared`: each
            operation is rounded to its declared type and sums are serial in the order of the text.
        block: Positions evaluated at once, about; results in `declared` do not depend on it.

    Returns:
        The outputs, in order: integers in their type, floats as float64 or in their type.

    Raises:
        InternalError: When the kernel reads out of range, which a verified one cannot.
    """
    memory = Memory(precision, block)
    compute = facts.kernel.compute
    for param in facts.kernel.params:
        memory.fill(param, inputs[param.name])
    with np.errstate(all="ignore"):
        last = _last_reads(compute)
        for number, item in enumerate(compute.items):
            _compute(item, memory)
            memory.drop(name for name, place in last.items() if place == number)
    return tuple(memory.array(name) for name in compute.outputs)


def _last_reads(compute: Compute) -> dict[str, int]:
    """Say after which item a tensor is read no more; outputs are kept."""
    last: dict[str, int] = {}
    for number, item in enumerate(compute.items):
        for stage in stages_in(item):
            last.update(dict.fromkeys(tensors_read(stage), number))
    return {name: number for name, number in last.items() if name not in compute.outputs}


def _compute(item: Item, memory: Memory) -> None:
    for part in taken_apart(item) if isinstance(item, Ordered) else (item,):
        _compute_part(part, memory)


def _compute_part(item: Item, memory: Memory) -> None:
    slant = slant_of(item) if isinstance(item, Ordered) else None
    if slant is not None:
        _compute_lines({stage.name: stage for stage in stages_in(item)}, slant, memory)
        return
    stages = _declared(item, memory, growing=isinstance(item, Ordered))
    run = _item_run(item, {}, memory)
    run([0] * memory.slots)
    memory.finish(stages)


def _compute_lines(stages: Mapping[str, Stage], slant: Slant, memory: Memory) -> None:
    filled: dict[str, Array] = {}
    for stage in stages.values():
        whole, filled[stage.name] = room(stage, slant, storage_type(stage.dtype, memory.precision))
        memory.lend(stage.name, stage.dtype, whole)
        memory.lend(target_name(stage), stage.dtype, filled[stage.name])
    slots = memory.new_slots((LINE,))
    runs = tuple(
        stage_run(slanted(stage, stages, slant), slots, memory, guarded=True) for stage in stages.values()
    )
    _steps(slots[LINE], slant.lines, runs)([0] * memory.slots)
    memory.drop(target_name(stage) for stage in stages.values())
    for stage in stages.values():
        memory.put(stage, straightened(stage, slant, filled[stage.name]))


def _declared(item: Item, memory: Memory, *, growing: bool) -> dict[str, Stage]:
    match item:
        case Stage():
            memory.declare(item, growing=growing)
            return {item.name: item}
        case Table():
            memory.fill(item, np.array(item.values).reshape(item.shape))
            return {}
        case Ordered(items=items):
            found: dict[str, Stage] = {}
            for inner in items:
                found.update(_declared(inner, memory, growing=growing))
            return found
        case _:
            assert_never(item)


def _item_run(item: Item, outer: Mapping[str, int], memory: Memory) -> Run:
    match item:
        case Stage():
            return stage_run(item, outer, memory)
        case Table():
            return _nothing
        case Ordered(axis=axis, size=size, items=items):
            if axis in outer:
                raise InternalError(f"expected a new axis, found for {axis} inside itself")
            slots = memory.new_slots((axis,))
            runs = tuple(_item_run(inner, {**outer, **slots}, memory) for inner in items)
            return _steps(slots[axis], size, runs)
        case _:
            assert_never(item)


def _nothing(env: Environment) -> None:
    del env


def _steps(slot: int, size: int, runs: tuple[Run, ...]) -> Run:
    def steps(env: Environment) -> None:
        for step in range(size):
            env[slot] = step
            for run in runs:
                run(env)

    return steps
