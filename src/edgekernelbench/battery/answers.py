"""False answers: arrays that a kernel could leave without computing anything, or without finishing."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.generic]

TAIL = 8
"""Elements of a forgotten tail, one short vector."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Outputs that were not computed.

    Attributes:
        name: What they are.
        outputs: One array an output, in its type.
    """

    name: str
    outputs: tuple[Array, ...]


def false_answers(
    inputs: Sequence[Array], wanted: Sequence[Array], previous: Sequence[Array]
) -> Iterator[Answer]:
    """Make false answers to one input set.

    Args:
        inputs: One array a parameter.
        wanted: The right outputs, in their types.
        previous: The right outputs for other inputs.

    Yields:
        The answers, each wrong in one way; an answer that is right by chance is for the caller to see.
    """
    yield Answer("zeros", tuple(np.zeros_like(array) for array in wanted))
    yield Answer("ones", tuple(np.ones_like(array) for array in wanted))
    yield Answer("the mean everywhere", tuple(_mean(array) for array in wanted))
    yield Answer("the outputs of other inputs", tuple(previous))
    for number, array in enumerate(inputs):
        if all(array.size and out.size for out in wanted):
            yield Answer(f"parameter {number} over and over", tuple(_laid(array, out) for out in wanted))
    for number in range(len(wanted)):
        yield from _one_output(wanted, number)


def _one_output(wanted: Sequence[Array], number: int) -> Iterator[Answer]:
    """Spoil one output and leave the others right."""
    where = "" if len(wanted) == 1 else f" of output {number}"
    flat = wanted[number].reshape(-1)
    for name, changed in (
        (f"the last element{where} is another one's", _spoilt(flat, 1)),
        (f"the tail{where} is another one's", _spoilt(flat, TAIL)),
        (f"one element early{where}", np.roll(flat, -1)),
    ):
        fresh = changed.reshape(wanted[number].shape)
        yield Answer(name, (*wanted[:number], fresh, *wanted[number + 1 :]))


def _mean(array: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.full_like(array, array.astype(np.float64).mean())


def _laid(array: Array, like: Array) -> Array:
    with np.errstate(all="ignore"):
        return np.resize(array, like.shape).astype(like.dtype)


def _spoilt(flat: Array, count: int) -> Array:
    """Put the output's own least or greatest value, whichever is farther, where the last elements were."""
    fresh = flat.copy()
    tail = fresh[max(0, fresh.size - count) :]
    low, high = flat.min(), flat.max()
    centre = low.astype(np.float64) / 2 + high.astype(np.float64) / 2
    tail[:] = np.where(tail.astype(np.float64) > centre, low, high).astype(flat.dtype)
    return fresh
