"""A Relax module made of fused functions, and the calls that its `main` makes to them, in order."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
from numpy.typing import NDArray
from tvm import ir, relax, te, tirx

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.compiler.tvm.relax.expressions import TYPES, type_of
from edgekernelbench.ir.dtype import DType

Array = NDArray[np.generic]

MAIN = "main"

MANY_SLICES = 4
OPAQUE = 8
"""TVM's number for an operator that is fused with none."""


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor that one call gives to others.

    Attributes:
        name: Its name, unique in the model.
        dtype: Element type.
        shape: Sizes.
    """

    name: str
    dtype: DType
    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """One call of `main`.

    Attributes:
        function: Name of the function that is called; of an operator that stayed one, its own.
        is_fused: Whether that is a function of TIR in the module.
        args: Names of values; `const:K` for the K-th constant.
        results: What it gives.
    """

    function: str
    is_fused: bool
    args: tuple[str, ...]
    results: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class FusedModel:
    """A model as calls of fused functions.

    Attributes:
        module: The Relax module.
        inputs: What `main` takes.
        calls: In order.
        outputs: Names of what it gives.
        constants: Weights, by number.
        operators: The operators of each fused function, in order.
    """

    module: Any
    inputs: tuple[Value, ...]
    calls: tuple[FunctionCall, ...]
    outputs: tuple[str, ...]
    constants: tuple[Array, ...]
    operators: dict[str, tuple[str, ...]]


def fuse(module: Any) -> FusedModel:
    """Legalise and fuse a module, and list what its `main` does.

    Args:
        module: A Relax module with static shapes, weights inside.

    Raises:
        CatalogueError: When a shape is not known before running.
    """
    passes = relax.transform
    first = [
        passes.FoldBatchnormToConv2D(),
        passes.DecomposeOpsForInference(),
        passes.CanonicalizeBindings(),
        passes.FoldConstant(),
        passes.DeadCodeElimination(),
        passes.LegalizeOps(customize_legalize_map={"relax.cumsum": _running_sum}),
        relax.backend.DispatchSortScan(),
        passes.AnnotateTIROpPattern(),
        passes.FoldConstant(),
    ]
    second = [passes.FuseOps(), passes.FuseTIR(), passes.DeadCodeElimination()]
    with tvm.target.Target("llvm"):
        legal = _with_lone_slices(tvm.ir.transform.Sequential(first)(module))
        fused = tvm.ir.transform.Sequential(second)(legal)
    words = [var.name_hint for var, func in legal.functions.items() if isinstance(func, tirx.PrimFunc)]
    return _Reader(fused, words).model()


def _running_sum(builder: Any, call: Any) -> Any:
    """Legalise a running sum as what it means; TVM's own code for it is a loop that carries a state."""
    (x,), attrs = call.args, call.attrs
    if attrs.axis is None or attrs.dtype not in ("", "void", None, x.ty.dtype) or attrs.exclusive:
        return call
    axis = int(attrs.axis) % len(x.ty.shape.values)

    def compute(data: Any) -> Any:
        before = te.reduce_axis((0, data.shape[axis]), "k")
        zero = tirx.const(0, data.dtype)

        def element(*place: Any) -> Any:
            at = [before.var if dim == axis else index for dim, index in enumerate(place)]
            return te.sum(tirx.if_then_else(before.var <= place[axis], data(*at), zero), axis=before)

        return te.compute(data.shape, element, name="running")

    return builder.call_te(compute, x, primfunc_name_hint="cumsum")


def _with_lone_slices(module: Any) -> Any:
    """Keep slices apart that differ in their place alone, where there are many.

    They come from loops that were unrolled. Fused into what reads them, they would make every step a function
    of its own, and a kernel for one step would be of no use to the next.
    """
    groups: dict[str, list[Any]] = {}
    for var, func in module.functions.items():
        if isinstance(func, tirx.PrimFunc) and var.name_hint.startswith("strided_slice"):
            form = str([(param.ty.dtype, list(map(int, param.ty.shape))) for param in func.params])
            groups.setdefault(form, []).append(var)
    for variables in groups.values():
        for var in variables if len(variables) >= MANY_SLICES else ():
            module[var] = module[var].with_attr("op_pattern", OPAQUE)
    return module


def module_text(module: Any) -> str:
    """Write a module as JSON, which `tvm.ir.load_json` reads; its constants are inside."""
    text: str = ir.save_json(module)
    return text


