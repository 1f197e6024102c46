"""Walks the compute layer and proves what must hold where it is evaluated: indices, divisors, order."""

from collections.abc import Callable

from edgekernelbench.ir.compute import Stage
from edgekernelbench.ir.expr import Axis, Binary, Expr, Literal, Logic, Read, Reduction, Select
from edgekernelbench.ir.walk import children, walk
from edgekernelbench.verify import range_wording
from edgekernelbench.verify.linear import NOTHING_KNOWN, Known, Sum
from edgekernelbench.verify.names import Names
from edgekernelbench.verify.report import Report
from edgekernelbench.verify.values import Values

SeeRead = Callable[[Read, tuple[Sum, ...], Known], frozenset[int]]
"""Told of every read, of one that is never evaluated too; gives the places of indices to leave alone."""


class Prover:
    """Proves the expressions of stages, one stage after the other."""

    def __init__(self, names: Names, values: Values, report: Report) -> None:
        self._names = names
        self._values = values
        self._report = report
        self._see: SeeRead = _ignore

    def stage(self, stage: Stage, see: SeeRead) -> None:
        """Prove all that is on the right side of a stage.

        Args:
            stage: A typed stage.
            see: Told of its reads.
        """
        self._see = see
        self._values.enter(stage)
        value = stage.value
        if not isinstance(value, Reduction):
            self._walk(value, NOTHING_KNOWN)
            return
        known = NOTHING_KNOWN
        for over in value.over:
            for condition in over.conditions:
                self._walk(condition, known)
                known = self._values.assume(condition, known)
        self._walk(value.element, known)

    def _walk(self, node: Expr, known: Known) -> None:
        if known.dead:
            for part in walk(node):
                if isinstance(part, Read):
                    self._see(part, (), known)
            return
        match node:
            case Axis() | Literal():
                return
            case Read():
                self._read(node, known)
            case Select(condition=condition, then=then, other=other):
                self._walk(condition, known)
                self._walk(then, self._values.assume(condition, known))
                self._walk(other, self._values.assume(condition, known, truth=False))
            case Logic(op=op, operands=operands):
                for part in operands:
                    self._walk(part, known)
                    known = self._values.assume(part, known, truth=op == "and")
            case _:
                for part in children(node):
                    self._walk(part, known)
                if isinstance(node, Binary) and node.op in ("//", "%"):
                    self._divisor(node, known)

    def _divisor(self, node: Binary, known: Known) -> None:
        divisor = self._values.of(node.right, known)
        if divisor.low <= 0 <= divisor.high and divisor.key not in known.apart:
            self._report.error("R02", *range_wording.divisor(node, divisor))

    def _read(self, node: Read, known: Known) -> None:
        if not node.indices:
            self._see(node, (), known)
            return
        for index in node.indices:
            self._walk(index, known)
        found = tuple(self._values.of(index, known) for index in node.indices)
        excused = self._see(node, found, known)
        shape = self._names.tensors[node.tensor].shape
        outside = [
            range_wording.Outside(place, index, value, size)
            for place, (index, value, size) in enumerate(zip(node.indices, found, shape, strict=True))
            if (value.low < 0 or value.high >= size) and not value.empty and place not in excused
        ]
        for words in range_wording.index(node, outside, self._names) if outside else ():
            self._report.error("R01", *words)


def _ignore(_read: Read, _found: tuple[Sum, ...], _known: Known) -> frozenset[int]:
    return frozenset()
