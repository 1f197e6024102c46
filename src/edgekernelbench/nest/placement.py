"""Checks where stages are computed, and finds the order in which nests and placed stages run."""

from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.structure import ROOT, Structure, free_axes
from edgekernelbench.nest.tree import Kind, Mark


def check_hoists(structure: Structure, problems: Problems) -> None:
    """Check that hoisted axes are free [S13], and put hoisted loops in the order of the axes."""
    program = structure.program
    for name, hoisted in structure.plan.hoisted.items():
        group = program.groups[name]
        free = free_axes(program, group)
        for one in hoisted:
            missing = [s for s in group.stages if one.axis not in program.stages[s].axes]
            if one.directive is None:
                continue
            if missing:
                message = (
                    f"{', '.join(missing)} of the group of {name} {'has' if len(missing) == 1 else 'have'}"
                )
                problems.add("S13", f"{message} no axis {one.axis}", one.directive, arg=0)
            elif one.axis not in free:
                message = f"{one.axis} is not free: inside the group it is read at other positions"
                problems.add("S13", message, one.directive, arg=0)
        axes = program.stages[group.stages[0]].axes
        hoisted.sort(key=lambda h: axes.index(h.axis) if h.axis in axes else len(axes))


def check_circles(structure: Structure, problems: Problems) -> None:
    """Refuse stages that are computed inside themselves [S24]; what was refused becomes a root nest."""
    for unit in list(structure.plan.placed):
        seen = [unit]
        while (loop := structure.place_of(seen[-1])) != ROOT:
            owner = structure.owner(loop)
            if owner == unit:
                directive = structure.plan.placed.pop(unit)[1]
                chain = " inside ".join([*seen, unit])
                what = f"{directive.stage} cannot be computed inside itself"
                message = f"{loop} is a loop of {directive.stage}" if len(seen) == 1 else chain
                problems.add("S24", f"{what}: {message}", directive)
                break
            if owner in seen:
                break
            seen.append(owner)


def check_places(structure: Structure, problems: Problems) -> None:
    """Check each placed unit against its loop [S19, S24]."""
    program = structure.program
    for unit, (loop, directive) in structure.plan.placed.items():
        for outer in structure.path_to(loop):
            if structure.mark(outer) in (Mark.VECTOR, Mark.TENSOR):
                word = "a vector loop" if structure.mark(outer) is Mark.VECTOR else "tensorized"
                message = f"{outer} is {word}, nothing can be computed inside it"
                problems.add("S19", message, directive, arg=1)
        members = program.members(unit)
        outside = {structure.owner(one) for one in structure.path_to(loop)}
        for stage in members:
            for tensor in sorted(structure.tensors(stage) & program.stages.keys()):
                holder = program.unit_of(tensor)
                if holder in outside and holder != unit:
                    message = f"{tensor} is read by {stage}: place {tensor} at a loop of {stage}"
                    problems.add("S24", message, directive)
        if structure.is_companion(unit):
            _check_companion(structure, unit, problems)


def _check_companion(structure: Structure, unit: str, problems: Problems) -> None:
    """Refuse a companion that the stage of its loop depends on [S24]."""
    loop, directive = structure.plan.placed[unit]
    owners = set(structure.program.members(structure.owner(loop)))
    for member in structure.program.members(unit):
        if structure.tensors(member) & owners:
            return  # refused already
        between = sorted(t for t in structure.tensors(member) & structure.program.stages.keys())
        for tensor in between:
            if tensor not in structure.program.members(unit) and depends(structure, {tensor}, owners):
                message = (
                    f"{member} reads {tensor}, which needs the stage of {loop}: {loop} cannot wait for it"
                )
                problems.add("S24", message, directive)
                return
    for member in structure.program.members(unit):
        for reader in sorted(structure.readers(member) - set(structure.program.members(unit))):
            if depends(structure, owners, {reader}):
                message = f"{loop} needs {reader}, which reads {member}: {reader} must be computed inside too"
                problems.add("S24", message, directive, f"compute_at({reader}, {loop})")
                return


def depends(structure: Structure, stages: set[str], on: set[str]) -> bool:
    """Whether some of `stages` reads some of `on`, through others too."""
    waiting, seen = list(stages), set(stages)
    while waiting:
        for tensor in structure.tensors(waiting.pop()) & structure.program.stages.keys():
            if tensor in on:
                return True
            if tensor not in seen:
                seen.add(tensor)
                waiting.append(tensor)
    return False


