"""Which part of each stage is computed where: boxes, from the stages that read to those that are read."""

from dataclasses import dataclass

from edgekernelbench.ir.expr import Expr, Read
from edgekernelbench.nest.hull import hull
from edgekernelbench.nest.indices import TRUE, add, at_least, below, clamp, scale, simplify, span_of
from edgekernelbench.nest.inlining import substitute
from edgekernelbench.nest.linear import linear, number, variable
from edgekernelbench.nest.packing import Packing
from edgekernelbench.nest.plan import Hoisted
from edgekernelbench.nest.spread import Reach, Spread, union
from edgekernelbench.nest.structure import ROOT, Structure, free_axes
from edgekernelbench.nest.work import WorkStage, tensor_of


@dataclass(frozen=True, slots=True)
class AxisBox:
    """A part of one axis.

    Attributes:
        first: The first position; a variable when `let` says so.
        count: How many positions.
        size: The size of the axis.
        guarded: Whether positions can lie beyond the axis, so that they must be tested.
        let: The name that stands for the first position; empty when `first` is used as it is.
        value: What the name stands for.
    """

    first: Expr
    count: int
    size: int
    guarded: bool = False
    let: str = ""
    value: Expr | None = None

    @property
    def whole(self) -> bool:
        """Whether it is the whole axis."""
        return self.count == self.size and self.first == number(0)


def whole_axis(size: int) -> AxisBox:
    """Take an axis whole."""
    return AxisBox(number(0), size, size)


