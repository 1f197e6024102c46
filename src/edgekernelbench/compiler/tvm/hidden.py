"""What TVM's simplifier must not see: operations on floats, the conditions of choices, and clamps.

The simplifier takes floats for real numbers (`(x + c) - c` becomes `x`, `x * 0.0` becomes `0.0`, `x == x` is
true), and it reads each side of a `Select` under its condition though both are evaluated. So these are
written as calls that mean nothing to TVM, and become operations again after its last pass.
"""

from collections.abc import Callable
from functools import cache
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx

Node = Any

_PREFIX = "ekb."
_READS = 2
"""TVM's name for it is kReadState: a value that is not to be bound to a variable and put in its place."""


def hide(name: str, dtype: str, *args: Node) -> Node:
    """Write an operation as a call that TVM knows nothing about.

    Args:
        name: A name of `_SHOWN`.
        dtype: The type of the result.
        args: The operands.

    Returns:
        The call.
    """
    return tirx.call_intrin(dtype, _operator(name), *args)


def hidden_name(make: Callable[..., Node]) -> str | None:
    """Give the name under which an operation on floats hides; None when it need not."""
    return _NAMES.get(make)


def show(module: Any) -> Any:
    """Put the operations back into functions that no pass will simplify any more."""

    def shown(function: Any) -> Any:
        return function.with_body(tvm_ffi.structural_map(function.body, (tvm.ir.Call, _shown)))

    return tvm.IRModule({name: shown(function) for name, function in module.functions.items()})


def vectorizable(name: str) -> str:
    """Make a hidden operation known, and give TVM's name for it."""
    return str(_operator(name).name)


@cache
def _operator(name: str) -> Any:
    tvm.ir.register_op_attr(_PREFIX + name, "TCallEffectKind", _READS)
    # Where TVM makes vectors itself, of what it scheduled: each operand gets lanes, and the call stays one.
    tvm.ir.register_op_attr(_PREFIX + name, "TVectorizable", True)  # noqa: FBT003
    # TVM prints what it refuses, and warns of names that it cannot print.
    tvm.ir.register_op_attr(_PREFIX + name, "TScriptPrinterName", _PREFIX + name)
    return tvm.ir.Op.get(_PREFIX + name)


def shown_name(call: Any) -> str:
    """Give the name under which a call hides something; empty when it hides nothing."""
    name = str(getattr(call.op, "name", ""))
    return name.removeprefix(_PREFIX) if name.startswith(_PREFIX) else ""


def _shown(call: Any) -> Any:
    name = getattr(call.op, "name", "")
    if not name.startswith(_PREFIX):
        return call
    return _SHOWN[name.removeprefix(_PREFIX)](call, *call.args)


def _added(call: Any, a: Node, b: Node) -> Node:
    """Add; a product beside it may be fused with it, as the language allows."""
    if isinstance(b, tirx.Mul):
        return tirx.call_llvm_pure_intrin(call.ty, "llvm.fmuladd", b.a, b.b, a)
    if isinstance(a, tirx.Mul):
        return tirx.call_llvm_pure_intrin(call.ty, "llvm.fmuladd", a.a, a.b, b)
    return tirx.Add(a, b)


def _operation(make: Callable[[Node, Node], Node]) -> Callable[[Any, Node, Node], Node]:
    return lambda _, a, b: make(a, b)


_NAMES: dict[Callable[..., Node], str] = {
    tirx.Add: "add", tirx.Sub: "sub", tirx.Mul: "mul", tirx.Div: "div", tirx.Min: "min", tirx.Max: "max",
    tirx.LT: "lt", tirx.LE: "le", tirx.GT: "gt", tirx.GE: "ge", tirx.EQ: "eq", tirx.NE: "ne",
}  # fmt: skip

_SHOWN: dict[str, Callable[..., Node]] = {
    **{name: _operation(make) for make, name in _NAMES.items()},
    "add": _added,
    # LLVM's `one` is false for NaN, the language's `!=` is true.
    "ne": lambda _, a, b: tirx.Not(tirx.EQ(a, b)),
    "cast": lambda call, a: tirx.Cast(call.ty, a),
    "choice": lambda _, a: a,
    "held": lambda _, index, low, high: tirx.Min(tirx.Max(index, low), high),
}
