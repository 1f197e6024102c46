"""A slow, literal evaluator of compute: one element after another, every index checked.

It follows parts A3 to A5 of the language word by word and shares nothing with `evaluate` but the meaning of
single operations, so that tests can hold the two against each other at tiny sizes.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any, assert_never

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import InternalError
from edgekernelbench.interp.arithmetic import (
    Precision,
    Value,
    combiner,
    identity,
    storage_type,
)
from edgekernelbench.interp.closures import Closure, Environment, Scope, build_closure, typed
from edgekernelbench.ir.compute import Item, Ordered, Param, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Read, Reduction
from edgekernelbench.verify.facts import Facts


@dataclass(slots=True)
class _Tensor:
    """A tensor while it is computed; what was not computed yet holds `None`."""

    name: str
    dtype: DType
    shape: tuple[int, ...]
    items: list[Value] = field(default_factory=list)

    def place(self, indices: tuple[int, ...]) -> int:
        """Find an element.

        Raises:
            InternalError: When an index is out of range.
        """
        where = 0
        for index, size in zip(indices, self.shape, strict=True):
            if not 0 <= index < size:
                raise InternalError(
                    f"expected an index inside {self.name}{list(self.shape)}, found {indices}"
                )
            where = where * size + index
        return where


def evaluate_scalar(
    facts: Facts, inputs: Mapping[str, NDArray[Any]], precision: Precision = "reference"
) -> tuple[NDArray[Any], ...]:
    """Compute the outputs of a kernel element by element.

    Args:
        facts: A verified kernel.
        inputs: One array a parameter, as for `evaluate`.
        precision: How floats are held.

    Returns:
        The outputs, in order.

    Raises:
        InternalError: When a read is out of range or comes before its element is computed, which a
            verified kernel cannot do.
    """
    run = _Run(precision)
    for param in facts.kernel.params:
        run.fill(param, inputs[param.name])
    with np.errstate(all="ignore"):
        for item in facts.kernel.compute.items:
            run.declare(item)
            run.item(item)([0] * 256)
    return tuple(run.array(name) for name in facts.kernel.compute.outputs)


class _Run:
    def __init__(self, precision: Precision) -> None:
        self._precision: Precision = precision
        self._tensors: dict[str, _Tensor] = {}

    def fill(self, tensor: Param | Table, array: NDArray[Any]) -> None:
        held = array.astype(storage_type(tensor.dtype, self._precision)).reshape(-1)
        items = list(held) if tensor.dtype.is_float else held.tolist()
        self._tensors[tensor.name] = _Tensor(tensor.name, tensor.dtype, tensor.shape, items)

    def array(self, name: str) -> NDArray[Any]:
        tensor = self._tensors[name]
        dtype = storage_type(tensor.dtype, self._precision)
        return np.array(tensor.items, dtype=dtype).reshape(tensor.shape)

    def declare(self, item: Item) -> None:
        match item:
            case Stage():
                empty: list[Value] = [None] * int(np.prod(item.shape))
                self._tensors[item.name] = _Tensor(item.name, item.dtype, item.shape, empty)
            case Table():
                self.fill(item, np.array(item.values))
            case Ordered():
                for inner in item.items:
                    self.declare(inner)
            case _:
                assert_never(item)

    def item(self, item: Item, slots: Mapping[str, int] | None = None) -> Callable[[Environment], None]:
        outer = dict(slots or {})
        match item:
            case Stage():
                return self._stage(item, outer)
            case Table():
                return lambda env: None
            case Ordered(axis=axis, size=size, items=items):
                slot = outer.setdefault(axis, len(outer))
                runs = tuple(self.item(inner, outer) for inner in items)

                def steps(env: Environment) -> None:
                    for step in range(size):
                        env[slot] = step
                        for run in runs:
                            run(env)

                return steps
            case _:
                assert_never(item)

    def _stage(self, stage: Stage, outer: dict[str, int]) -> Callable[[Environment], None]:
        slots = dict(outer)
        for axis in stage.axes:
            slots.setdefault(axis, len(slots))
        own = [(slots[a], n) for a, n in zip(stage.axes, stage.shape, strict=True) if a not in outer]
        where = tuple(slots[axis] for axis in stage.axes)
        value = self._value(stage, slots)
        tensor = self._tensors[stage.name]

        def run(env: Environment) -> None:
            for positions in product(*(range(size) for _, size in own)):
                for (slot, _), position in zip(own, positions, strict=True):
                    env[slot] = position
                tensor.items[tensor.place(tuple(env[slot] for slot in where))] = value(env)

        return run

    def _value(self, stage: Stage, slots: dict[str, int]) -> Closure:
        if not isinstance(stage.value, Reduction):
            if typed(stage.value) is not stage.dtype:
                raise InternalError(
                    f"expected {stage.dtype} as value of {stage.name}, found {stage.value.dtype}"
                )
            return build_closure(stage.value, self._scope(slots))
        return self._reduction(stage, stage.value, slots)

    def _reduction(self, stage: Stage, reduction: Reduction, slots: dict[str, int]) -> Closure:
        for over in reduction.over:
            slots.setdefault(over.axis, len(slots))
        scope = self._scope(slots)
        levels = tuple(
            (slots[o.axis], range(o.start, o.stop), tuple(build_closure(c, scope) for c in o.conditions))
            for o in reduction.over
        )
        element = build_closure(reduction.element, scope)
        start = identity(reduction.kind, stage.dtype, self._precision)
        if reduction.kind in ("argmax", "argmin"):
            return _arg_reduction(reduction.kind == "argmax", levels, element)
        if typed(reduction.element) is not stage.dtype:
            raise InternalError(f"expected {stage.dtype} in {stage.name}, found {reduction.element.dtype}")
        combine = combiner(reduction.kind, stage.dtype)

        def reduce(env: Environment) -> Value:
            result = start
            for _ in _positions(levels, env, 0):
                result = combine(result, element(env))
            return result

        return reduce

    def _scope(self, slots: Mapping[str, int]) -> Scope:
        return Scope(dict(slots), self._read, self._precision)

    def _read(self, node: Read, indices: tuple[Closure, ...]) -> Closure:
        tensor = self._tensors[node.tensor]
        if typed(node) is not tensor.dtype:
            raise InternalError(f"expected {tensor.dtype} in a read of {tensor.name}, found {node.dtype}")

        def read(env: Environment) -> Value:
            found = tuple(index(env) for index in indices)
            value = tensor.items[tensor.place(found)]
            if value is None:
                raise InternalError(f"expected {tensor.name}{list(found)} to be computed before it is read")
            return value

        return read


_Level = tuple[int, range, tuple[Closure, ...]]


def _positions(levels: tuple[_Level, ...], env: Environment, place: int) -> Iterator[int]:
    """Walk the iterations of a reduction for which all conditions hold, giving each its row-major place."""
    if not levels:
        yield place
        return
    (slot, steps, conditions), *rest = levels
    for step in steps:
        env[slot] = step
        if all(condition(env) for condition in conditions):
            yield from _positions(tuple(rest), env, place * len(steps) + step)


def _arg_reduction(highest: bool, levels: tuple[_Level, ...], element: Closure) -> Closure:  # noqa: FBT001
    def reduce(env: Environment) -> Value:
        best, where = None, -1
        for place in _positions(levels, env, 0):
            value = element(env)
            if where < 0 or (value > best if highest else value < best):
                best, where = value, place
        return where

    return reduce
