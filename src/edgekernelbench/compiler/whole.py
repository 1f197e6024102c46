"""A whole model as calls of kernels: which values there are, and where they lie."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from edgekernelbench.compiler.arena import Life, assign_places
from edgekernelbench.compiler.arrays import ALIGNMENT, stored_bytes
from edgekernelbench.compiler.plain import PlainKernel
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Buffer, Role

Key = TypeVar("Key")


@dataclass(frozen=True, slots=True)
class WholeCall:
    """One call of a kernel.

    Attributes:
        kernel: Its name.
        args: Values that it reads, by name, one for each parameter.
        results: Values that it gives, one for each output.
    """

    kernel: str
    args: tuple[str, ...]
    results: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Whole:
    """A model.

    Attributes:
        name: Its name.
        inputs: What it is given.
        constants: Its weights, in the order in which they lie.
        calls: What is done, in order.
        outputs: Values that it gives: results of calls, inputs or weights.
        bounds: Ranges that kernels declare of what they are given: kernel, place of the parameter, range.
    """

    name: str
    inputs: tuple[Buffer, ...]
    constants: tuple[Buffer, ...]
    calls: tuple[WholeCall, ...]
    outputs: tuple[str, ...]
    bounds: Mapping[tuple[str, int], tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Layout:
    """Where everything of a model lies.

    Attributes:
        values: Results of calls, by name.
        weights: Offset of each weight in the file of weights.
        weights_bytes: Size of that file.
        prepared: Offset of what is prepared for a call, by what it is prepared from.
        prepared_bytes: Size of all of it.
        places: Offset of each value in the workspace; outputs of the model have none.
        rooms: Offset of the workspace of each call.
        workspace_bytes: Size of the workspace.
    """

    values: Mapping[str, Buffer]
    weights: Mapping[str, int]
    weights_bytes: int
    prepared: Mapping[tuple[str, tuple[str, ...]], int]
    prepared_bytes: int
    places: Mapping[str, int]
    rooms: tuple[int, ...]
    workspace_bytes: int


def preparation(whole: Whole, call: WholeCall, kernel: PlainKernel) -> tuple[str, tuple[str, ...]] | None:
    """Say what is prepared for a call: its kernel and the weights that it is given; None for nothing."""
    known = {buffer.name for buffer in whole.constants}
    given = tuple(arg if arg in known else "" for arg in call.args)
    return (call.kernel, given) if kernel.nest.prepared else None


def rounded(size: int) -> int:
    """Round bytes up to the alignment of everything."""
    return -(-size // ALIGNMENT) * ALIGNMENT


def lay_out(whole: Whole, kernels: Mapping[str, PlainKernel]) -> Layout:
    """Plan the memory of a model: values that are never alive together may share bytes.

    Args:
        whole: The model.
        kernels: Its kernels, by name.
    """
    values = {
        name: replace(buffer, name=name)
        for call in whole.calls
        for name, buffer in zip(call.results, kernels[call.kernel].nest.outputs, strict=True)
    }
    weights, weights_bytes = _in_a_row([(b.name, stored_bytes(b)) for b in whole.constants])
    needed = {
        key: sum(rounded(stored_bytes(b)) for b in kernels[call.kernel].nest.prepared)
        for call in whole.calls
        if (key := preparation(whole, call, kernels[call.kernel])) is not None
    }
    prepared, prepared_bytes = _in_a_row(list(needed.items()))
    places, size = assign_places([*_lives(whole, values), *_rooms(whole, kernels)])
    return Layout(
        values=values,
        weights=weights,
        weights_bytes=weights_bytes,
        prepared=prepared,
        prepared_bytes=prepared_bytes,
        places={name: places[name][0] for name in values if name in places},
        rooms=tuple(places.get(_room(n), (0, True))[0] for n in range(len(whole.calls))),
        workspace_bytes=max(size, max((k.prepare_area.total for k in kernels.values()), default=0)),
    )


def _in_a_row(sizes: Sequence[tuple[Key, int]]) -> tuple[dict[Key, int], int]:
    at, places = 0, {}
    for key, size in sizes:
        places[key] = at
        at += rounded(size)
    return places, at


def _lives(whole: Whole, values: Mapping[str, Buffer]) -> list[Life]:
    last = {name: number for number, call in enumerate(whole.calls) for name in (*call.args, *call.results)}
    outside = set(whole.outputs)
    return [
        Life(values[name], "run", number, last[name])
        for number, call in enumerate(whole.calls)
        for name in call.results
        if name not in outside
    ]


def _rooms(whole: Whole, kernels: Mapping[str, PlainKernel]) -> list[Life]:
    """The workspace of a call lives as long as the call."""
    areas = [kernels[call.kernel].run_area.total for call in whole.calls]
    return [
        Life(Buffer(_room(n), DType.U8, (size,), Role.WORK), "run", n, n)
        for n, size in enumerate(areas)
        if size
    ]


def _room(number: int) -> str:
    return f"workspace of call {number}"
