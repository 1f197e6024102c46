"""False answers: none is right by chance."""

import numpy as np

from edgekernelbench.battery.answers import Array, false_answers


def test_every_answer_differs_from_what_is_wanted() -> None:
    wanted: tuple[Array, ...] = (
        np.linspace(-1, 1, 30, dtype=np.float32).reshape(5, 6),
        np.arange(7, dtype=np.int8),
    )
    previous = tuple(array[::-1].copy() for array in wanted)
    inputs = (np.full((2, 2), 3.0, np.float32),)
    found = list(false_answers(inputs, wanted, previous))
    assert len({answer.name for answer in found}) == len(found)
    for answer in found:
        assert any(not np.array_equal(a, b) for a, b in zip(answer.outputs, wanted, strict=True)), answer.name
        shapes = [(a.shape, a.dtype) for a in answer.outputs]
        assert shapes == [(w.shape, w.dtype) for w in wanted]