class _Reader:
    """Reads the bindings of `main`."""

    def __init__(self, module: Any, words: Sequence[str]) -> None:
        self._module = module
        self._words = sorted(set(words), key=len, reverse=True)
        self._values: dict[Any, tuple[str, ...]] = {}
        self._constants: list[Array] = []
        self._known: dict[Any, str] = {}
        self._calls: list[FunctionCall] = []
        self._taken: set[str] = set()

    def model(self) -> FusedModel:
        main = self._module[MAIN]
        inputs = []
        for param in main.params:
            values = self._new(param.name, param.ty)
            self._values[param] = tuple(value.name for value in values)
            inputs += values
        for block in main.body.blocks:
            for binding in block.bindings:
                self._bind(binding.var, binding.value)
        outputs = self._names(main.body.body)
        names = [
            var.name_hint for var, func in self._module.functions.items() if isinstance(func, tirx.PrimFunc)
        ]
        operators = {name: self._operators(name) for name in names}
        return FusedModel(
            self._module, tuple(inputs), tuple(self._calls), outputs, tuple(self._constants), operators
        )

    def _bind(self, var: Any, value: Any) -> None:
        if isinstance(value, relax.Call):
            self._values[var] = self._call(var, value)
        else:
            self._values[var] = self._names(value)

    def _call(self, var: Any, call: Any) -> tuple[str, ...]:
        fused = call.op == ir.Op.get("relax.call_tir")
        name = (
            call.args[0].name_hint if fused else str(getattr(call.op, "name", call.op)).removeprefix("relax.")
        )
        given = (
            call.args[1]
            if fused
            else relax.Tuple([a for a in call.args if not isinstance(a, relax.ShapeExpr)])
        )
        results = self._new(var.name, var.ty)
        if not fused:
            raise CatalogueError(f"TVM has no code for the operator {name}, which gives {results[0].name}")
        self._calls.append(FunctionCall(name, fused, self._names(given), tuple(results)))
        return tuple(value.name for value in results)

    def _names(self, node: Any) -> tuple[str, ...]:
        """Name the values of an expression."""
        match node:
            case ir.GenericConst():
                return (self._constant(node),)
            case relax.Tuple():
                return tuple(name for field in node.fields for name in self._names(field))
            case relax.TupleGetItem():
                return (self._names(node.tuple_value)[node.index],)
            case _:
                return self._values[node]

    def _constant(self, node: Any) -> str:
        if node not in self._known:
            self._known[node] = f"const:{len(self._constants)}"
            self._constants.append(node.value.numpy())
        return self._known[node]

    def _new(self, base: str, ty: Any) -> list[Value]:
        fields = list(ty.fields) if isinstance(ty, relax.TupleType) else [ty]
        for field in fields:
            if not isinstance(field, relax.TensorType) or str(field.dtype) not in TYPES:
                raise CatalogueError(
                    f"{base}: expected a tensor of numbers, of a shape that no data decide, found {field}"
                )
        return [
            Value(
                self._unique(base if len(fields) == 1 else f"{base}_{n}"), type_of(f.dtype), _shape(base, f)
            )
            for n, f in enumerate(fields)
        ]

    def _unique(self, base: str) -> str:
        name, number = base, 1
        while name in self._taken:
            number += 1
            name = f"{base}_{number}"
        self._taken.add(name)
        return name

    def _operators(self, name: str) -> tuple[str, ...]:
        return tuple(re.sub(r"\d+\Z", "", word) for word in _words(name.removeprefix("fused_"), self._words))


def _words(name: str, known: Sequence[str]) -> Iterator[str]:
    """Take the name of a fused function apart into those of what was fused."""
    while name:
        word = next((w for w in known if name == w or name.startswith(w + "_")), None)
        if word is None:
            word = name.partition("_")[0]
        yield word
        name = name[len(word) + 1 :]


def _shape(name: str, ty: Any) -> tuple[int, ...]:
    if not isinstance(ty, relax.TensorType) or not isinstance(ty.shape, relax.ShapeExpr):
        raise CatalogueError(f"{name}: expected a tensor whose shape is known before running, found {ty}")
    sizes = ty.shape.values
    if not all(isinstance(size, tirx.IntImm) for size in sizes):
        raise CatalogueError(f"{name}: expected sizes that are numbers, found {list(map(str, sizes))}")
    return tuple(int(size) for size in sizes)
