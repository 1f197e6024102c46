"""Sums of 8-bit products in the form of the dot instruction: zero points out, axes padded to its width.

A sum of `(x - z) * w` is the sum of `x * w` less `z` times the sum of `w`, which is known ahead of time:
exact, as all of it is whole numbers in 32 bits.
"""

from dataclasses import dataclass, replace

from edgekernelbench.agents.policy.rewrites.editing import Edit, read, stage
from edgekernelbench.ir.compute import Stage, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Axis, Binary, Cast, Compare, Expr, Literal, Read, Reduction, Select
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lowering.access import uses
from edgekernelbench.verify.facts import Facts

FOUR = 4
LEAST_DEPTH = 3
"""Steps along an axis below which padding to four costs more than it brings."""


@dataclass(frozen=True, slots=True)
class Factor:
    """One side of a product: `read - zero`."""

    read: Read
    zero: int


def dot_form(facts: Facts, lanes: int) -> tuple[Kernel, frozenset[str]] | None:
    """Bring sums of 8-bit products into the form of the instruction.

    Args:
        facts: The verified compute layer.
        lanes: Sums that one instruction works on.

    Returns:
        The kernel without directives, and the sums that are wider than what is read of them, which must not
        be computed inside their readers; None when there is no such sum.
    """
    edit = Edit(facts.kernel)
    found = 0
    wide: set[str] = set()
    for placed in placed_stages(facts.kernel.compute):
        one = edit.changed.get(placed.stage.name, placed.stage)
        if placed.group is None and one.name not in facts.kernel.compute.outputs:
            found += _rewrite(one, facts, edit, lanes)
            if edit.changed.get(one.name, one).shape != one.shape:
                wide.add(one.name)
    return (edit.done(), frozenset(wide)) if found else None


def _rewrite(one: Stage, facts: Facts, edit: Edit, lanes: int) -> bool:
    value = one.value
    if not isinstance(value, Reduction) or value.kind != "sum" or one.dtype is not DType.I32:
        return False
    product = value.element
    if not isinstance(product, Binary) or product.op != "*" or any(o.conditions for o in value.over):
        return False
    sides = [factor_of(product.left), factor_of(product.right)]
    if sides[0] is None or sides[1] is None:
        return False
    known = [
        side for side in sides if side is not None and _is_known(side.read.tensor, facts) and not side.zero
    ]
    if not known:
        return False
    weights = known[-1]
    data = sides[0] if sides[1] is weights else sides[1]
    steps = {o.axis: o.stop for o in value.over}
    depth = _depth(weights.read, data.read, steps)
    vector = _vector(weights.read, data.read, one)
    if depth is None or vector is None or any(o.start for o in value.over):
        return False
    if steps[depth] >= LEAST_DEPTH and one.shape[one.axes.index(vector)] >= lanes // 2:
        _write(_Sum(one, value, weights.read, data, depth, vector), edit, lanes)
        return True
    return False


def factor_of(node: Expr) -> Factor | None:
    """Read one side of a product as `read - zero`; None when it is something else."""
    node = _bare(node)
    match node:
        case Read(dtype=DType.I8 | DType.U8):
            return Factor(node, 0)
        case Binary(op="-" | "+" as op, left=left, right=right):
            inner, zero = _bare(left), _bare(right)
            if isinstance(inner, Read) and inner.dtype in (DType.I8, DType.U8) and isinstance(zero, Literal):
                sign = 1 if op == "-" else -1
                return Factor(inner, sign * int(zero.value))
            return None
        case _:
            return None


def _bare(node: Expr) -> Expr:
    while isinstance(node, Cast) and not node.saturate and node.to in (DType.I32, DType.I16):
        node = node.operand
    return node


def _is_known(tensor: str, facts: Facts) -> bool:
    return any(p.name == tensor and p.const for p in facts.kernel.params)


def _depth(weights: Read, data: Read, steps: dict[str, int]) -> str | None:
    """Choose the reduction axis that is done four at a time: one that needs no padding, or the longest."""
    plain = [a for a in steps if _alone(weights, a) and _alone(data, a)]
    return max(plain, key=lambda a: (steps[a] % FOUR == 0, steps[a]), default=None)


