"""Reductions over windows: the edge padded once, one axis after the other, long windows in two steps.

A maximum, minimum or sum over `x[i + r, j + s]` is that over `s` of every row, and then that over `r`.
Conditions that keep indices in range become a stage that holds what changes nothing outside. A window of 15
is three windows of 5 beside each other; minima and maxima may overlap.
"""

from dataclasses import dataclass, replace
from math import isqrt

from edgekernelbench.agents.policy.rewrites.editing import Edit, stage
from edgekernelbench.ir.compute import Stage, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import (
    Axis,
    Binary,
    Call,
    Cast,
    Compare,
    Expr,
    Literal,
    Logic,
    Over,
    Read,
    Reduction,
    Select,
)
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lowering.access import affine, uses
from edgekernelbench.nest.linear import linear
from edgekernelbench.verify.facts import Facts

KINDS = ("sum", "max", "min")
LONG = 9
"""Steps from which on a window is worth two steps of its own."""


@dataclass(frozen=True, slots=True)
class Window:
    """One axis of a window.

    Attributes:
        dim: Which dimension of the tensor it runs along.
        over: Its reduction axis.
        axis: The data axis that moves it.
        count: Positions of that axis.
        step: How far it moves.
        first: The index at the first position of both.
    """

    dim: int
    over: Over
    axis: str
    count: int
    step: int
    first: int

    @property
    def length(self) -> int:
        """Steps of the window."""
        return self.over.stop

    @property
    def extent(self) -> int:
        """Positions of the tensor that windows touch."""
        return self.step * (self.count - 1) + self.length

    def index(self, offset: Expr) -> Expr:
        """Count from the first position: where the window of the axis is, and so far into it."""
        moved = Axis(self.axis) if self.step == 1 else Binary("*", Literal(self.step), Axis(self.axis))
        return Binary("+", moved, offset)


def windows_apart(facts: Facts) -> Kernel | None:
    """Take reductions over windows apart.

    Args:
        facts: The verified compute layer.

    Returns:
        The kernel without directives; None when there is no such reduction.
    """
    edit = Edit(facts.kernel)
    found = False
    for placed in placed_stages(facts.kernel.compute):
        if placed.group is None and _rewrite(placed.stage, facts, edit):
            found = True
    return edit.done() if found else None


def _rewrite(one: Stage, facts: Facts, edit: Edit) -> bool:
    value = one.value
    if not isinstance(value, Reduction) or value.kind not in KINDS:
        return False
    source = value.element
    while isinstance(source, Cast) and not source.saturate:
        source = source.operand
    if not isinstance(source, Read) or source.dtype is None:
        return False
    windows = _windows(one, value, source)
    if windows is None or not _conditions_hold(value, source, facts):
        return False
    guarded = any(o.conditions for o in value.over)
    if not guarded and len(windows) < 2 and all(w.length < LONG or w.step > 1 for w in windows):
        return False
    _Writing(one, value, source, windows, facts, edit).write(guarded=guarded)
    return True


def _windows(one: Stage, value: Reduction, source: Read) -> list[Window] | None:
    """Read the windows off the indices; None when one of them is something else."""
    sizes = dict(zip(one.axes, one.shape, strict=True))
    found = []
    for over in value.over:
        dims = [d for d, i in enumerate(source.indices) if uses(i, over.axis)]
        if len(dims) != 1 or over.start:
            return None
        form = affine(source.indices[dims[0]])
        others = [] if form is None else [a for a in form if a != over.axis]
        if form is None or form.get(over.axis) != 1 or len(others) != 1 or form[others[0]] < 1:
            return None
        (axis,) = others
        if axis not in sizes:
            return None
        first = linear(source.indices[dims[0]]).constant
        found.append(Window(dims[0], over, axis, sizes[axis], form[axis], first))
    dims_used = [w.dim for w in found]
    return found if len(set(dims_used)) == len(dims_used) else None


def _conditions_hold(value: Reduction, source: Read, facts: Facts) -> bool:
    """Say whether all conditions do is keep indices in range."""
    shape = facts.tensor(source.tensor).shape
    ranges = {(i, n) for i, n in zip(source.indices, shape, strict=True)}
    for over in value.over:
        for condition in over.conditions:
            parts = (
                condition.operands if isinstance(condition, Logic) and condition.op == "and" else (condition,)
            )
            for part in parts:
                match part:
                    case Compare(
                        ops=("<=", "<"), operands=(Literal(value=0), index, Literal(value=int(size)))
                    ) if (
                        index,
                        size,
                    ) in ranges:
                        continue
                    case _:
                        return False
    return True


