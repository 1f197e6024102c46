"""How often each stage is computed, in which loops, and where it is stored."""

from math import prod

from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.stores import Stores
from edgekernelbench.nest.structure import ROOT
from edgekernelbench.nest.tree import Mark, Usage
from edgekernelbench.nest.work import Program, tensor_of


def count_usage(boxes: Boxes, stores: Stores, written: Program, whole: Program) -> tuple[Usage, ...]:
    """Say what each stage costs in one run.

    Args:
        boxes: The boxes of the run.
        stores: Where everything is stored.
        written: The program as written.
        whole: The program after inlining, with its precomputed stages.

    Returns:
        One entry a stage in text order, those that `rfactor` makes before their stages. A precomputed stage
        is computed 0 times in a run.
    """
    counter = _Counter(boxes, stores, written, whole)
    waiting = list(boxes.structure.program.stages)
    names: list[str] = []
    for name in written.stages:
        if name in waiting:
            place = waiting.index(name) + 1
            names += waiting[:place]
            waiting = waiting[place:]
        else:
            names.append(name)
    return tuple(counter.usage(name) for name in names)


class _Counter:
    def __init__(self, boxes: Boxes, stores: Stores, written: Program, whole: Program) -> None:
        self._boxes = boxes
        self._stores = stores
        self._written = written
        self._whole = whole
        self._reads: dict[str, dict[str, int]] = {}
        for reader in written.stages.values():
            for read in reader.reads():
                times = self._reads.setdefault(tensor_of(read), {})
                times[reader.name] = times.get(reader.name, 0) + 1

    def usage(self, name: str) -> Usage:
        """Describe one stage."""
        run = self._boxes.structure.program.stages
        stage = run.get(name) or self._written.stages[name]
        elements = prod(stage.shape)
        if name in run:
            buffer = self._stores.of[name].buffer.name
            return Usage(name, elements, self._computed(name), self._loops(name), buffer)
        if name in self._whole.precomputed:
            return Usage(name, elements, 0, (), name)
        return Usage(name, elements, self._evaluated(name), (), "")

    def _computed(self, name: str) -> int:
        """Count the elements that the loops of a stage compute, tails left out."""
        structure = self._boxes.structure
        stage = structure.program.stages[name]
        place = structure.place_of(structure.program.unit_of(name))
        if place == ROOT or structure.kept(name):
            return prod(stage.shape)
        times = prod(self._boxes.ranges[loop][1] + 1 for loop in structure.path_to(place))
        return times * prod(box.count for box in self._boxes.of[name].values())

    def _evaluated(self, name: str) -> int:
        """Count how often the expression of an inlined stage is evaluated, conditions left out."""
        run = self._boxes.structure.program.stages
        total = 0
        for one, reads in self._reads.get(name, {}).items():
            reader = self._written.stages[one]
            if reader.name in run:
                reduced = reader.reducing.axes if reader.reducing is not None else ()
                total += reads * self._computed(reader.name) * prod(axis.size for axis in reduced)
            elif reader.name not in self._whole.precomputed:
                total += reads * self._evaluated(reader.name)
        return total

    def _loops(self, name: str) -> tuple[str, ...]:
        structure = self._boxes.structure
        found = []
        for loop in structure.path(name):
            extent = self._boxes.ranges[loop][1] + 1
            mark = structure.mark(loop)
            if extent > 1:
                found.append(f"{loop}:{extent}" + ("" if mark is Mark.SERIAL else f" {mark}"))
        return tuple(found)
