"""16-bit and 8-bit factors of sums widened once, instead of at every use.

A load that is followed by a conversion costs two or three times as much; what is read again and again is
better stored in 32 bits. Values are the same: each is converted before it is used, as before.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import prod

from edgekernelbench.agents.policy.rewrites.editing import Edit, read, stage
from edgekernelbench.ir.compute import Param, Stage, placed_stages
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Cast, Expr, Read, Reduction
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.verify.facts import Facts

NARROW = (DType.F16, DType.BF16, DType.I8, DType.U8)
OFTEN = 8
"""Uses of an element from which on converting it once pays."""

LARGEST = 1 << 22
"""Elements up to which a tensor is stored wider: it takes more of the caches then."""


def widened(facts: Facts) -> tuple[Kernel, frozenset[str]] | None:
    """Store narrow tensors that sums convert again and again in `f32`.

    Args:
        facts: The verified compute layer.

    Returns:
        The kernel without directives, and the new stages, which must not be inlined; None when there is no
        such tensor.
    """
    edit = Edit(facts.kernel)
    kept: set[str] = set()
    for name in _candidates(facts):
        tensor = facts.tensor(name)
        if isinstance(tensor, Stage):
            edit.changed[name] = replace(tensor, dtype=DType.F32, value=_cast(tensor))
            _reread(edit, name, name, tensor.dtype)
            continue
        if not isinstance(tensor, Param):
            continue
        wide = edit.fresh(f"{name}_f")
        axes = [edit.fresh(f"{name}_{d}") for d in range(len(tensor.shape))]
        first = next(
            p.stage.name for p in placed_stages(facts.kernel.compute) if name in _narrow_reads(p.stage)
        )
        sizes = dict(zip(axes, tensor.shape, strict=True))
        edit.add(stage(wide, sizes, DType.F32, Cast(DType.F32, read(name, *axes))), before=first)
        kept.add(wide)
        _reread(edit, name, wide, None)
    return (edit.done(), frozenset(kept)) if kept or edit.changed else None


def _cast(tensor: Stage) -> Expr:
    value = tensor.value
    return Cast(DType.F32, value) if not isinstance(value, Reduction) else value.element


def _reread(edit: Edit, old: str, new: str, dtype: DType | None) -> None:
    """Read the wide tensor where `f32(…)` of the narrow one stood; elsewhere narrow it again."""

    def change(node: Expr) -> Expr | None:
        match node:
            case Cast(to=DType.F32, operand=Read(tensor=name, indices=indices)) if name == old:
                return Read(new, indices)
            case Cast(to=DType.F32, operand=Cast(to=narrow, operand=Read(tensor=name) as inner)) if (
                name == new and narrow is dtype
            ):
                return inner
            case Read(tensor=name) if name == old and dtype is not None:
                return Cast(dtype, node)
            case _:
                return None

    edit.reread(change, but=frozenset({old}))


def _candidates(facts: Facts) -> Iterator[str]:
    """List the tensors that are worth it: read often by sums, under a conversion to `f32`."""
    uses: dict[str, int] = {}
    for placed in placed_stages(facts.kernel.compute):
        one = placed.stage
        if not isinstance(one.value, Reduction):
            continue
        runs = prod(one.shape) * prod(o.stop - o.start for o in one.value.over)
        for name in _narrow_reads(one):
            uses[name] = uses.get(name, 0) + runs
    grouped = {p.stage.name for p in placed_stages(facts.kernel.compute) if p.group is not None}
    for name, times in uses.items():
        tensor = facts.tensor(name)
        size = prod(tensor.shape)
        plain = isinstance(tensor, Param) or (
            isinstance(tensor, Stage)
            and not isinstance(tensor.value, Reduction)
            and name not in facts.kernel.compute.outputs
            and name not in grouped
            and tensor.dtype in (DType.F16, DType.BF16)
        )
        if plain and times >= OFTEN * size and size <= LARGEST:
            yield name


def _narrow_reads(one: Stage) -> frozenset[str]:
    found = (node for part in expressions(one.value) for node in walk(part))
    return frozenset(
        node.operand.tensor
        for node in found
        if isinstance(node, Cast)
        and node.to is DType.F32
        and isinstance(node.operand, Read)
        and node.operand.dtype in NARROW
    )
