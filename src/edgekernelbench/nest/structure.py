"""Which loops stand round which stage: the tree of the nests, before any count is known."""

from dataclasses import dataclass, field
from functools import cached_property

from edgekernelbench.ir.expr import Axis
from edgekernelbench.nest.marks import BLOCKS, BOUND, THREADS
from edgekernelbench.nest.plan import Hoisted, Plan
from edgekernelbench.nest.tree import Kind, Mark
from edgekernelbench.nest.work import Program, WorkGroup, tensor_of

ROOT = ""
"""Where root nests are placed."""


def group_key(group: str) -> str:
    """Name a group among stages, one of which has its name."""
    return f"{group} group"


@dataclass(frozen=True, slots=True)
class Leading:
    """Loops that nobody bound and that are dealt out to threads; to blocks too where `blocks` says so."""

    loops: tuple[str, ...]
    blocks: bool


@dataclass
class Structure:
    """The tree of the nests. Placements must be free of circles.

    Attributes:
        plan: The stages and their loops.
        dealt: GPUs: which loops of a stage, or hoisted loops of a group (by `group_key`), are dealt out.
        alone: GPUs: stages and groups (by `group_key`) that one block runs.
        host_groups: GPUs: groups whose steps the host runs.
    """

    plan: Plan
    dealt: dict[str, Leading] = field(default_factory=dict)
    alone: set[str] = field(default_factory=set)
    host_groups: set[str] = field(default_factory=set)

    @property
    def program(self) -> Program:
        """The stages."""
        return self.plan.program

    def sequence(self, stage: str) -> list[str]:
        """List the own loops of a stage as they are run, without a scattered one.

        On GPUs bound loops are the outermost.
        """
        table = self.plan.tables[stage]
        scattered = self.program.stages[stage].scattered
        sequence = [loop for loop in table.sequence if not scattered or loop != f"{stage}.{scattered}"]
        if not self.plan.is_gpu():
            return sequence
        bound = [loop for loop in sequence if self.mark(loop) in BOUND]
        places: dict[int, int] = {}
        for place, loop in enumerate(sequence):
            places.setdefault(self._directive(loop), place)

        def rank(loop: str) -> tuple[int, int]:
            mark = self.mark(loop)
            kind = 0 if mark in BLOCKS else 1 if mark is Mark.VTHREAD else 2
            return kind, places[self._directive(loop)]

        data = sorted((loop for loop in bound if table.kinds[loop] is Kind.DATA), key=rank)
        reduced = sorted((loop for loop in bound if loop not in data), key=rank)
        rest = [loop for loop in sequence if loop not in bound]
        cut = table.first_reduction(rest)
        return [*data, *rest[:cut], *reduced, *rest[cut:]]

    def _directive(self, loop: str) -> int:
        """Number the directive that marked a loop; loops without one differ from all."""
        found = self.plan.marks.get(loop)
        return -1 if found is None or found.number is None else found.number

    def mark(self, loop: str) -> Mark:
        """Give the mark of a loop."""
        found = self.plan.marks.get(loop)
        return Mark.SERIAL if found is None else found.mark

    def place_of(self, unit: str) -> str:
        """Name the loop at which a unit is computed; `ROOT` for a root nest."""
        return self.plan.placed[unit][0] if unit in self.plan.placed else ROOT

    def hoisted(self, group: str) -> list[Hoisted]:
        """List the hoisted loops of a group, outermost first."""
        return self.plan.hoisted.get(group, [])

    def owner(self, loop: str) -> str:
        """Name the unit that a loop belongs to."""
        ref = self.plan.refs[loop]
        return ref.group or self.program.unit_of(ref.stage)

    def path(self, stage: str) -> tuple[str, ...]:
        """List all loops round the computation of a stage, its own included, outermost first."""
        if stage not in self._paths:
            self._paths[stage] = (*self.outer(stage), *self.sequence(stage))
        return self._paths[stage]

    def forget_paths(self) -> None:
        """Find all paths anew: loops were added."""
        self._paths.clear()
        self._inside.clear()

    @cached_property
    def _paths(self) -> dict[str, tuple[str, ...]]:
        return {}

    @cached_property
    def _inside(self) -> dict[str, frozenset[str]]:
        return {}

    def outer(self, stage: str) -> tuple[str, ...]:
        """List the loops round a stage without its own: of where it is placed, hoisted, ordered."""
        found = self.program.stages[stage]
        unit = self.program.unit_of(stage)
        return (
            *self.path_to(self.place_of(unit)),
            *(h.loop for h in self.hoisted(unit)),
            *found.steps,
        )

    def path_to(self, loop: str) -> tuple[str, ...]:
        """List the loops round a loop and itself, outermost first; nothing for `ROOT`."""
        if loop == ROOT:
            return ()
        ref = self.plan.refs[loop]
        if not ref.group:
            path = self.path(ref.stage)
            return path[: path.index(loop) + 1]
        members = self.program.members(ref.group)
        for stage in members:
            path = self.outer(stage)
            if loop in path:
                return path[: path.index(loop) + 1]
        raise KeyError(loop)

    def inside(self, loop: str) -> frozenset[str]:
        """Name the stages that are computed inside a loop; all for `ROOT`."""
        if loop == ROOT:
            return frozenset(self.program.stages)
        if loop not in self._inside:
            self._inside[loop] = frozenset(n for n in self.program.stages if loop in self.path(n))
        return self._inside[loop]

    def children(self, loop: str) -> tuple[str, ...]:
        """List the units that are computed at a loop, in text order."""
        return tuple(u for u in self.program.units() if self.place_of(u) == loop)

    def root_of(self, unit: str) -> str:
        """Name the root unit inside whose nest a unit is computed."""
        while self.place_of(unit) != ROOT:
            unit = self.owner(self.place_of(unit))
        return unit

    def child_at(self, loop: str, stage: str) -> str | None:
        """Name the unit placed at a loop inside which a stage is computed; None when there is none."""
        unit = self.program.unit_of(stage)
        while self.place_of(unit) != loop:
            if self.place_of(unit) == ROOT:
                return None
            unit = self.owner(self.place_of(unit))
        return unit

    def kept(self, stage: str) -> bool:
        """Whether a placed stage is stored whole: returned, read outside its loop, or a companion."""
        unit = self.program.unit_of(stage)
        loop = self.place_of(unit)
        if loop == ROOT:
            return False
        if self.program.stages[stage].returned or self.is_companion(unit):
            return True
        inside = self.inside(loop)
        return any(reader not in inside for reader in self.readers(stage))

    def is_companion(self, unit: str) -> bool:
        """Whether nothing inside the loop of a placed unit reads it."""
        loop = self.place_of(unit)
        members = set(self.program.members(unit))
        readers = set().union(*(self.readers(m) for m in members)) - members
        return loop != ROOT and not readers & self.inside(loop)

    def readers(self, stage: str) -> frozenset[str]:
        """Name the stages that read a stage."""
        return self._readers.get(stage, frozenset())

    def tensors(self, stage: str) -> frozenset[str]:
        """Name the tensors that a stage reads."""
        return self._tensors[stage]

    @cached_property
    def _tensors(self) -> dict[str, frozenset[str]]:
        return {name: stage.tensors() for name, stage in self.program.stages.items()}

    @cached_property
    def _readers(self) -> dict[str, frozenset[str]]:
        found: dict[str, set[str]] = {}
        for reader, tensors in self._tensors.items():
            for tensor in tensors:
                found.setdefault(tensor, set()).add(reader)
        return {name: frozenset(readers) for name, readers in found.items()}

    def threads_round(self, loop: str) -> bool:
        """Whether a loop is a thread loop or stands inside one."""
        return any(self.is_thread(one) for one in self.path_to(loop))

    def is_thread(self, loop: str) -> bool:
        """Whether a loop is bound to threads, or dealt out to them."""
        return self.mark(loop) in THREADS or any(loop in found.loops for found in self.dealt.values())

    def on_host(self, loop: str) -> bool:
        """Whether the host runs a loop: everything at it is a launch of its own."""
        if loop == ROOT:
            return True
        return self.plan.refs[loop].group in self.host_groups

    def launch_of(self, stage: str) -> str:
        """Name the launch that a stage belongs to: a root unit, or a stage that the host launches."""
        unit = self.program.unit_of(stage)
        while True:
            if unit in self.host_groups:
                return stage
            loop = self.place_of(unit)
            if self.on_host(loop):
                return unit
            stage = self.plan.refs[loop].stage
            unit = self.owner(loop)


def free_axes(program: Program, group: WorkGroup) -> frozenset[str]:
    """Find the axes of a group that no step needs from another position.

    An axis is free when every read inside the group of a stage that has it uses just that axis, an
    axis of the reader too, and all stages that have it agree on its size.
    """
    stages = [program.stages[name] for name in group.stages]
    ordered = {axis for stage in stages for axis in stage.ordered}
    sizes: dict[str, set[int]] = {}
    for stage in stages:
        for axis, size in stage.size_of.items():
            sizes.setdefault(axis, set()).add(size)
    held = {axis for axis, found in sizes.items() if len(found) > 1}
    for reader in stages:
        for read in reader.reads():
            tensor = tensor_of(read)
            if tensor not in group.stages:
                continue
            for axis, index in zip(program.stages[tensor].axes, read.indices, strict=True):
                if not (isinstance(index, Axis) and index.name == axis and axis in reader.axes):
                    held.add(axis)
    return frozenset(axis for axis in sizes if axis not in held and axis not in ordered)
