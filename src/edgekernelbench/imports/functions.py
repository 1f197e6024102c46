"""The distinct functions of a fused model, each as a kernel text or with the reason why it is none."""

import keyword
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import SourceError
from edgekernelbench.compiler.tvm.relax.expressions import NotRaisedError
from edgekernelbench.compiler.tvm.relax.fusing import FunctionCall, FusedModel
from edgekernelbench.compiler.tvm.relax.raising import raise_function
from edgekernelbench.imports.naming import name_all
from edgekernelbench.imports.ordering import with_running_sums
from edgekernelbench.imports.record import CONSTANT
from edgekernelbench.imports.tidy import tidy
from edgekernelbench.ir.compute import Compute, Param, placed_stages
from edgekernelbench.ir.expr import Read
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.ir.walk import expressions, walk
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.verify.compute import verify_compute

Array = NDArray[np.generic]


LONGEST_NAME = 40
MOST_WORDS = 4

QUIET = frozenset({
    "reshape", "transpose", "squeeze", "unsqueeze", "expand_dims", "broadcast_to", "flatten", "permute_dims",
    "cast", "astype",
})  # fmt: skip
"""Operators that only move elements: no part of a name, unless there is nothing else."""

WORDS = {"conv2d": "conv", "conv1d": "conv1d", "multiply": "mul", "subtract": "sub", "divide": "div",
         "tir_sigmoid": "sigmoid", "tir_tanh": "tanh", "tir_exp": "exp", "strided_slice": "slice",
         "group_conv2d": "conv", "concatenate": "concat", "conv2d_transpose": "conv_transpose"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Found:
    """One distinct function.

    Attributes:
        name: What we call it, unique in the model.
        functions: Names of the functions of TVM that are this one.
        operators: What was fused, in order.
        kernel: It as a kernel, compute alone; None when it was not raised.
        reason: Why it was not; empty when it was.
    """

    name: str
    functions: tuple[str, ...]
    operators: tuple[str, ...]
    kernel: Kernel | None
    reason: str


def raise_all(model: FusedModel) -> tuple[Found, ...]:
    """Raise every function that a model calls.

    Args:
        model: The model.

    Returns:
        Each distinct function once, in the order of the first call.
    """
    found: dict[str, Found] = {}
    for name, calls in _calls_by_function(model).items():
        operators = model.operators.get(name, (name,))
        kernel, reason = _raised(model, name, calls)
        key = name if kernel is None else print_kernel(replace(kernel, name="f"))
        if key in found:
            found[key] = replace(found[key], functions=(*found[key].functions, name))
            continue
        taken = {other.name for other in found.values()}
        found[key] = Found(_unique(short_name(operators), taken), (name,), operators, kernel, reason)
    return tuple(
        f if f.kernel is None else replace(f, kernel=replace(f.kernel, name=f.name)) for f in found.values()
    )


def short_name(operators: Sequence[str]) -> str:
    """Make a name of what was fused: the operators that compute, the first few of them.

    Args:
        operators: Their names.

    Returns:
        A name of the language.
    """
    words = [WORDS.get(op, op).removeprefix("tir_") for op in operators if op not in QUIET]
    words = [w for n, w in enumerate(words) if n == 0 or w != words[n - 1]] or [
        WORDS.get(operators[0], operators[0])
    ]
    name = "_".join(words[:MOST_WORDS]).replace(".", "_").lower()[:LONGEST_NAME].strip("_")
    return name if name.isidentifier() and not keyword.iskeyword(name) else f"f_{name}"


def _unique(base: str, taken: set[str]) -> str:
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}_{number}"
    return name


def _calls_by_function(model: FusedModel) -> dict[str, list[FunctionCall]]:
    calls: dict[str, list[FunctionCall]] = {}
    for call in model.calls:
        calls.setdefault(call.function, []).append(call)
    return calls


def _raised(model: FusedModel, name: str, calls: Sequence[FunctionCall]) -> tuple[Kernel | None, str]:
    if not calls[0].is_fused:
        return None, f"TVM has no code of its own for {name}"
    try:
        raised = raise_function(model.module[name])
    except NotRaisedError as error:
        return None, f"{error}"
    if len(raised.params) != len(calls[0].args):
        return None, f"it takes {len(raised.params)} tensors, and is called with {len(calls[0].args)}"
    params = tuple(
        replace(param, const=all(call.args[place].startswith(CONSTANT) for call in calls))
        for place, param in enumerate(raised.params)
    )
    compute = tidy(params, raised.compute)
    problem: SourceError | None = None
    for bounded in (params, _bounded(params, compute, model.constants, calls)):
        named, shown = name_all(bounded, compute)
        kernel = Kernel("f", named, with_running_sums(shown))
        try:
            text = print_kernel(kernel)
            verify_compute(parse(text))
        except SourceError as error:
            problem = error
            continue
        return parse(text), ""
    first = problem.diagnostics[0] if problem else None
    return (
        None,
        f"the language refuses what it would be: {first.code}: {first.message}" if first else "nothing",
    )


def _bounded(
    params: tuple[Param, ...], compute: Compute, constants: Sequence[Array], calls: Sequence[FunctionCall]
) -> tuple[Param, ...]:
    """Declare the ranges of what is used as an index: of weights those that they have, else the axis."""
    sizes = {p.name: p.shape for p in params} | {p.stage.name: p.stage.shape for p in placed_stages(compute)}
    ends = _index_ends(compute, sizes)
    return tuple(
        replace(
            param, bounds=_bounds(param, ends[param.name], constants, [call.args[place] for call in calls])
        )
        if param.name in ends and param.dtype.is_int
        else param
        for place, param in enumerate(params)
    )


def _bounds(param: Param, end: int, constants: Sequence[Array], args: Sequence[str]) -> tuple[int, int]:
    if not param.const:
        return 0, end
    values = [constants[int(arg.removeprefix(CONSTANT))] for arg in args]
    return min(int(v.min()) for v in values), max(int(v.max()) for v in values) + 1


def _index_ends(compute: Compute, sizes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """Find, for each tensor that indices are read from, the smallest axis that they go into."""
    ends: dict[str, int] = {}
    for placed in placed_stages(compute):
        for root in expressions(placed.stage.value):
            for node in walk(root):
                if not isinstance(node, Read):
                    continue
                for index, size in zip(node.indices, sizes[node.tensor], strict=True):
                    for inner in walk(index):
                        if isinstance(inner, Read):
                            ends[inner.tensor] = min(size, ends.get(inner.tensor, size))
    return ends
