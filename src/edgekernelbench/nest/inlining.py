"""`inline` and `precompute`: the stages that have no loops of their own in a run."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from edgekernelbench.base.names import nearest
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Expr, Read
from edgekernelbench.ir.schedule import Inline, Precompute, Schedule
from edgekernelbench.ir.walk import children, transform, walk
from edgekernelbench.nest.problems import Problems
from edgekernelbench.nest.work import Program, WorkStage, name_steps, typed

MOST_DEPTH = 200
"""Expressions are not inlined to more than this: what reads them later may recurse."""


def substitute(node: Expr, values: Mapping[str, Expr]) -> Expr:
    """Put expressions in the place of axes."""

    def change(part: Expr) -> Expr | None:
        return values.get(part.name) if isinstance(part, Axis) else None

    return transform(node, change)


def rewrite_stage(stage: WorkStage, change: Callable[[Expr], Expr]) -> WorkStage:
    """Apply a rewriting to every expression of a stage."""
    target = None if stage.target is None else change(stage.target)
    if stage.reducing is None:
        return replace(stage, value=None if stage.value is None else change(stage.value), target=target)
    old = stage.reducing
    reducing = replace(
        old,
        element=change(old.element),
        conditions=tuple(change(c) for c in old.conditions),
        position=None if old.position is None else change(old.position),
    )
    return replace(stage, reducing=reducing, target=target)


def apply_inline(program: Program, schedule: Schedule, problems: Problems, limit: int) -> Program:
    """Put the expressions of inlined stages where they are read.

    Args:
        program: The program as written.
        schedule: The schedule; only its `inline`s are looked at.
        problems: Where refusals go [S02, S21, S22, S23, L04].
        limit: Largest number of nodes that the expressions of a stage may have.

    Returns:
        The program without the inlined stages.
    """
    chosen: dict[str, Inline] = {}
    for directive in schedule.directives:
        if isinstance(directive, Inline):
            for arg, name in enumerate(directive.stages):
                if _may_inline(program, name, directive, arg, problems):
                    chosen[name] = directive
    expander = _Expander(program, chosen, problems, limit)
    stages = {n: expander.stage(s) for n, s in program.stages.items() if n not in chosen}
    groups = {}
    for group in program.groups.values():
        kept = tuple(s for s in group.stages if s not in chosen)
        if kept:
            groups[kept[0]] = replace(group, name=kept[0], stages=kept)
            stages.update({s: replace(stages[s], group=kept[0]) for s in kept})
    return name_steps(replace(program, stages=stages, groups=groups))


def _may_inline(program: Program, name: str, directive: Inline, arg: int, problems: Problems) -> bool:
    stage = program.stages.get(name)
    if stage is None:
        problems.add("S02", no_stage(name, program), directive, arg=arg)
        return False
    if stage.reducing is not None:
        message = f"{name} is a reduction ({stage.reducing.kind}), which cannot be inlined"
        problems.add(
            "S21", message, directive, f"compute_at({name}, …) at a loop of the stage that reads it", arg=arg
        )
        return False
    if stage.returned:
        problems.add("S22", f"{name} is returned, so it must be stored", directive, arg=arg)
        return False
    return True


def no_stage(name: str, program: Program) -> str:
    """Say that there is no such stage, and which was probably meant."""
    if name in program.params or name in program.tables:
        return f"{name} is no stage but a parameter or table, which is not computed"
    close = nearest(name, program.stages)
    return (
        f"no stage {name}; did you mean {close}?"
        if close
        else f"no stage {name}; there are " + ", ".join(program.stages)
    )


class _Expander:
    """Expands reads of inlined stages, each stage once."""

    def __init__(
        self, program: Program, chosen: Mapping[str, Inline], problems: Problems, limit: int
    ) -> None:
        self._program = program
        self._chosen = chosen
        self._problems = problems
        self._limit = limit
        self._done: dict[str, Expr | None] = {}
        self._depths: dict[str, int] = {}
        self._sizes: dict[str, int] = {}
        # In text order, so that what a stage reads is known: nothing recurses through a chain of stages.
        for name in [n for n in program.stages if n in chosen]:
            self._depth_of(name, (name,))
            self._sizes[name] = self._size(program.stages[name].element, (name,))
            if self._depths[name] <= MOST_DEPTH and self._sizes[name] <= limit:
                self._body(name)

    def stage(self, stage: WorkStage) -> WorkStage:
        """Expand all reads in a stage that stays."""
        if not self._chosen or not any(t in self._chosen for t in stage.tensors()):
            return stage
        total = sum(self._size(e) for e in stage.expressions())
        if total > self._limit:
            self._too_large(stage.name, f"more than {self._limit:,} operations")
            return stage
        depth = max(self._depth(e) for e in stage.expressions())
        if depth > MOST_DEPTH:
            self._too_large(stage.name, f"an expression {depth} deep, the most is {MOST_DEPTH},")
            return stage
        return rewrite_stage(stage, self._expand)

    def _too_large(self, name: str, what: str) -> None:
        tensors = self._program.stages[name].tensors()
        for directive in dict.fromkeys(self._chosen[t] for t in tensors if t in self._chosen):
            self._problems.add("L04", f"{name} has {what} after inlining", directive)

    def _depth(self, node: Expr, stack: tuple[str, ...] = ()) -> int:
        """Count how deep an expression is when all reads of inlined stages are expanded."""
        below = max((self._depth(part, stack) for part in children(node)), default=0)
        if isinstance(node, Read) and node.tensor in self._chosen and node.tensor not in stack:
            below += self._depth_of(node.tensor, (*stack, node.tensor))
        return below + 1

    def _depth_of(self, name: str, stack: tuple[str, ...]) -> int:
        if name not in self._depths:
            value = self._program.stages[name].value
            self._depths[name] = 0 if value is None else self._depth(value, stack)
        return self._depths[name]

    def _expand(self, node: Expr) -> Expr:
        return transform(node, self._replacement)

    def _replacement(self, node: Expr) -> Expr | None:
        if not isinstance(node, Read) or node.tensor not in self._chosen:
            return None
        body = self._body(node.tensor)
        if body is None:
            return None
        axes = self._program.stages[node.tensor].axes
        return substitute(body, {a: typed(i, DType.I32) for a, i in zip(axes, node.indices, strict=True)})

    def _body(self, name: str) -> Expr | None:
        if name not in self._done:
            self._done[name] = None
            if not self._circle(name):
                value = self._program.stages[name].value
                self._done[name] = None if value is None else self._expand(value)
        return self._done[name]

    def _circle(self, name: str) -> bool:
        """Whether inlined stages lead from a stage back to itself."""
        seen: set[str] = set()
        waiting = [name]
        while waiting:
            for tensor in self._program.stages[waiting.pop()].tensors() & self._chosen.keys():
                if tensor == name:
                    message = f"inlining {name} leads back to {name}"
                    self._problems.add("S23", message, self._chosen[name])
                    return True
                if tensor not in seen:
                    seen.add(tensor)
                    waiting.append(tensor)
        return False

    def _size(self, node: Expr, stack: tuple[str, ...] = ()) -> int:
        """Count the nodes of an expression when all reads of inlined stages are expanded."""
        total = 0
        for part in walk(node):
            total += 1
            if isinstance(part, Read) and part.tensor in self._chosen and part.tensor not in stack:
                known = self._sizes.get(part.tensor)
                value = self._program.stages[part.tensor].element
                total += self._size(value, (*stack, part.tensor)) if known is None else known
            if total > self._limit:
                break
        return total


def apply_precompute(program: Program, schedule: Schedule, problems: Problems) -> Program:
    """Find the stages that are evaluated ahead of time.

    Args:
        program: The program after inlining.
        schedule: The schedule; only its `precompute`s are looked at.
        problems: Where refusals go [S02, S26].

    Returns:
        The program with `precomputed` set: the named stages and whatever only they read.
    """
    constant = constant_stages(program)
    chosen: set[str] = set()
    for directive in schedule.directives:
        if isinstance(directive, Precompute):
            for arg, name in enumerate(directive.stages):
                if name not in program.stages:
                    problems.add("S02", no_stage(name, program), directive, arg=arg)
                elif name not in constant:
                    problems.add("S26", _not_constant(program, name, constant), directive, arg=arg)
                elif program.stages[name].returned:
                    problems.add(
                        "S26", f"{name} is returned, so it is computed in the run", directive, arg=arg
                    )
                else:
                    chosen.update(program.members(program.unit_of(name)))
    changed = True
    while changed:
        fresh = {n for n in constant - chosen if _only_for(program, n, chosen)}
        chosen |= fresh
        changed = bool(fresh)
    return replace(program, precomputed=frozenset(chosen))


def check_narrow(program: Program, problems: Problems) -> None:
    """Refuse stages of `i4` and `u4` that are computed in a run: elements that share a byte [S26]."""
    for name, stage in program.stages.items():
        if stage.dtype in (DType.I4, DType.U4) and name not in program.precomputed:
            message = f"{name} is {stage.dtype}, two elements a byte, so it is made ahead or is a parameter"
            problems.add("S26", message, stage.span, f"precompute({name})")


def _only_for(program: Program, name: str, chosen: set[str]) -> bool:
    unit = program.members(program.unit_of(name))
    if any(program.stages[m].returned for m in unit):
        return False
    readers = {s.name for s in program.stages.values() if s.tensors() & set(unit)} - set(unit)
    return bool(readers) and readers <= chosen


def constant_stages(program: Program) -> frozenset[str]:
    """Find the stages that hang on nothing but `const` parameters, tables and axes."""
    known = {name for name, param in program.params.items() if param.const} | set(program.tables)
    for unit in program.units():
        members = program.members(unit)
        if all(program.stages[m].tensors() <= known | set(members) for m in members):
            known.update(members)
    return frozenset(known & program.stages.keys())


def _not_constant(program: Program, name: str, constant: frozenset[str]) -> str:
    tensors = program.stages[name].tensors() - {name}
    bad = [t for t in tensors if t not in constant and t not in program.tables]
    reads = sorted(t for t in bad if t not in program.params or not program.params[t].const)
    return f"{name} reads {', '.join(reads)}, which {'is' if len(reads) == 1 else 'are'} not const"