@dataclass
class _Writing:
    one: Stage
    value: Reduction
    source: Read
    windows: list[Window]
    facts: Facts
    edit: Edit

    def write(self, *, guarded: bool) -> None:
        """Write the stages: the padded tensor, one for each axis but the last, and the stage itself."""
        one = self.one
        wide = DType.F32 if one.dtype in (DType.F16, DType.BF16) else one.dtype
        name, firsts = self.source.tensor, {w.dim: w.first for w in self.windows}
        if guarded or self.source.dtype is not wide:
            name, firsts = self._padded(wide), dict.fromkeys(firsts, 0)
        shape = list(self.facts.tensor(self.source.tensor).shape)
        if name != self.source.tensor:
            for window in self.windows:
                shape[window.dim] = window.extent
        order = sorted(self.windows, key=lambda w: -w.dim)
        for window in order[:-1]:
            name = self._reduced(name, shape, window, firsts.pop(window.dim), wide)
            shape[window.dim] = window.count
        last = order[-1]
        moved = {w.dim: Axis(w.axis) for w in self.windows}
        read_at = tuple(moved.get(d, index) for d, index in enumerate(self.source.indices))
        result = self._along(name, read_at, last, firsts[last.dim], wide)
        self._finish(result, wide)

    def _finish(self, result: Expr | Reduction, wide: DType) -> None:
        one = self.one
        if wide is one.dtype:
            self.edit.changed[one.name] = replace(one, value=result)
            return
        name = self.edit.fresh(f"{one.name}_wide")
        sizes = dict(zip(one.axes, one.shape, strict=True))
        self.edit.add(stage(name, sizes, wide, result), before=one.name)
        whole = Cast(one.dtype, Read(name, tuple(Axis(a) for a in one.axes)))
        self.edit.changed[one.name] = replace(one, value=whole)

    def _padded(self, wide: DType) -> str:
        """Add the tensor with what changes nothing outside of it."""
        shape = list(self.facts.tensor(self.source.tensor).shape)
        axes = [self.edit.fresh(f"{self.one.name}_{d}") for d in range(len(shape))]
        indices: list[Expr] = [Axis(a) for a in axes]
        tests: list[Expr] = []
        for window in self.windows:
            place = Binary("+", Axis(axes[window.dim]), Literal(window.first))
            indices[window.dim] = place if window.first else Axis(axes[window.dim])
            if window.first < 0 or window.first + window.extent > shape[window.dim]:
                tests.append(
                    Compare(("<=", "<"), (Literal(0), indices[window.dim], Literal(shape[window.dim])))
                )
            shape[window.dim] = window.extent
        inner: Expr = Read(self.source.tensor, tuple(indices))
        inner = inner if self.source.dtype is wide else Cast(wide, inner)
        whole = Logic("and", tuple(tests)) if len(tests) > 1 else tests[0] if tests else None
        value = inner if whole is None else Select(whole, inner, _nothing(self.value.kind, wide))
        name = self.edit.fresh(f"{self.one.name}_pad")
        self.edit.add(stage(name, dict(zip(axes, shape, strict=True)), wide, value), before=self.one.name)
        return name

    def _reduced(self, name: str, shape: list[int], window: Window, first: int, wide: DType) -> str:
        """Add a stage that reduces along one axis of a tensor, all positions of the others."""
        axes = [self.edit.fresh(f"{self.one.name}_{d}") for d in range(len(shape))]
        sizes = [window.count if d == window.dim else n for d, n in enumerate(shape)]
        mine = replace(window, axis=axes[window.dim])
        result = self._along(name, tuple(Axis(a) for a in axes), mine, first, wide)
        made = self.edit.fresh(f"{self.one.name}_row")
        self.edit.add(stage(made, dict(zip(axes, sizes, strict=True)), wide, result), before=self.one.name)
        return made

    def _along(
        self, name: str, indices: tuple[Expr, ...], window: Window, first: int, wide: DType
    ) -> Expr | Reduction:
        """Write the reduction along one axis; a long one as a few windows beside each other."""

        def at(tensor: str, offset: Expr) -> Read:
            place = window.index(Binary("+", offset, Literal(first)) if first else offset)
            return Read(tensor, (*indices[: window.dim], place, *indices[window.dim + 1 :]))

        if window.length < LONG or window.step > 1:
            over = replace(window.over, conditions=())
            return Reduction(self.value.kind, at(name, Axis(over.axis)), (over,))
        part = isqrt(window.length)
        name, first_read = self._parts(name, indices, window, part, first, wide)
        first = 0
        count, rest = divmod(window.length, part)
        terms: list[Expr] = [at(name, Literal(part * k)) for k in range(count)]
        if rest and self.value.kind != "sum":
            terms.append(at(name, Literal(window.length - part)))
        elif rest:
            for k in range(rest):
                place = window.index(Literal(first_read[1] + part * count + k))
                terms.append(Read(first_read[0], (*indices[: window.dim], place, *indices[window.dim + 1 :])))
        return _joined(self.value.kind, terms)

    def _parts(
        self, name: str, indices: tuple[Expr, ...], window: Window, part: int, first: int, wide: DType
    ) -> tuple[str, tuple[str, int]]:
        """Add the windows of a part of the length; give their stage, and the tensor with its first index."""
        axes = [self.edit.fresh(f"{self.one.name}_{d}") for d in range(len(indices))]
        shape = self._shape(name)
        sizes = [window.extent - part + 1 if d == window.dim else n for d, n in enumerate(shape)]
        over = Over(self.edit.fresh(f"{self.one.name}_u"), 0, part)
        place: Expr = Binary("+", Axis(axes[window.dim]), Axis(over.axis))
        place = Binary("+", place, Literal(first)) if first else place
        whole = tuple(place if d == window.dim else Axis(a) for d, a in enumerate(axes))
        made = self.edit.fresh(f"{self.one.name}_part")
        value = Reduction(self.value.kind, Read(name, whole), (over,))
        self.edit.add(stage(made, dict(zip(axes, sizes, strict=True)), wide, value), before=self.one.name)
        return made, (name, first)

    def _shape(self, name: str) -> tuple[int, ...]:
        new = [s for several in self.edit.before.values() for s in several]
        found = next((s.shape for s in new if s.name == name), None)
        return self.facts.tensor(name).shape if found is None else found


def _nothing(kind: str, dtype: DType) -> Expr:
    """Give what changes no result."""
    if kind == "sum":
        return Literal(0.0 if dtype.is_float else 0)
    if dtype.is_float:
        return Literal(float("-inf") if kind == "max" else float("inf"))
    low, high = dtype.bounds
    return Literal(low if kind == "max" else high)


def _joined(kind: str, terms: list[Expr]) -> Expr:
    if kind != "sum":
        return Call(kind, tuple(terms)) if len(terms) > 1 else terms[0]
    total = terms[0]
    for term in terms[1:]:
        total = Binary("+", total, term)
    return total
