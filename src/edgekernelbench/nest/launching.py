"""GPUs: where blocks and threads may be bound, and what is dealt out to those that nobody bound."""

from math import prod

from edgekernelbench.nest.boxes import Boxes
from edgekernelbench.nest.gpu import BLOCK_THREADS, Dealing, Dims, Launches
from edgekernelbench.nest.marks import BLOCKS, BOUND, THREADS
from edgekernelbench.nest.plan import Hoisted
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.registry import LoopRef
from edgekernelbench.nest.structure import Leading, Structure, free_axes, group_key
from edgekernelbench.nest.tree import Kind, Mark


class Launcher:
    """Decides the launches of all root nests, before any count is known."""

    def __init__(
        self, structure: Structure, holding: set[str], private: set[str], problems: Problems
    ) -> None:
        """Take what is known.

        Args:
            structure: The tree; `dealt`, `alone` and `host_groups` are filled.
            holding: Loops at which something is computed or cached.
            private: Stages that are placed in `local`.
            problems: Where refusals go [S30, S31].
        """
        self._structure = structure
        self._holding = holding
        self._private = private
        self._problems = problems
        self._launches: dict[str, list[str]] = {}

    def decide(self) -> None:
        """Decide everything."""
        structure = self._structure
        for name, group in structure.program.groups.items():
            hoisted = [h.loop for h in structure.hoisted(name)]
            bound = any(structure.mark(loop) in BLOCKS for loop in hoisted)
            own = any(self._binds(stage, BLOCKS) for stage in group.stages)
            if own and not bound and structure.place_of(name) == "":
                structure.host_groups.add(name)
        self._launches = launches_of(structure)
        self._check_blocks()
        for unit in self._outer_first():
            self._unit(unit)
        self._check_threads()

    def _outer_first(self) -> list[str]:
        """List the units, those that stand round others first."""
        structure = self._structure
        return sorted(structure.program.units(), key=lambda u: len(structure.path_to(structure.place_of(u))))

    def _binds(self, stage: str, marks: tuple[Mark, ...]) -> bool:
        return any(
            self._structure.mark(loop) in marks for loop in self._structure.plan.tables[stage].sequence
        )

    def _launch_binds(self, launch: str) -> bool:
        """Whether any loop of a launch is bound."""
        structure = self._structure
        for stage in self._launches[launch]:
            hoisted = [h.loop for h in structure.hoisted(structure.program.unit_of(stage))]
            if self._binds(stage, BOUND) or any(structure.mark(loop) in BOUND for loop in hoisted):
                return True
        return False

    def _unit(self, unit: str) -> None:
        structure = self._structure
        if unit not in structure.program.groups:
            self._stage(unit)
            return
        if unit in structure.host_groups:
            for stage in structure.program.groups[unit].stages:
                self._stage(stage)
            return
        hoisted = [h.loop for h in structure.hoisted(unit)]
        if structure.on_host(structure.place_of(unit)):
            if not self._launch_binds(unit):
                hoisted = self._hoist_all(unit)
                leading = self._leading(hoisted)
                if leading:
                    structure.dealt[group_key(unit)] = Leading(leading, blocks=True)
            dealt = group_key(unit) in structure.dealt
            if not dealt and not any(structure.mark(one) in BLOCKS for one in hoisted):
                structure.alone.add(group_key(unit))
        for stage in structure.program.groups[unit].stages:
            self._stage(stage)

    def _hoist_all(self, unit: str) -> list[str]:
        """Hoist each axis that is free in all stages of a group."""
        structure = self._structure
        group = structure.program.groups[unit]
        stages = [structure.program.stages[name] for name in group.stages]
        hoisted = structure.plan.hoisted.setdefault(unit, [])
        free = free_axes(structure.program, group)
        for axis in stages[0].axes:
            if axis in free and all(axis in s.axes for s in stages) and axis not in [h.axis for h in hoisted]:
                loop = f"{unit}.{axis}.each"
                structure.plan.refs[loop] = LoopRef(loop, unit, unit, Kind.DATA, hoisted=True)
                hoisted.append(Hoisted(loop, axis, 1))
        hoisted.sort(key=lambda h: stages[0].axes.index(h.axis))
        structure.forget_paths()
        return [h.loop for h in hoisted]

    def _leading(self, loops: list[str]) -> tuple[str, ...]:
        """Take the leading loops that can be dealt out."""
        structure = self._structure
        found: list[str] = []
        for loop in loops:
            if structure.plan.refs[loop].kind is not Kind.DATA or structure.mark(loop) is not Mark.SERIAL:
                break
            if self._binds_inside(loop):
                break
            found.append(loop)
            if loop in self._holding:
                break
        return tuple(found)

    def _binds_inside(self, loop: str) -> bool:
        """Whether something that is computed at a loop binds threads."""
        structure = self._structure
        placed = [u for u in structure.children(loop) for u in structure.program.members(u)]
        inner = [s for s in structure.inside(loop) if structure.child_at(loop, s) is not None]
        for stage in {*placed, *inner}:
            hoisted = [h.loop for h in structure.hoisted(structure.program.unit_of(stage))]
            if self._binds(stage, THREADS) or any(structure.mark(one) in THREADS for one in hoisted):
                return True
        return False

    def _stage(self, name: str) -> None:
        """Deal out the loops of one stage where nobody bound them."""
        structure = self._structure
        outer = structure.outer(name)
        if any(structure.is_thread(loop) for loop in outer):
            return
        sequence = structure.sequence(name)
        group = structure.program.stages[name].group
        is_launch = group in structure.host_groups if group else structure.launch_of(name) == name
        blocks = any(structure.mark(one) in BLOCKS for one in sequence)
        whole = is_launch and not self._launch_binds(structure.launch_of(name))
        if not self._binds(name, THREADS) and name not in self._private:
            bound = [one for one in sequence if structure.mark(one) in BOUND]
            leading = self._leading(sequence[len(bound) :] if sequence[: len(bound)] == bound else [])
            if leading:
                structure.dealt[name] = Leading(leading, blocks=whole)
                blocks = blocks or whole
        if is_launch and not blocks:
            structure.alone.add(name)

    def _check_blocks(self) -> None:
        """Blocks are bound at launches only, over data loops, each axis once [S30]."""
        structure = self._structure
        for loop, marked in structure.plan.marks.items():
            if marked.mark not in BLOCKS:
                continue
            ref = structure.plan.refs[loop]
            unit = structure.owner(loop)
            group = structure.program.stages[ref.stage].group
            if ref.kind is Kind.REDUCTION:
                message = f"{loop} is a reduction loop: blocks cannot combine their results"
                self._problems.add("S30", message, marked.directive, f"part = rfactor({loop})")
            elif not structure.on_host(structure.place_of(unit)):
                where = structure.place_of(unit)
                message = f"{unit} is computed inside {where}: blocks are bound in the nest round it"
                self._problems.add("S30", message, marked.directive)
            elif group and not ref.group and group not in structure.host_groups:
                message = f"the hoisted loops of the group of {group} are bound to blocks already"
                self._problems.add("S30", message, marked.directive)

    def _check_threads(self) -> None:
        """Threads are bound in stages that no thread loop is round, each axis once [S30, S31]."""
        structure = self._structure
        for loop, marked in structure.plan.marks.items():
            if marked.mark not in BOUND:
                continue
            path = structure.path_to(loop)[:-1]
            same = [one for one in path if structure.mark(one) is marked.mark]
            other = [one for one in same if structure.plan.marks[one].directive is not marked.directive]
            if marked.mark in BLOCKS and other:
                message = f"{other[0]} round {loop} is bound to {marked.mark} too: bind them together"
                self._problems.add("S30", message, marked.directive)
            elif marked.mark in (*THREADS, Mark.VTHREAD):
                own = structure.plan.refs[loop].stage
                round_it = [one for one in path if structure.is_thread(one) and not self._own(one, own, loop)]
                if round_it or other:
                    message = f"{loop} stands inside {(round_it or other)[0]}, which is bound to threads"
                    self._problems.add("S31", message, marked.directive)

    def _own(self, outer: str, stage: str, loop: str) -> bool:
        """Whether two loops belong to one stage, or are hoisted loops of one group."""
        a, b = self._structure.plan.refs[outer], self._structure.plan.refs[loop]
        return (a.group, a.stage if not a.group else "") == (b.group, b.stage if not b.group else "")