def order_units(structure: Structure, problems: Problems) -> dict[str, tuple[str, ...]]:
    """Find the order of the units at each loop and of the root nests.

    Args:
        structure: The tree.
        problems: Where refusals go [S27].

    Returns:
        For each loop at which something is computed, and for `ROOT`, its units: text order unless
        reads demand otherwise.
    """
    needs: dict[str, dict[str, dict[str, tuple[str, str]]]] = {}
    program = structure.program
    for reader in program.stages.values():
        for tensor in structure.tensors(reader.name) & program.stages.keys():
            unit = program.unit_of(tensor)
            if unit == program.unit_of(reader.name):
                continue
            level = structure.place_of(unit)
            child = structure.child_at(level, reader.name)
            if level != ROOT and reader.name not in structure.inside(level):
                level = ROOT
                unit = structure.root_of(unit)
                child = structure.root_of(program.unit_of(reader.name))
                if child == unit:
                    _refuse_same_nest(structure, reader.name, tensor, problems)
                    continue
            if child is not None and child != unit:
                needs.setdefault(level, {}).setdefault(child, {})[unit] = (reader.name, tensor)
    levels = dict.fromkeys([ROOT, *(loop for loop, _ in structure.plan.placed.values())])
    return {level: _sorted(structure, level, needs.get(level, {}), problems) for level in levels}


def _refuse_same_nest(structure: Structure, reader: str, tensor: str, problems: Problems) -> None:
    unit = structure.program.unit_of(tensor)
    loop, directive = structure.plan.placed[unit]
    root = structure.root_of(unit)
    message = f"{reader} reads {tensor}, which is filled at {loop}, inside the same nest (of {root})"
    problems.add("S27", message, directive, f"compute_at({reader}, {loop})")


def _sorted(
    structure: Structure, level: str, needs: dict[str, dict[str, tuple[str, str]]], problems: Problems
) -> tuple[str, ...]:
    waiting = list(structure.children(level))
    done: list[str] = []
    while waiting:
        ready = next((u for u in waiting if not needs.get(u, {}).keys() & set(waiting) - {u}), None)
        if ready is None:
            _refuse_circle(structure, waiting, needs, problems)
            return (*done, *waiting)
        waiting.remove(ready)
        done.append(ready)
    return tuple(done)


def _refuse_circle(
    structure: Structure, waiting: list[str], needs: dict[str, dict[str, tuple[str, str]]], problems: Problems
) -> None:
    """Name a stage of the circle that stands alone and would have to be computed inside as well."""
    circle = _circle(waiting, needs)
    following = dict(zip(circle, [*circle[1:], circle[0]], strict=True))
    # Prefer a unit with nothing inside it: it is the one that was forgotten.
    alone = [u for u in circle if not any(structure.root_of(p) == u for p in structure.plan.placed)]
    unit = alone[0] if alone else circle[0]
    holder = following[unit]
    reader, tensor = needs[unit][holder]
    user = next(u for u in circle if following[u] == unit)
    wanted, needed = needs[user][unit]
    loop = _loop_of(structure, wanted, user)
    message = (
        f"{reader} reads {tensor}, which is filled inside the nest of {holder}, "
        f"and the nest of {user} needs {needed}"
    )
    stage = needed if needed in structure.program.stages else unit
    span = structure.program.stages[stage].span
    problems.add("S27", message, span, f"compute_at({stage}, {loop})" if loop else None)


def _circle(waiting: list[str], needs: dict[str, dict[str, tuple[str, str]]]) -> list[str]:
    seen: list[str] = []
    unit = waiting[0]
    while unit not in seen:
        seen.append(unit)
        unit = next(u for u in needs[unit] if u in waiting and u != unit)
    return seen[seen.index(unit) :]


def _loop_of(structure: Structure, stage: str, root: str) -> str:
    """Find the loop of a root nest at which what a stage reads is best computed."""
    unit = structure.program.unit_of(stage)
    if unit != root:
        return structure.place_of(unit)
    inside = [u for u in structure.plan.placed if structure.owner(structure.place_of(u)) == root]
    if inside:
        return structure.place_of(inside[0])
    data = [one for one in structure.sequence(stage) if structure.plan.tables[stage].kinds[one] is Kind.DATA]
    return data[0] if data else ""
