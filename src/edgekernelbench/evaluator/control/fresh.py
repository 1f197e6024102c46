"""Inputs for timed calls that are each seen once, some of them with known answers."""

import hashlib
from dataclasses import replace

import numpy as np

from edgekernelbench.compiler.arrays import stored_type
from edgekernelbench.evaluator.exam import Exam, Fresh, InputChoice, make_paper
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.schema import Workload

CHECKED = 3
"""Inputs whose answers are known: nobody can tell which of the calls are on them."""

POOL_BYTES = 48 << 20
MOST_DRAWS, LEAST_DRAWS = 512, 6
"""As many inputs are drawn as fit, between these numbers."""


class FreshInputs:
    """Draws the inputs of timed calls; those of the last workload are kept."""

    def __init__(self) -> None:
        self._kept: tuple[str, InputChoice, Fresh] | None = None

    def add(self, exam: Exam) -> Exam:
        """Give an examination with such inputs, from the seed of its timed set.

        Args:
            exam: An examination that is timed.
        """
        if exam.timed is None:
            return exam
        choice, workload = exam.timed.choice, exam.workload
        if self._kept is None or self._kept[:2] != (workload.id, choice):
            self._kept = (workload.id, choice, _draw(workload, exam, choice))
        return replace(exam, fresh=self._kept[2])


def _draw(workload: Workload, exam: Exam, choice: InputChoice) -> Fresh:
    params = exam.kernel.params
    size = sum(_bytes(p) for p in params if not p.const)
    count = max(LEAST_DRAWS, min(MOST_DRAWS, POOL_BYTES // max(1, size)))
    first = make_inputs(workload, choice.seed, choice.distribution)
    drawn = [first]
    for number in range(1, count):
        other = make_inputs(workload, _seed(choice.seed, number), choice.distribution)
        # One process has one set of weights.
        drawn.append(tuple(a if p.const else b for p, a, b in zip(params, first, other, strict=True)))
    checked = [make_paper(workload, replace(choice, name=f"timed {n}"), drawn[n]) for n in range(CHECKED)]
    return Fresh(tuple(checked), tuple(drawn[CHECKED:]))


def _seed(seed: int, number: int) -> int:
    return int.from_bytes(hashlib.sha256(f"{seed}/{number}".encode()).digest()[:6], "big")


def _bytes(param: Param) -> int:
    packed = 2 if param.dtype in (DType.I4, DType.U4) else 1
    return int(np.prod(param.shape or (1,), dtype=np.int64)) * stored_type(param.dtype).itemsize // packed