class Boxes:
    """The boxes of all stages, and the ranges of all loop variables."""

    def __init__(self, structure: Structure, packing: Packing | None = None) -> None:
        self.structure = structure
        self._packing = Packing() if packing is None else packing
        self.of: dict[str, dict[str, AxisBox]] = {}
        self.extents: dict[str, dict[str, int]] = {}
        self.ranges: dict[str, tuple[int, int]] = {}
        self.lets: dict[str, Expr] = {}
        self._busy: set[str] = set()

    def resolve_all(self) -> None:
        """Find all boxes."""
        for unit in self.structure.program.units():
            self.resolve(unit)

    def resolve(self, unit: str) -> None:
        """Find the boxes of a unit, those of its readers and of its owner first."""
        program = self.structure.program
        members = program.members(unit)
        if members[0] in self.of or unit in self._busy:
            return
        self._busy.add(unit)
        loop = self.structure.place_of(unit)
        found: dict[str, dict[str, AxisBox]] = {}
        if loop == ROOT:
            found = {m: {a: whole_axis(s) for a, s in program.stages[m].size_of.items()} for m in members}
        else:
            self.resolve(self.structure.owner(loop))
            inside = self.structure.inside(loop) - set(members)
            for reader in sorted({r for m in members for r in self.structure.readers(m)} & inside):
                self.resolve(program.unit_of(reader))
            found = self._placed(unit, members, loop, inside)
        for name, boxes in found.items():
            self._settle(program.stages[name], boxes)

    def _settle(self, stage: WorkStage, boxes: dict[str, AxisBox]) -> None:
        """Fix the boxes of a stage: the counts of its loops follow."""
        self.of[stage.name] = boxes
        counts = {axis: box.count for axis, box in boxes.items()}
        for hoisted in self.structure.hoisted(stage.group):
            if hoisted.axis in counts:
                blocks = -(-counts[hoisted.axis] // hoisted.block)
                self.ranges[hoisted.loop] = (0, blocks - 1)
                counts[hoisted.axis] = min(hoisted.block, counts[hoisted.axis])
        for axis, step in zip(stage.ordered, stage.steps, strict=True):
            self.ranges[step] = (0, stage.size_of[axis] - 1)
        if stage.reducing is not None:
            counts |= {axis.name: axis.size for axis in stage.reducing.axes}
        table = self.structure.plan.tables[stage.name]
        extents = table.extents(counts)
        self.extents[stage.name] = extents
        self.ranges |= {loop: (0, extent - 1) for loop, extent in extents.items()}
        self.ranges |= {f"~{loop}": (0, extent - 1) for loop, extent in extents.items()}

    def _placed(
        self, unit: str, members: tuple[str, ...], loop: str, inside: frozenset[str]
    ) -> dict[str, dict[str, AxisBox]]:
        program, structure = self.structure.program, self.structure
        reach = self.reach(frozenset(structure.path_to(loop)))
        companion = structure.is_companion(unit)
        exact = any(structure.kept(m) for m in members)
        spreads = {m: self._read_spread(m, inside, reach, exact=exact) for m in members}
        if unit in program.groups:
            spreads = self._group_spreads(unit, members, spreads)
        if companion:
            spreads = {m: self._companion_spread(m, loop, reach) for m in members}
            if unit in program.groups:
                free = free_axes(program, program.groups[unit])
                spreads = {m: {a: s for a, s in found.items() if a in free} for m, found in spreads.items()}
        found: dict[str, dict[str, AxisBox]] = {}
        for member in members:
            stage = program.stages[member]
            found[member] = {
                axis: self._box(stage, axis, spreads[member].get(axis), exact=exact) for axis in stage.axes
            }
        return found

    def _group_spreads(
        self, unit: str, members: tuple[str, ...], spreads: dict[str, dict[str, Spread | None]]
    ) -> dict[str, dict[str, Spread | None]]:
        """Let free axes of a group shrink together; all others stay whole."""
        program = self.structure.program
        free = free_axes(program, program.groups[unit])
        joint: dict[str, Spread | None] = {}
        for axis in free:
            parts = [s[axis] for s in spreads.values() if axis in s]
            joint[axis] = union(parts) if parts else None
        return {m: {a: joint[a] for a in program.stages[m].axes if a in free} for m in members}

    def _box(self, stage: WorkStage, axis: str, spread: Spread | None, *, exact: bool) -> AxisBox:
        """Fit a spread into an axis; the boxes of a kept stage stand exactly where its reads are."""
        size = stage.size_of[axis]
        if spread is None:
            return whole_axis(size)
        count = spread.high - spread.low + 1
        if count >= size:
            return whole_axis(size)
        first = simplify(spread.first().expr(), self.ranges)
        held = clamp(first, 0, size - count, self.ranges)
        if held is first:
            return AxisBox(first, count, size)
        if exact:
            return AxisBox(first, count, size, guarded=True)
        unit = self.structure.program.unit_of(stage.name)
        if unit == stage.name and self._packing.cuts([stage], axis):
            # A tile that moved back would begin inside a piece, and a vector would gather.
            overrun = self._packing.may_overrun(stage, axis, first, count, self.ranges)
            return AxisBox(first, count, size, guarded=not overrun)
        name = f"{unit}.{axis}.first"
        self.ranges[name] = (0, size - count)
        self.lets[name] = held
        return AxisBox(variable(name), count, size, let=name, value=held)

    def _read_spread(
        self, tensor: str, readers: frozenset[str], reach: Reach, *, exact: bool
    ) -> dict[str, Spread | None]:
        """Find how far the reads of a tensor by some stages reach, per axis of a stage that is read.

        Boxes that must tile begin at one place; others cover reads that begin at several.
        """
        stage = self.structure.program.stages[tensor]
        parts = self.index_spreads(tensor, readers, reach)
        return {
            axis: union(found) if exact else hull(found, stage.size_of[axis], reach)
            for axis, found in zip(stage.axes, parts, strict=False)
            if found
        }

    def index_spreads(self, tensor: str, readers: frozenset[str], reach: Reach) -> list[list[Spread | None]]:
        """List the spread of each index of each read of a tensor; empty when nothing reads it."""
        found: list[list[Spread | None]] = []
        for reader in sorted(readers):
            stage = self.structure.program.stages[reader]
            reads = [r for r in stage.reads() if tensor_of(r) == tensor]
            if not reads:
                continue
            values = self.axis_values(stage, reach.standing)
            for read in reads:
                parts = [reach.spread(simplify(substitute(i, values), self.ranges)) for i in read.indices]
                found = found or [[] for _ in parts]
                for axis, part in zip(found, parts, strict=True):
                    axis.append(part)
        return found

    def _companion_spread(self, member: str, loop: str, reach: Reach) -> dict[str, Spread | None]:
        """Follow the stage of a loop along axes of the same name and size."""
        ref = self.structure.plan.refs[loop]
        owner = self.structure.program.stages[ref.stage]
        values = self.axis_values(owner, reach.standing)
        sizes = self.structure.program.stages[member].size_of
        return {
            axis: reach.spread(values[axis])
            for axis, size in owner.size_of.items()
            if sizes.get(axis) == size
        }

    def reach(self, standing: frozenset[str]) -> Reach:
        """Say what is known while the given loops stand still."""
        program = self.structure.program
        params = program.params

        def readable(read: Read) -> bool:
            """Whether a read of a parameter or table is in range wherever the loops stand."""
            if read.tensor not in params and read.tensor not in program.tables:
                return False
            tensor = params.get(read.tensor) or program.tables[read.tensor]
            spans = [span_of(index, self.ranges) for index in read.indices]
            return all(
                low is not None and high is not None and low >= 0 and high < size
                for (low, high), size in zip(spans, tensor.shape, strict=True)
            )

        lets = set(self.lets)
        owned = {name for name in lets if self._stands(name, standing)}
        return Reach(standing | owned, self.ranges, self.lets, program.facts.ranges, readable)

    def _stands(self, let: str, standing: frozenset[str]) -> bool:
        """Whether the first position of a box is fixed while loops stand still."""
        unit = let.removesuffix(".first").rpartition(".")[0]
        if unit not in self.structure.program.units():
            return False
        return set(self.structure.path_to(self.structure.place_of(unit))) <= standing

    def axis_values(self, stage: WorkStage, standing: frozenset[str] | None = None) -> dict[str, Expr]:
        """Put the value of each axis of a stage together from its loops.

        Args:
            stage: The stage.
            standing: When given, loops that are split into moving ones only are taken as one variable
                `~loop` of the right range; when None, all are put together.

        Returns:
            The value of data, ordered and reduction axes.
        """
        table, extents = self.structure.plan.tables[stage.name], self.extents[stage.name]

        def leaf(loop: str) -> Expr:
            return number(0) if extents[loop] == 1 else variable(loop)

        known: dict[str, Expr] = {}
        if standing is not None:
            known = {
                loop: variable(f"~{loop}")
                for loop in table.kinds
                if loop not in table.sequence and not table.leaves(loop) & standing
            }
        values = table.values(leaf, extents, self.ranges, known)
        found = {axis: values[loop] for loop, axis in table.axis_of.items()}
        for axis, step in zip(stage.ordered, stage.steps, strict=True):
            found[axis] = number(0) if stage.size_of[axis] == 1 else variable(step)
        for hoisted in self.structure.hoisted(stage.group):
            if hoisted.axis in found:
                found[hoisted.axis] = add(self.block_start(hoisted), found[hoisted.axis])
        for axis, box in self.of[stage.name].items():
            if axis in found:
                found[axis] = add(box.first, found[axis])
        if stage.reducing is not None:
            for reduced in stage.reducing.axes:
                found[reduced.name] = add(found[reduced.name], number(reduced.start))
        return found

    def block_start(self, hoisted: Hoisted) -> Expr:
        """Give the first position, inside a box, of one iteration of a hoisted loop."""
        if not self.ranges[hoisted.loop][1]:
            return number(0)
        return scale(variable(hoisted.loop), hoisted.block)

    def tails(self, stage: WorkStage) -> list[Expr]:
        """List the conditions that hold the loops of a stage inside its box and its shape."""
        table, extents = self.structure.plan.tables[stage.name], self.extents[stage.name]

        def leaf(loop: str) -> Expr:
            return number(0) if extents[loop] == 1 else variable(loop)

        values = table.values(leaf, extents, self.ranges)
        conditions = table.tails(values, extents, self.ranges)
        whole = self.axis_values(stage)
        for hoisted in self.structure.hoisted(stage.group):
            if hoisted.axis in whole:
                box = self.of[stage.name][hoisted.axis]
                inner = linear(whole[hoisted.axis]).plus(linear(box.first), -1).expr()
                conditions.append(below(inner, box.count, self.ranges))
        for axis, box in self.of[stage.name].items():
            if box.guarded:
                conditions.append(below(whole[axis], box.size, self.ranges))
                conditions.append(at_least(whole[axis], 0, self.ranges))
        return [condition for condition in conditions if condition != TRUE]
