"""Editing a compute layer: stages replaced, added and read otherwise; what comes out is verified again."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from edgekernelbench.ir.compute import Compute, Item, Ordered, Stage, Table, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Expr, Literal, Over, Read, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import transform

Change = Callable[[Expr], Expr | None]
"""Gives what stands in the place of a node, or None to keep it."""


@dataclass
class Edit:
    """Changes of one compute layer.

    Attributes:
        kernel: The kernel.
        before: New stages, by the stage that they stand before.
        changed: Stages that are replaced, by name.
        taken: Names that nothing new may have.
    """

    kernel: Kernel
    before: dict[str, list[Stage]] = field(default_factory=dict)
    changed: dict[str, Stage] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        """Note the names that are taken."""
        self.taken |= {p.name for p in self.kernel.params}
        for placed in placed_stages(self.kernel.compute):
            self.taken |= {placed.stage.name, *placed.stage.axes}
            value = placed.stage.value
            self.taken |= {o.axis for o in value.over} if isinstance(value, Reduction) else set()
        self.taken |= {item.name for item in self.kernel.compute.items if isinstance(item, Table)}

    def fresh(self, stem: str) -> str:
        """Make a name that nothing has yet."""
        name, number = stem, 2
        while name in self.taken:
            name, number = f"{stem}{number}", number + 1
        self.taken.add(name)
        return name

    def add(self, stage: Stage, *, before: str) -> None:
        """Put a new stage before another."""
        self.before.setdefault(before, []).append(stage)

    def reread(self, change: Change, *, but: frozenset[str] = frozenset()) -> None:
        """Change the expressions of all stages, new ones and some others left out."""
        for placed in placed_stages(self.kernel.compute):
            stage = self.changed.get(placed.stage.name, placed.stage)
            if stage.name not in but:
                value = changed_value(stage.value, change)
                if value is not stage.value:
                    self.changed[stage.name] = replace(stage, value=value)

    def done(self) -> Kernel:
        """Give the kernel with the changes, without directives: those describe loops that may be gone."""
        compute = self.kernel.compute
        items = tuple(one for item in compute.items for one in self._items(item))
        return replace(self.kernel, compute=Compute(items, compute.outputs), schedules=(), memories=())

    def _items(self, item: Item) -> list[Item]:
        match item:
            case Stage(name=name):
                return [*self.before.get(name, ()), self.changed.get(name, item)]
            case Ordered():
                # What is new does not hang on the steps, so it stands before all of them.
                placed = [p.stage.name for p in placed_stages(Compute((item,), ()))]
                return [*(new for name in placed for new in self.before.get(name, ())), self._changed(item)]
            case Table():
                return [item]

    def _changed(self, item: Item) -> Item:
        match item:
            case Stage(name=name):
                return self.changed.get(name, item)
            case Ordered(items=inner):
                return replace(item, items=tuple(self._changed(one) for one in inner))
            case Table():
                return item


def changed_value(value: Expr | Reduction, change: Change) -> Expr | Reduction:
    """Rewrite the value of a stage from the leaves up; the same object where nothing changed."""
    if not isinstance(value, Reduction):
        return transform(value, change)
    element = transform(value.element, change)
    over = tuple(_changed_over(one, change) for one in value.over)
    if element is value.element and all(a is b for a, b in zip(over, value.over, strict=True)):
        return value
    return replace(value, element=element, over=over)


def _changed_over(over: Over, change: Change) -> Over:
    conditions = tuple(transform(one, change) for one in over.conditions)
    if all(a is b for a, b in zip(conditions, over.conditions, strict=True)):
        return over
    return replace(over, conditions=conditions)


def named(axes: Mapping[str, Expr]) -> Change:
    """Put expressions in the place of axes."""
    return lambda node: axes.get(node.name) if isinstance(node, Axis) else None


def stage(name: str, axes: Mapping[str, int], dtype: DType, value: Expr | Reduction) -> Stage:
    """Make a stage from its axes with their sizes."""
    return Stage(name, tuple(axes), dtype, tuple(axes.values()), value)


def read(tensor: str, *indices: Expr | str | int) -> Read:
    """Read an element; a name is an axis, a number a literal."""
    return Read(tensor, tuple(index(one) for one in indices))


def index(one: Expr | str | int) -> Expr:
    """Make an index of a name or a number."""
    if isinstance(one, str):
        return Axis(one)
    return Literal(one) if isinstance(one, int) else one