def make_launches(boxes: Boxes, private: set[str], limit: int) -> Launches:
    """Count the threads of each launch, and complete what is dealt out.

    Args:
        boxes: All counts.
        private: Stages that are placed in `local`.
        limit: Most threads that a block can have; 0 when unknown.
    """
    structure = boxes.structure
    if not structure.plan.is_gpu():
        return Launches()
    found = Launches(gpu=True, alone=structure.alone)
    for launch, stages in launches_of(structure).items():
        found.dims[launch] = _dims(boxes, stages, limit)
    for name, leading in structure.dealt.items():
        stage = name.removesuffix(" group")
        dims = found.dims[structure.launch_of(stage)]
        found.dealt[name] = Dealing(stage, leading.loops, dims, leading.blocks)
    for name in private:
        stage_threads = any(structure.is_thread(one) for one in structure.path(name))
        if not stage_threads:
            found.copies.add(name)
    return found


def launches_of(structure: Structure) -> dict[str, list[str]]:
    """List the stages of each launch."""
    found: dict[str, list[str]] = {}
    for stage in structure.program.stages:
        found.setdefault(structure.launch_of(stage), []).append(stage)
    return found


def _dims(boxes: Boxes, stages: list[str], limit: int) -> Dims:
    """Find the largest count bound to each axis of threads in a launch."""
    structure = boxes.structure
    sizes = dict.fromkeys(THREADS, 1)
    some = False
    for stage in stages:
        hoisted = [h.loop for h in structure.hoisted(structure.program.unit_of(stage))]
        for loops in (hoisted, structure.plan.tables[stage].sequence):
            for mark in THREADS:
                bound = [boxes.ranges[one][1] + 1 for one in loops if structure.mark(one) is mark]
                some = some or bool(bound)
                sizes[mark] = max(sizes[mark], prod(bound))
    if some:
        return sizes[Mark.THREAD_X], sizes[Mark.THREAD_Y], sizes[Mark.THREAD_Z]
    return min(BLOCK_THREADS, limit or BLOCK_THREADS), 1, 1
