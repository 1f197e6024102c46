"""Names for what was raised: stages by what they are, axes by where they stand, parameters by their use."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from edgekernelbench.imports.tidy import loops_of, map_value
from edgekernelbench.ir.compute import Compute, Param, Stage
from edgekernelbench.ir.expr import Axis, Binary, Expr, Read, Reduction
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.lang.words import RESERVED

AXES: Mapping[int, tuple[str, ...]] = {
    0: (), 1: ("i",), 2: ("i", "j"), 3: ("h", "i", "j"), 4: ("n", "c", "i", "j"),
    5: ("n", "c", "d", "i", "j"),
}  # fmt: skip
"""Names of the axes of a tensor, by how many it has."""

WINDOW: Mapping[int, tuple[str, ...]] = {
    3: ("n", "k", "i"),
    4: ("n", "k", "i", "j"),
    5: ("n", "k", "d", "i", "j"),
}
"""Names of the axes of what a convolution gives."""

REDUCED = ("r", "s", "t", "u", "v", "p", "q")
MANY = "acdefghijklmnopqrstuv"

STAGES = (
    ("pad", "pad"), ("data_pad", "pad"), ("data_dilate", "spread"), ("kernel_transform", "flipped"),
    ("conv", "conv"), ("group_conv", "conv"), ("depthwise", "conv"), ("t_softmax_maxelem", "top"),
    ("t_softmax_expsum", "den"), ("t_softmax_exp", "ex"), ("t_softmax_norm", "share"), ("matmul", "product"),
    ("nt_matmul", "product"), ("t_batch_matmul", "product"), ("t_matmul", "product"), ("pool_max", "pool"),
    ("pool_avg", "mean"), ("pool_sum", "total"), ("adaptive_pool", "total"), ("t_add", "plus"),
    ("t_subtract", "less"), ("t_multiply", "scaled"), ("t_divide", "ratio"), ("t_transpose", "turned"),
    ("t_reshape", "view"), ("t_concat", "joined"), ("t_take", "taken"), ("t_strided_slice", "part"),
    ("compute", "point"), ("t_layer_norm", "norm"), ("t_relu", "relu"), ("resize", "resized"),
    ("t_cast", "cast"),
)  # fmt: skip
"""How names of TVM begin, and what such a stage is called."""

ENDINGS = (("_mean", "mean"), ("_var_sum", "square"), ("_sum", "total"))
KINDS = {"sum": "total", "prod": "product", "max": "top", "min": "low", "any": "some", "all": "every"}


@dataclass(slots=True)
class _Names:
    taken: set[str] = field(default_factory=lambda: set(RESERVED))

    def fresh(self, base: str) -> str:
        name, number = base, 1
        while name in self.taken:
            number += 1
            name = f"{base}{number}"
        self.taken.add(name)
        return name


def name_all(params: tuple[Param, ...], compute: Compute) -> tuple[tuple[Param, ...], Compute]:
    """Rename parameters, stages and axes.

    Args:
        params: The parameters, weights marked `const`.
        compute: Stages alone, in order.

    Returns:
        Both with names for people.
    """
    names = _Names()
    stages = [item for item in compute.items if isinstance(item, Stage)]
    named = {p.name: names.fresh(_param(p, stages)) for p in params}
    for stage in stages:
        base = "out" if stage.name in compute.outputs else _stage(stage)
        named[stage.name] = names.fresh(base)
    axes = _Axes({stage.name: stage for stage in stages})
    fresh = tuple(_renamed(stage, axes.of(stage), named) for stage in stages)
    outputs = tuple(named[name] for name in compute.outputs)
    return tuple(replace(p, name=named[p.name]) for p in params), Compute(fresh, outputs)


def _renamed(stage: Stage, axes: Mapping[str, str], named: Mapping[str, str]) -> Stage:
    def change(node: Expr) -> Expr | None:
        match node:
            case Axis(name=name):
                return replace(node, name=axes[name])
            case Read(tensor=tensor):
                return replace(node, tensor=named[tensor])
            case _:
                return None

    value = map_value(stage.value, change)
    if isinstance(value, Reduction):
        value = replace(value, over=tuple(replace(o, axis=axes[o.axis]) for o in value.over))
    return replace(stage, name=named[stage.name], axes=tuple(axes[a] for a in stage.axes), value=value)


def _stage(stage: Stage) -> str:
    name = stage.name
    found = next((word for start, word in STAGES if name.startswith(start)), None)
    found = found or next((word for end, word in ENDINGS if name.endswith(end)), None)
    if found is not None:
        return found
    if isinstance(stage.value, Reduction):
        return KINDS.get(stage.value.kind, "best")
    return "part"


def _param(param: Param, stages: Iterable[Stage]) -> str:
    if not param.const:
        return "x" if param.bounds is None else "index"
    if (
        any(isinstance(s.value, Reduction) and param.name in _tensors(s) for s in stages)
        and len(param.shape) > 1
    ):
        return "w"
    ops = {op for s in stages for root in expressions(s.value) for op in _applied(root, param.name)}
    match ops:
        case _ if ops and ops <= {"+", "-"}:
            return "bias"
        case _ if ops and ops <= {"*", "/"}:
            return "scale"
        case _:
            return "known"


def _tensors(stage: Stage) -> set[str]:
    return {n.tensor for root in expressions(stage.value) for n in walk(root) if isinstance(n, Read)}


def _applied(root: Expr, tensor: str) -> list[str]:
    return [
        node.op
        for node in walk(root)
        if isinstance(node, Binary)
        and any(isinstance(p, Read) and p.tensor == tensor for p in (node.left, node.right))
    ]


class _Axes:
    """Gives axes their names; what stands behind a convolution is named like it."""

    def __init__(self, stages: Mapping[str, Stage]) -> None:
        self._stages = stages
        self._behind = False

    def of(self, stage: Stage) -> dict[str, str]:
        """Name the axes of a stage, its reduction loops too."""
        loops = [o.axis for o in loops_of(stage)]
        if len(loops) > 1 and _windowed(stage) and len(stage.axes) in WINDOW:
            self._behind = True
        names = dict(zip(stage.axes, self._data(len(stage.axes)), strict=True))
        whole = _whole_read(stage, loops)
        if whole is not None:
            return dict(zip(whole, self._data(len(whole)), strict=True))
        convolved = self._behind and _windowed(stage)
        if len(loops) == 1 and "k" not in names.values():
            order: tuple[str, ...] = ("k",)
        elif convolved and len(loops) > len(stage.axes) - 2:
            order = ("c", *REDUCED)
        else:
            order = REDUCED
        free = [name for name in (*order, *REDUCED, *MANY) if name not in names.values()]
        return names | dict(zip(loops, free, strict=False))

    def _data(self, rank: int) -> tuple[str, ...]:
        if self._behind and rank in WINDOW:
            return WINDOW[rank]
        return AXES.get(rank, tuple(MANY[:rank]))


def _windowed(stage: Stage) -> bool:
    """Whether a stage reads at sums of axes."""
    reads = [n for root in expressions(stage.value) for n in walk(root) if isinstance(n, Read)]
    return len(reads) > 1 and any(isinstance(index, Binary) for read in reads for index in read.indices)


def _whole_read(stage: Stage, loops: list[str]) -> list[str] | None:
    """Find the axes of a tensor that a reduction reads along plain axes, each once, in the tensor's order."""
    if not loops:
        return None
    wanted = sorted((*stage.axes, *loops))
    for root in expressions(stage.value):
        for node in walk(root):
            if isinstance(node, Read) and all(isinstance(i, Axis) for i in node.indices):
                found = [i.name for i in node.indices if isinstance(i, Axis)]
                if sorted(found) == wanted:
                    return found
    return None
