"""Examinations: the inputs on which a workload is judged, with what must come out of them."""

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.evaluator.compare import Expected, expect
from edgekernelbench.evaluator.sheets import Form
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.workloads.adversaries import adversaries
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.reference import compute_reference
from edgekernelbench.workloads.sampling import STANDARD
from edgekernelbench.workloads.schema import Workload

Array = NDArray[np.generic]

DEFAULT_CACHE_BYTES = 256 << 20

TIMED = "timed"
"""Name of the input set that only timing uses."""


@dataclass(frozen=True, slots=True)
class InputChoice:
    """Which inputs to draw.

    Attributes:
        name: What the set is called.
        distribution: How its values lie.
        seed: Any integer.
    """

    name: str
    distribution: str
    seed: int


def choose_inputs(secret: bytes, workload: Workload) -> tuple[InputChoice, ...]:
    """Choose the inputs of a workload: a set a distribution that it is judged on, and one to be timed.

    Args:
        secret: What nobody else knows; the same secret gives the same choice.
        workload: The workload.

    Returns:
        The choice; the last entry is the one to be timed.
    """
    kinds = (*STANDARD, *adversaries(workload))
    named = [(str(kind), str(kind)) for kind in kinds] + [(TIMED, str(STANDARD[0]))]
    return tuple(
        InputChoice(name, distribution, _seed(secret, workload.id, name)) for name, distribution in named
    )


PUBLIC_SECRET = b"public"


def public_inputs(workload: Workload) -> tuple[InputChoice, ...]:
    """Choose the inputs that anybody may see: two sets, the same for ever."""
    return choose_inputs(PUBLIC_SECRET, workload)[:2]


def _seed(secret: bytes, workload: str, name: str) -> int:
    digest = hashlib.sha256(b"\0".join((secret, workload.encode(), name.encode()))).digest()
    return int.from_bytes(digest[:6], "big")


@dataclass(frozen=True, slots=True)
class Paper:
    """One input set with its answers.

    Attributes:
        choice: Which inputs.
        inputs: One array a parameter.
        expected: What each output must be.
        is_fair: Whether the declared arithmetic gives finite numbers wherever the reference does; where
            it overflows, kernels that differ in rounding may differ in all.
    """

    choice: InputChoice
    inputs: tuple[Array, ...]
    expected: tuple[Expected, ...]
    is_fair: bool = True

    @property
    def nbytes(self) -> int:
        """Bytes of all arrays."""
        answers = (e.reference.nbytes + np.asarray(e.allowed).nbytes for e in self.expected)
        return sum(a.nbytes for a in self.inputs) + sum(answers)


@dataclass(frozen=True, slots=True)
class Fresh:
    """Inputs of timed calls that are each seen once; constants are the same in all.

    Attributes:
        checked: Those whose answers are known.
        others: The others, one array a parameter.
    """

    checked: tuple[Paper, ...]
    others: tuple[tuple[Array, ...], ...]


@dataclass(frozen=True, slots=True)
class Exam:
    """All input sets of one workload.

    Attributes:
        workload: The workload.
        kernel: Its canonical kernel.
        papers: For correctness.
        timed: The set that is timed; None where timing was not asked for.
        fresh: Inputs for a kernel that could keep something from one call to the next; None where none can.
    """

    workload: Workload
    kernel: Kernel
    papers: tuple[Paper, ...]
    timed: Paper | None
    fresh: Fresh | None = None

    @property
    def param_forms(self) -> list[Form]:
        """Type and shape of each parameter."""
        return [(p.dtype, p.shape) for p in self.kernel.params]

    @property
    def output_forms(self) -> list[Form]:
        """Type and shape of each output."""
        return [(s.dtype, s.shape) for s in outputs_of(self.kernel)]


class Exams:
    """Makes examinations, and keeps the most recent ones; may be called from several threads."""

    def __init__(self, limit_bytes: int = DEFAULT_CACHE_BYTES) -> None:
        self._limit = limit_bytes
        self._kept: OrderedDict[tuple[str, InputChoice], Paper] = OrderedDict()
        self._lock = Lock()
        self._making: dict[tuple[str, InputChoice], Lock] = {}

    def exam(self, workload: Workload, choices: Sequence[InputChoice], *, timed: bool) -> Exam:
        """Make an examination.

        Args:
            workload: The workload.
            choices: Its input sets; one named `TIMED` is for timing alone.
            timed: Whether it will be timed.

        Returns:
            The examination; its arrays must not be written to.
        """
        papers = [self._paper(workload, c) for c in choices if c.name != TIMED]
        papers = [paper for paper in papers if paper.is_fair or paper.choice.distribution in STANDARD]
        last = next((c for c in choices if c.name == TIMED), choices[0]) if timed else None
        return Exam(
            workload,
            workload.kernel(),
            tuple(papers),
            None if last is None else self._paper(workload, last),
        )

    def _paper(self, workload: Workload, choice: InputChoice) -> Paper:
        key = (workload.id, choice)
        with self._lock:
            making = self._making.setdefault(key, Lock())
        with making:  # who comes while another computes the answers waits for them
            paper = self._look_up(key)
            if paper is None:
                paper = make_paper(workload, choice, make_inputs(workload, choice.seed, choice.distribution))
                self._keep(key, paper)
        with self._lock:
            self._making.pop(key, None)
        return paper

    def _look_up(self, key: tuple[str, InputChoice]) -> Paper | None:
        with self._lock:
            if key not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key]

    def _keep(self, key: tuple[str, InputChoice], paper: Paper) -> None:
        with self._lock:
            self._kept[key] = paper
            total = sum(p.nbytes for p in self._kept.values())
            while total > self._limit and len(self._kept) > 1:
                total -= self._kept.popitem(last=False)[1].nbytes


def make_paper(workload: Workload, choice: InputChoice, inputs: tuple[Array, ...]) -> Paper:
    """Compute what must come out of some inputs.

    Args:
        workload: The workload.
        choice: What the inputs are called.
        inputs: One array a parameter.
    """
    reference = compute_reference(workload, inputs)
    triples = zip(reference.facts, reference.outputs, reference.declared, strict=True)
    expected = tuple(expect(*triple) for triple in triples)
    is_fair = all(map(_is_tame, reference.declared)) and all(map(_is_tame, reference.outputs))
    return Paper(choice, inputs, expected, is_fair)


def _is_tame(array: Array) -> bool:
    return bool(np.isfinite(array.astype(np.float64)).all())