def _vector(weights: Read, data: Read, one: Stage) -> str | None:
    plain = [a for a in one.axes if _alone(weights, a) and not any(uses(i, a) for i in data.indices)]
    return max(plain, key=lambda a: one.shape[one.axes.index(a)], default=None)


def _alone(read_: Read, axis: str) -> bool:
    return [i for i in read_.indices if uses(i, axis)] == [Axis(axis)]


@dataclass(frozen=True, slots=True)
class _Sum:
    stage: Stage
    value: Reduction
    weights: Read
    data: Factor
    depth: str
    vector: str


def _write(found: _Sum, edit: Edit, lanes: int) -> None:
    one, weights, data = found.stage, found.weights, found.data.read
    size = one.shape[one.axes.index(found.vector)]
    steps = next(o.stop for o in found.value.over if o.axis == found.depth)
    wide, deep = -(-size // lanes) * lanes, -(-steps // FOUR) * FOUR
    if found.data.zero:
        _take_out(found, edit)
    if wide != size or deep != steps:
        bounds = {_dim(weights, found.vector): (size, wide), _dim(weights, found.depth): (steps, deep)}
        weights = _padded(weights, bounds, edit, one.name)
    if deep != steps:
        data = _padded(data, {_dim(data, found.depth): (steps, deep)}, edit, one.name)
    over = tuple(replace(o, stop=deep) if o.axis == found.depth else o for o in found.value.over)
    shape = tuple(wide if axis == found.vector else n for axis, n in zip(one.axes, one.shape, strict=True))
    value = Reduction("sum", Binary("*", data, weights), over)
    edit.changed[one.name] = replace(one, value=value, shape=shape)


def _dim(read_: Read, axis: str) -> int:
    return read_.indices.index(Axis(axis))


def _take_out(found: _Sum, edit: Edit) -> None:
    """Subtract the zero point's part where the sum is read."""
    one = found.stage
    axes = [a for a in one.axes if any(uses(i, a) for i in found.weights.indices)]
    sizes = dict(zip(one.axes, one.shape, strict=True))
    name = edit.fresh(f"{one.name}_zero")
    over = tuple(o for o in found.value.over if any(uses(i, o.axis) for i in found.weights.indices))
    missing = [o.stop for o in found.value.over if o not in over]
    times = found.data.zero
    for count in missing:
        times *= count
    element = Binary("*", found.weights, Literal(times))
    edit.add(
        stage(name, {a: sizes[a] for a in axes}, DType.I32, Reduction("sum", element, over)), before=one.name
    )
    dims = [one.axes.index(a) for a in axes]

    def change(node: Expr) -> Expr | None:
        if isinstance(node, Read) and node.tensor == one.name:
            return Binary("-", node, Read(name, tuple(node.indices[d] for d in dims)))
        return None

    edit.reread(change, but=frozenset({one.name}))


def _padded(what: Read, bounds: dict[int, tuple[int, int]], edit: Edit, before: str) -> Read:
    """Add a stage that holds a tensor with zeros behind the end of some axes; give the read of it."""
    shape = _shape(what.tensor, edit)
    axes = [edit.fresh(f"{what.tensor}_{d}") for d in range(len(shape))]
    conditions = [
        Compare(("<",), (Axis(axes[d]), Literal(size))) for d, (size, wide) in bounds.items() if size != wide
    ]
    whole: Expr = read(what.tensor, *axes)
    for condition in reversed(conditions):
        whole = Select(condition, whole, Literal(0))
    name = edit.fresh(f"{what.tensor}_wide")
    sizes = [bounds.get(d, (0, n))[1] for d, n in enumerate(shape)]
    edit.add(stage(name, dict(zip(axes, sizes, strict=True)), _dtype(what), whole), before=before)
    return Read(name, what.indices)


def _dtype(what: Read) -> DType:
    return DType.I8 if what.dtype is None else what.dtype


def _shape(tensor: str, edit: Edit) -> tuple[int, ...]:
    for param in edit.kernel.params:
        if param.name == tensor:
            return param.shape
    for placed in placed_stages(edit.kernel.compute):
        if placed.stage.name == tensor:
            return edit.changed.get(tensor, placed.stage).shape
    return next(s.shape for several in edit.before.values() for s in several if s.name == tensor)
