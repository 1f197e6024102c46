"""Order: which reads are of stages above, of earlier steps, and which `for`s nothing needs."""

from edgekernelbench.ir.compute import Item, Ordered, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Read
from edgekernelbench.verify import order_wording
from edgekernelbench.verify.conditions import require
from edgekernelbench.verify.linear import Known, Sum, combine
from edgekernelbench.verify.names import Names, Place
from edgekernelbench.verify.report import Report
from edgekernelbench.verify.values import Values


class OrderProver:
    """Proves the order of reads, and remembers which `for`s they need."""

    def __init__(self, names: Names, values: Values, report: Report) -> None:
        self._names = names
        self._values = values
        self._report = report
        self._needed: set[int] = set()

    def see(self, reader: Place[Stage], read: Read, found: tuple[Sum, ...], known: Known) -> frozenset[int]:
        """Prove that what is read was computed before.

        Args:
            reader: The stage whose right side has the read.
            read: The read.
            found: Its indices.
            known: The conditions in force.

        Returns:
            Places of indices that were complained of.
        """
        target = self._names.places.get(read.tensor)
        if target is None:
            return frozenset()
        shared = _shared(reader, target)
        if not shared or isinstance(target.item, Table):
            if target.position >= reader.position:
                self._report.error("O04", *order_wording.not_above(reader, target, read))
            return frozenset()
        return self._earlier(reader, target, (read, found), known, shared)

    def needless(self, ordered: Ordered) -> bool:
        """Whether no read needs the steps of a `for` to be in order."""
        return id(ordered) not in self._needed

    def _earlier(
        self,
        reader: Place[Stage],
        target: Place[Stage | Table],
        access: tuple[Read, tuple[Sum, ...]],
        known: Known,
        shared: list[Ordered],
    ) -> frozenset[int]:
        read, found = access
        axes = target.item.axes if isinstance(target.item, Stage) else ()
        if known.dead:  # never evaluated, but it stands there: all that is round it stays
            self._needed.update(map(id, shared))
            return frozenset()
        for ordered in shared:
            if ordered.axis not in axes or ordered.axis not in self._values.axes:
                return frozenset()
            place = axes.index(ordered.axis)
            here = self._values.of(Axis(ordered.axis, dtype=DType.I32), known)
            back = combine(here, found[place], -1, known.facts)
            if back.empty:
                self._needed.update(map(id, shared))
                return frozenset()
            if back.low < 0:
                self._needed.add(id(ordered))
                self._report.error("O05", *order_wording.not_earlier(read, place, ordered, back))
                return frozenset((place,))
            if back.high > 0:
                self._needed.add(id(ordered))
            if back.low > 0:
                return frozenset()
            known = require(back, (0, 0), known)
        if target.position >= reader.position:
            self._report.error("O06", *order_wording.same_step(reader, target, read, shared[-1]))
        return frozenset()


def _shared(reader: Place[Stage], target: Place[Stage | Table]) -> list[Ordered]:
    shared = []
    for mine, other in zip(reader.path, target.path, strict=False):
        if mine is not other:
            break
        shared.append(mine)
    return shared


def drop_needless(items: tuple[Item, ...], order: OrderProver, report: Report) -> tuple[Item, ...]:
    """Take out the `for`s that nothing needs; what was inside stays where it stood.

    Args:
        items: Items whose reads were all proven.
        order: What the reads need.
        report: Where the warnings go.

    Returns:
        The items that remain.
    """
    kept: list[Item] = []
    for item in items:
        if not isinstance(item, Ordered):
            kept.append(item)
            continue
        inner = drop_needless(item.items, order, report)
        if order.needless(item):
            report.warn("W01", f"nothing reads an earlier {item.axis}: the for is dropped", item.span)
            kept.extend(inner)
        else:
            kept.append(Ordered(item.axis, item.size, inner, item.span))
    return tuple(kept)
