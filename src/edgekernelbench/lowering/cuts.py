"""Cuts a compute layer where the default lowering fuses: the parts that a tuner takes one by one."""

from dataclasses import dataclass

from edgekernelbench.ir.schedule import ComputeAt, Fuse, Hoist, Inline, Precompute, Rfactor, Schedule, Split
from edgekernelbench.nest.work import Program, make_program
from edgekernelbench.verify.facts import Facts


@dataclass(frozen=True, slots=True)
class Cuts:
    """How a compute layer is cut.

    Attributes:
        parts: Stages of each part, in text order; parts in an order in which they can run. A stage that is
            inlined stands in every part that reads it.
        prepared: Stages that hang on `const` parameters alone, evaluated once per weights, in text order.
        ordered: Stages inside `for`s; a layer that has such is not cut into parts.
    """

    parts: tuple[tuple[str, ...], ...]
    prepared: tuple[str, ...]
    ordered: tuple[str, ...]


def cut(facts: Facts, schedule: Schedule) -> Cuts:
    """Cut a compute layer.

    Args:
        facts: The verified compute layer.
        schedule: The schedule that the default lowering writes for it.

    Returns:
        The parts; all stages in one part where the cuts admit no order.
    """
    program = make_program(facts)
    ordered = tuple(name for name, stage in program.stages.items() if stage.group)
    inlined, prepared, home = _read(schedule)
    _with_read(prepared, set(program.stages), program)
    names = [n for n in program.stages if n not in prepared and n not in ordered]
    kept = tuple(n for n in program.stages if n in prepared)
    if ordered:
        return Cuts((), kept, ordered)
    parts: dict[str, set[str]] = {}
    for name in names:
        if name not in inlined:
            parts.setdefault(_root(name, home), set()).add(name)
    for members in parts.values():
        _with_read(members, inlined, program)
    found = sorted((_sorted(members, names) for members in parts.values()), key=lambda p: names.index(p[-1]))
    whole = (tuple(names),) if names else ()
    return Cuts(tuple(found) if _can_run(found, names, program) else whole, kept, ())


def crossing(cuts: Cuts, program: Program) -> frozenset[str]:
    """Name the stages of parts that are stored outside: outputs, and what other parts read.

    Args:
        cuts: The parts.
        program: What was cut.
    """
    stored = {name for part in cuts.parts for name in part if program.stages[name].returned}
    for part in cuts.parts:
        for name in part:
            stored |= program.stages[name].tensors() - set(part)
    return frozenset(stored & {name for part in cuts.parts for name in part})


def _read(schedule: Schedule) -> tuple[set[str], set[str], dict[str, str]]:
    """Collect what is inlined, what is precomputed, and at whose loop each attached stage stands."""
    inlined: set[str] = set()
    prepared: set[str] = set()
    owner: dict[str, str] = {}
    home: dict[str, str] = {}

    def stage_of(loop: str) -> str:
        return owner.get(loop) or loop.partition(".")[0]

    for directive in schedule.directives:
        match directive:
            case Inline(stages=stages):
                inlined |= set(stages)
            case Precompute(stages=stages):
                prepared |= set(stages)
            case Split(outs=outs, loop=loop):
                owner |= dict.fromkeys(outs, stage_of(loop))
            case Fuse(out=out, loops=loops):
                owner[out] = stage_of(loops[0])
            case Rfactor(out=out, loop=loop) | Hoist(out=out, loop=loop):
                owner[out] = stage_of(loop)
            case ComputeAt(stage=stage, loop=loop):
                home[stage] = stage_of(loop)
            case _:
                continue
    return inlined, prepared, home


def _root(name: str, home: dict[str, str]) -> str:
    while name in home:
        name = home[name]
    return name


def _with_read(members: set[str], among: set[str], program: Program) -> None:
    """Add what is read, of some stages, directly or through others."""
    waiting = list(members)
    while waiting:
        read = program.stages[waiting.pop()].tensors() & among
        waiting += read - members
        members |= read


def _sorted(members: set[str], names: list[str]) -> tuple[str, ...]:
    return tuple(name for name in names if name in members)


def _can_run(parts: list[tuple[str, ...]], names: list[str], program: Program) -> bool:
    """Whether each part reads only what stands before it, and all stages are in some part."""
    made: set[str] = set()
    for part in parts:
        for name in part:
            if (program.stages[name].tensors() & set(names)) - made - set(part):
                return False
        made |= set(part)
    return made == set(names)
