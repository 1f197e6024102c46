"""Stages while a nest is being built: typed expressions, reductions as flat lists, groups as trees."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from edgekernelbench.base.errors import InternalError
from edgekernelbench.base.span import NOWHERE, Span
from edgekernelbench.ir.compute import Item, Ordered, Param, Stage, Table
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Cast, Expr, Logic, Read, Reduction
from edgekernelbench.ir.walk import walk
from edgekernelbench.nest.linear import linear, number, variable
from edgekernelbench.verify.facts import Facts

BEST = ".best"
"""Ending of the name under which the values of an arg reduction are read."""


@dataclass(frozen=True, slots=True)
class ReductionAxis:
    """One axis that a stage reduces over: positions `start` to `start + size - 1`."""

    name: str
    start: int
    size: int


@dataclass(frozen=True, slots=True)
class Reducing:
    """What a stage reduces, and how.

    Attributes:
        kind: One of `ir.expr.REDUCTIONS`.
        element: What is reduced; for arg reductions, what is compared.
        axes: The reduction axes, outermost first.
        conditions: Tested in this order before the element is read.
        position: For arg reductions, the place of the element; else None.
    """

    kind: str
    element: Expr
    axes: tuple[ReductionAxis, ...]
    conditions: tuple[Expr, ...]
    position: Expr | None = None

    @property
    def is_arg(self) -> bool:
        """Whether the result is a place."""
        return self.position is not None


@dataclass(frozen=True, slots=True)
class WorkStage:
    """A stage, or the partial results that `rfactor` makes.

    Attributes:
        name: Its name.
        axes: Names of its axes.
        shape: Their sizes.
        dtype: Element type.
        value: The element, when it is no reduction.
        reducing: The reduction, when it is one.
        returned: Whether it is an output.
        group: Name of its group; empty outside every group.
        ordered: The `for` axes round it, outermost first.
        steps: The loops of those `for`s; two `for`s of a group may have one axis name.
        scattered: The axis that `scatter` takes out of the update; empty when there is none.
        target: For a scattered stage, the element that the update goes to.
        span: Where it was written.
    """

    name: str
    axes: tuple[str, ...]
    shape: tuple[int, ...]
    dtype: DType
    value: Expr | None = None
    reducing: Reducing | None = None
    returned: bool = False
    group: str = ""
    ordered: tuple[str, ...] = ()
    steps: tuple[str, ...] = ()
    scattered: str = ""
    target: Expr | None = None
    span: Span = field(default=NOWHERE, compare=False, repr=False)

    @property
    def size_of(self) -> dict[str, int]:
        """Size of each axis."""
        return dict(zip(self.axes, self.shape, strict=True))

    @property
    def is_arg(self) -> bool:
        """Whether it holds places, with values beside them."""
        return self.reducing is not None and self.reducing.is_arg

    @property
    def reduction(self) -> Reducing:
        """The reduction of a stage that is known to be one."""
        if self.reducing is None:
            raise InternalError(f"expected a reduction, found {self.name}")
        return self.reducing

    @property
    def element(self) -> Expr:
        """The element of a stage that is known to be no reduction."""
        if self.value is None:
            raise InternalError(f"expected no reduction, found {self.name}")
        return self.value

    def expressions(self) -> tuple[Expr, ...]:
        """List its expressions, in evaluation order."""
        if self.reducing is None:
            return () if self.value is None else (self.value,)
        more = (e for e in (self.target, self.reducing.element, self.reducing.position) if e is not None)
        return (*self.reducing.conditions, *more)

    def reads(self) -> Iterator[Read]:
        """List all reads in it, those inside indices too."""
        for root in self.expressions():
            for node in walk(root):
                if isinstance(node, Read):
                    yield node

    def tensors(self) -> frozenset[str]:
        """Name the tensors that it reads."""
        return frozenset(tensor_of(read) for read in self.reads())


def tensor_of(read: Read) -> str:
    """Name the tensor that a read is of; values of an arg reduction belong to the reduction."""
    return read.tensor.removesuffix(BEST)


@dataclass(frozen=True, slots=True)
class Step:
    """One `for` of a group with what is in it, in order: stages by name, and further `for`s.

    Attributes:
        axis: Its axis.
        size: How many steps it has.
        items: What is in it.
        var: The name of its loop, after the first stage in it.
    """

    axis: str
    size: int
    items: tuple["Step | str", ...]
    var: str = ""


@dataclass(frozen=True, slots=True)
class WorkGroup:
    """An outermost `for`, named after its first stage."""

    name: str
    root: Step
    stages: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Program:
    """The compute layer as the builder sees it, stages in text order.

    Attributes:
        facts: What was verified.
        stages: The stages by name.
        groups: The groups by name.
        precomputed: Names of the stages that `prepare` evaluates.
    """

    facts: Facts
    stages: dict[str, WorkStage]
    groups: dict[str, WorkGroup]
    precomputed: frozenset[str] = frozenset()

    @property
    def params(self) -> dict[str, Param]:
        """The parameters by name."""
        return {p.name: p for p in self.facts.kernel.params}

    @property
    def tables(self) -> dict[str, Table]:
        """The tables by name."""
        return {t.name: t for t in _tables(self.facts.kernel.compute.items)}

    def unit_of(self, stage: str) -> str:
        """Name what moves as one with a stage: its group, or itself."""
        return self.stages[stage].group or stage

    def members(self, unit: str) -> tuple[str, ...]:
        """List the stages of a unit."""
        return self.groups[unit].stages if unit in self.groups else (unit,)

    def units(self) -> tuple[str, ...]:
        """List the units in text order."""
        return tuple(dict.fromkeys(self.unit_of(name) for name in self.stages))


def _tables(items: tuple[Item, ...]) -> Iterator[Table]:
    for item in items:
        match item:
            case Table():
                yield item
            case Ordered(items=inner):
                yield from _tables(inner)
            case Stage():
                pass


def make_program(facts: Facts) -> Program:
    """Take a verified compute layer apart.

    Args:
        facts: What was verified.

    Returns:
        The stages and groups, as written.
    """
    outputs = frozenset(facts.kernel.compute.outputs)
    stages: dict[str, WorkStage] = {}
    groups: dict[str, WorkGroup] = {}
    for item in facts.kernel.compute.items:
        match item:
            case Stage():
                stages[item.name] = _work_stage(item, outputs, "", ())
            case Ordered():
                inside = list(_inside(item, ()))
                name = inside[0][0].name
                stages.update({s.name: _work_stage(s, outputs, name, ordered) for s, ordered in inside})
                groups[name] = WorkGroup(name, _step(item), tuple(s.name for s, _ in inside))
            case Table():
                pass
    return Program(facts, stages, groups)


def _inside(item: Item, ordered: tuple[str, ...]) -> Iterator[tuple[Stage, tuple[str, ...]]]:
    match item:
        case Stage():
            yield item, ordered
        case Ordered(axis=axis, items=items):
            for inner in items:
                yield from _inside(inner, (*ordered, axis))
        case Table():
            pass


def _step(item: Ordered) -> Step:
    items: list[Step | str] = []
    for inner in item.items:
        match inner:
            case Stage(name=name):
                items.append(name)
            case Ordered():
                items.append(_step(inner))
            case Table():
                pass
    return Step(item.axis, item.size, tuple(items))


def _work_stage(stage: Stage, outputs: frozenset[str], group: str, ordered: tuple[str, ...]) -> WorkStage:
    made = WorkStage(
        stage.name, stage.axes, stage.shape, stage.dtype,
        returned=stage.name in outputs, group=group, ordered=ordered, span=stage.name_span,
    )  # fmt: skip
    if not isinstance(stage.value, Reduction):
        return replace(made, value=typed(stage.value, stage.dtype))
    return replace(made, reducing=_reducing(stage.value, stage.dtype))


def _reducing(reduction: Reduction, dtype: DType) -> Reducing:
    axes = tuple(ReductionAxis(o.axis, o.start, o.stop - o.start) for o in reduction.over)
    conditions = tuple(c for over in reduction.over for c in conjuncts(over.conditions))
    if reduction.kind not in ("argmax", "argmin"):
        return Reducing(reduction.kind, typed(reduction.element, dtype), axes, conditions)
    place = linear(number(0))
    for axis in axes:
        place = place.times(axis.size).plus(linear(variable(axis.name)))
    return Reducing(reduction.kind, reduction.element, axes, conditions, place.expr())


def conjuncts(conditions: tuple[Expr, ...]) -> Iterator[Expr]:
    """Split conditions at their `and`s."""
    for condition in conditions:
        if isinstance(condition, Logic) and condition.op == "and":
            yield from conjuncts(condition.operands)
        else:
            yield condition


def typed(node: Expr, dtype: DType) -> Expr:
    """Give an expression a type; the same object where it has it."""
    return node if node.dtype is dtype else Cast(dtype, node, implicit=True, dtype=dtype)


def name_steps(program: Program) -> Program:
    """Name the loops of all `for`s after the stages that are left in them; empty `for`s go."""
    stages = dict(program.stages)
    groups: dict[str, WorkGroup] = {}
    for name, group in program.groups.items():
        root = _named_step(group.root, stages, ())
        groups[name] = replace(group, root=group.root if root is None else root)
    return replace(program, stages=stages, groups=groups)


def _named_step(step: Step, stages: dict[str, WorkStage], outer: tuple[str, ...]) -> Step | None:
    first = next((name for name in _stages_in(step) if name in stages), None)
    if first is None:
        return None
    var = f"{first}.{step.axis}"
    items: list[Step | str] = []
    for item in step.items:
        if isinstance(item, Step):
            inner = _named_step(item, stages, (*outer, var))
            items += [] if inner is None else [inner]
        elif item in stages:
            stages[item] = replace(stages[item], steps=(*outer, var))
            items.append(item)
    return replace(step, items=tuple(items), var=var)


def _stages_in(step: Step) -> Iterator[str]:
    for item in step.items:
        if isinstance(item, Step):
            yield from _stages_in(item)
        else:
            yield item


def with_steps(step: Step, before: str, name: str) -> Step:
    """Put a new stage just before another one in the tree of a group."""
    items: list[Step | str] = []
    for item in step.items:
        if isinstance(item, Step):
            items.append(with_steps(item, before, name))
        else:
            items += [name, item] if item == before else [item]
    return replace(step, items=tuple(items))
