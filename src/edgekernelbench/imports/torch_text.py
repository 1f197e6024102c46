"""The PyTorch function of a raised kernel: what a task card shows, and what a library is timed with.

Written from the stages: convolutions, paddings and products of tensors as the library has them, what reads
along plain axes as views, and everything else with tensors of indices.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import assert_never

from edgekernelbench.base.errors import InternalError
from edgekernelbench.imports.torch_forms import conv_call, pad_call
from edgekernelbench.ir.compute import Item, Ordered, Param, Stage
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
    Power,
    Read,
    Reduction,
    Select,
    Unary,
)
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import walk

TYPES: Mapping[DType, str] = {
    DType.BOOL: "torch.bool", DType.I4: "torch.int8", DType.U4: "torch.uint8", DType.I8: "torch.int8",
    DType.U8: "torch.uint8", DType.I16: "torch.int16", DType.U16: "torch.uint16", DType.I32: "torch.int32",
    DType.U32: "torch.uint32", DType.I64: "torch.int64", DType.F16: "torch.float16",
    DType.BF16: "torch.bfloat16", DType.F32: "torch.float32", DType.F64: "torch.float64",
}  # fmt: skip

FUNCTIONS: Mapping[str, str] = {
    name: f"torch.{name}" for name in (
        "abs", "floor", "ceil", "trunc", "round", "sqrt", "rsqrt", "exp", "exp2", "log", "log2", "sin", "cos",
        "tan", "asin", "acos", "atan", "atan2", "tanh", "sigmoid", "erf", "pow",
    )
}  # fmt: skip
REDUCED: Mapping[str, str] = {
    "sum": "sum", "max": "amax", "min": "amin", "any": "any", "all": "all", "prod": "prod",
}  # fmt: skip
LETTERS = "abcdefghijklmnopqrstuvwxyz"


def torch_text(kernel: Kernel) -> str:
    """Write the PyTorch function of a kernel.

    Args:
        kernel: A verified kernel whose every widening is a cast, without groups.

    Returns:
        A module with one function of the kernel's name.
    """
    writer = _Writer({p.name: p for p in kernel.params})
    lines = [line for item in kernel.compute.items for line in writer.item(item)]
    params = ", ".join(p.name for p in kernel.params)
    what = kernel.doc.partition("\n")[0] or f"{kernel.name}."
    given = kernel.compute.outputs
    body = "\n".join(f"    {line}" for line in [*lines, f"return {', '.join(given)}"])
    imports = "import torch\n" + ("from torch.nn import functional\n" if "functional." in body else "")
    return f'"""{what}"""\n\n{imports}\n\ndef {kernel.name}({params}):\n    """{what}"""\n{body}\n'


@dataclass(slots=True)
class _Writer:
    """Writes stages; knows the tensors above."""

    tensors: dict[str, Param | Stage]

    def item(self, item: Item) -> Iterator[str]:
        """Write a stage, or a group that `ordering` made."""
        match item:
            case Stage():
                yield from self.stage(item)
            case Ordered(axis=step, items=(Stage(value=Binary(left=own)) as stage,)):
                yield from self._general(replace(stage, value=own))
                dim, kind = stage.axes.index(step), TYPES[stage.dtype]
                yield f"{stage.name} = {stage.name}.cumsum({dim}, dtype={kind})"
                self.tensors[stage.name] = stage
            case _:
                raise InternalError("expected stages and running sums")

    def stage(self, stage: Stage) -> Iterator[str]:
        """Write one stage as statements."""
        shapes = {name: tensor.shape for name, tensor in self.tensors.items()}
        known = pad_call(stage, shapes) or conv_call(stage, shapes)
        if known is not None:
            yield f"{stage.name} = {known}"
        else:
            yield from self._general(stage)
        self.tensors[stage.name] = stage

    def _general(self, stage: Stage) -> Iterator[str]:
        value = stage.value
        over = value.over if isinstance(value, Reduction) else ()
        space = _Space(tuple(zip(stage.axes, stage.shape, strict=True)), over, self.tensors)
        text = self._reduction(stage, value, space) if isinstance(value, Reduction) else space.text(value)
        for axis, size, place in space.grid():
            dims = ", ".join(str(-1 if n == place else 1) for n in range(space.rank))
            start = next((o.start for o in over if o.axis == axis), 0)
            yield f"{axis}_ = torch.arange({start}, {start + size}).view({dims})"
        shape = ", ".join(map(str, stage.shape))
        if _is_plain(value):
            text = f"torch.as_tensor({text}, dtype={TYPES[stage.dtype]})"
        spread = not isinstance(value, Reduction) and not self._covers(stage, value)
        yield f"{stage.name} = " + (f"({text}).expand({shape})" if spread and stage.shape else text)

    def _covers(self, stage: Stage, value: Expr) -> bool:
        """Whether some tensor is read along all axes, so that nothing need be spread."""
        return any(
            isinstance(node, Read)
            and {i.name for i in node.indices if isinstance(i, Axis)} >= set(stage.axes)
            for node in walk(value)
        )

    def _reduction(self, stage: Stage, value: Reduction, space: "_Space") -> str:
        product = self._einsum(stage, value)
        if product is not None:
            return product
        dims = tuple(range(len(stage.axes), space.rank))
        sizes = [o.stop - o.start for o in value.over]
        element = space.text(value.element)
        if value.kind in ("argmax", "argmin") and len(dims) == 1:
            spread = ", ".join(map(str, (*stage.shape, *sizes)))
            return f"({element}).expand({spread}).{value.kind}({dims[0]}).to({TYPES[stage.dtype]})"
        if any(o.conditions for o in value.over) or value.kind not in REDUCED:
            raise InternalError(f"expected a plain reduction, found {value.kind} with conditions")
        whole = (*stage.shape, *sizes)
        return _reduce(value.kind, f"({element}).expand({', '.join(map(str, whole))})", dims, stage.dtype)

    def _einsum(self, stage: Stage, value: Reduction) -> str | None:
        """Write a sum of products of two tensors along plain axes."""
        match value.element:
            case Binary(op="*", left=Read() as left, right=Read() as right) if stage.dtype.is_float:
                pass
            case _:
                return None
        if value.kind != "sum" or any(o.conditions or o.start for o in value.over):
            return None
        letters = dict(zip((*stage.axes, *(o.axis for o in value.over)), LETTERS, strict=False))
        sides = []
        for read in (left, right):
            axes = [i for i in read.indices if isinstance(i, Axis)]
            names = [i.name for i in axes]
            rest = [i for i in read.indices if not isinstance(i, Axis)]
            if len(set(names)) != len(names) or not all(isinstance(i, Literal) for i in rest):
                return None
            sizes = dict(zip(stage.axes, stage.shape, strict=True)) | {o.axis: o.stop for o in value.over}
            full = self.tensors[read.tensor].shape
            if any(
                isinstance(i, Axis) and sizes[i.name] != n for i, n in zip(read.indices, full, strict=True)
            ):
                return None
            sides.append(("".join(letters[n] for n in names), _selected(read)))
        if {c for s, _ in sides for c in s} != set(letters.values()):
            return None
        result = "".join(letters[axis] for axis in stage.axes)
        (first, one), (second, two) = sides
        return f'torch.einsum("{first},{second}->{result}", {one}, {two})'


def _reduce(kind: str, text: str, dims: tuple[int, ...], dtype: DType) -> str:
    if kind == "prod":
        for dim in reversed(dims):
            text = f"{text}.prod({dim}, dtype={TYPES[dtype]})"
        return text
    if kind == "sum":
        return f"{text}.sum({dims}, dtype={TYPES[dtype]})"
    return f"{text}.{REDUCED[kind]}({dims})"


def _selected(read: Read) -> str:
    """Write a tensor with the axes of which one place is read left out."""
    if all(isinstance(i, Axis) for i in read.indices):
        return read.tensor
    parts = [
        ":" if isinstance(i, Axis) else str(i.value) if isinstance(i, Literal) else "" for i in read.indices
    ]
    while parts and parts[-1] == ":":
        parts.pop()
    return f"{read.tensor}[{', '.join(parts)}]"


def _is_plain(value: Expr | Reduction) -> bool:
    """Whether a value may come out as a number instead of a tensor."""
    return not isinstance(value, Reduction) and not any(isinstance(n, Read) for n in walk(value))


class _Space:
    """The axes of one stage, its reduction loops behind them; parts of an expression lie along all."""

    def __init__(
        self, data: tuple[tuple[str, int], ...], over: Sequence[Over], tensors: Mapping[str, Param | Stage]
    ) -> None:
        self._sizes = dict(data) | {o.axis: o.stop - o.start for o in over}
        self._starts = {o.axis: o.start for o in over}
        self._places = {axis: place for place, axis in enumerate(self._sizes)}
        self._tensors = tensors
        self._used: set[str] = set()
        self.rank = len(self._sizes)

    def grid(self) -> Iterator[tuple[str, int, int]]:
        """List the axes of which a tensor of positions is needed: name, size, place."""
        for axis, place in self._places.items():
            if axis in self._used:
                yield axis, self._sizes[axis], place

    def text(self, node: Expr) -> str:
        """Write an expression as a tensor along all axes, or as one that spreads over them."""
        match node:
            case Literal(value=value):
                return _number(value)
            case Axis(name=name):
                self._used.add(name)
                return f"{name}_"
            case Read():
                return self._read(node)
            case Unary(op=op, operand=operand):
                return f"(-{self.text(operand)})" if op == "-" else f"(~{self.text(operand)})"
            case Binary(op=op, left=left, right=right):
                return f"({self.text(left)} {op} {self.text(right)})"
            case Power(base=base, exponent=exponent):
                return f"{self.text(base)} ** {exponent}"
            case Compare(ops=ops, operands=operands):
                pairs = zip(ops, operands, operands[1:], strict=False)
                return "(" + " & ".join(f"({self.text(a)} {op} {self.text(b)})" for op, a, b in pairs) + ")"
            case Logic(op=op, operands=operands):
                return "(" + f" {'&' if op == 'and' else '|'} ".join(map(self.text, operands)) + ")"
            case Select(condition=condition, then=then, other=other):
                return f"torch.where({self.text(condition)}, {self.text(then)}, {self.text(other)})"
            case Call():
                return self._call(node)
            case Cast(to=to, operand=operand, saturate=saturate):
                return self._cast(to, operand, saturate=saturate)
            case _:
                assert_never(node)

    def _cast(self, to: DType, operand: Expr, *, saturate: bool) -> str:
        if isinstance(operand, Literal):
            return self.text(operand)
        inner = self.text(operand)
        if saturate:
            low, high = to.bounds
            inner = f"{inner}.clamp({low}, {high})"
        return f"{inner}.to({TYPES[to]})"

    def _call(self, node: Call) -> str:
        name, args = node.function, node.args
        if name in ("max", "min"):
            text = self.text(args[0])
            for arg in args[1:]:
                text = self._extreme(name, text, args[0], arg)
            return text
        if name == "clamp":
            low, high = (self.text(arg) for arg in args[1:])
            return f"torch.clamp({self.text(args[0])}, {low}, {high})"
        if name not in FUNCTIONS:
            raise InternalError(f"expected a function of PyTorch, found {name}")
        return f"{FUNCTIONS[name]}({', '.join(map(self.text, args))})"

    def _extreme(self, name: str, text: str, first: Expr, other: Expr) -> str:
        if isinstance(other, Literal):
            return f"torch.clamp({text}, {'min' if name == 'max' else 'max'}={self.text(other)})"
        if isinstance(first, Literal):
            return f"torch.clamp({self.text(other)}, {'min' if name == 'max' else 'max'}={text})"
        return f"torch.{'maximum' if name == 'max' else 'minimum'}({text}, {self.text(other)})"

    def _read(self, node: Read) -> str:
        shape = self._tensors[node.tensor].shape
        if not node.indices:
            return node.tensor
        names = [i.name for i in node.indices if isinstance(i, Axis)]
        simple = all(
            isinstance(i, Literal)
            or (isinstance(i, Axis) and self._sizes[i.name] == size and not self._starts.get(i.name, 0))
            for i, size in zip(node.indices, shape, strict=True)
        )
        if simple and len(set(names)) == len(names):
            return self._view(node, names)
        places = [
            f"({self.text(index)}).clamp(0, {size - 1})"
            if not isinstance(index, Literal)
            else str(index.value)
            for index, size in zip(node.indices, shape, strict=True)
        ]
        return f"{node.tensor}[{', '.join(places)}]"

    def _view(self, node: Read, names: list[str]) -> str:
        """Write a read along plain axes: in the order of the space, with axes of one between."""
        text = _selected(node)
        order = sorted(range(len(names)), key=lambda n: self._places[names[n]])
        if order != list(range(len(names))):
            text = f"{text}.permute({', '.join(map(str, order))})"
        held = {self._places[name] for name in names}
        if not held or max(held) + 1 == len(held):
            tail = self.rank - len(held)
            return f"{text}[{', '.join([':'] * len(held) + ['None'] * tail)}]" if tail and held else text
        first = min(held)
        if all(place in held for place in range(first, self.rank)):
            return text
        parts = [":" if place in held else "None" for place in range(self.rank)]
        return f"{text}[{', '.join(parts)}]"


def _number(value: float) -> str:
    if value == float("inf"):
        return 'float("inf")'
    if value == float("-inf"):
        return '-float("inf")'
    return repr(value)
