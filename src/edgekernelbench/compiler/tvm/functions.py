"""The functions of the language as TIR: operators of TIR, programs of `mathematics`, or the C library."""

from collections.abc import Callable

from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.programs import Program
from edgekernelbench.compiler.tvm.values import COMPUTED, Node, Value, call, constant, extern, fresh_variable
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.expr import Expr

Evaluate = Callable[[Expr, dict[str, Value]], Value]
"""Writes an expression whose names stand for values."""

_OPERATORS: dict[str, Callable[[Node], Node]] = {
    "floor": tirx.floor, "ceil": tirx.ceil, "trunc": tirx.trunc, "round": tirx.nearbyint, "sqrt": tirx.sqrt,
    "abs": tirx.abs,
}  # fmt: skip


def function(name: str, dtype: DType, args: list[Value], sources: list[DType], evaluate: Evaluate) -> Value:
    """Apply a function of the language.

    Args:
        name: Its word.
        dtype: The type of the result.
        args: The arguments.
        sources: Their types.
        evaluate: Writes the steps of a program.

    Returns:
        The value.
    """
    match name:
        case "min" | "max":
            value = args[0]
            for other in args[1:]:
                value = value.binary(tirx.Min if name == "min" else tirx.Max, other)
            return value
        case "clamp":
            return args[0].binary(tirx.Max, args[1]).binary(tirx.Min, args[2])
        case "popcount":
            return _popcount(args[0], sources[0])
        case "as_i32" | "as_u32" | "as_f32":
            return args[0].reinterpret(COMPUTED[dtype])
        case "rsqrt":
            return constant(1.0, args[0].kind).binary(tirx.Div, call(tirx.sqrt, args[0]))
        case _ if name in _OPERATORS:
            return call(_OPERATORS[name], *args)
        case _ if name in PROGRAMS and args[0].kind == "float32":
            return run_program(PROGRAMS[name], args, evaluate)
        case "sigmoid":
            one = constant(1.0, args[0].kind)
            minus = args[0].binary(tirx.Mul, constant(-1.0, args[0].kind))
            return one.binary(tirx.Div, one.binary(tirx.Add, extern("exp", minus)))
        case _:
            return _library(name, args)


def _library(name: str, args: list[Value]) -> Value:
    if any(arg.lanes > 1 for arg in args):
        raise InternalError(f"expected no vector in a call of the library, found one in {name}")
    return extern(name + ("f" if args[0].kind == "float32" else ""), *args)


def _popcount(value: Value, source: DType) -> Value:
    kind = "uint64" if source.bits == 64 else "uint32"
    same = value.cast(f"uint{source.bits}") if source.is_int and source.bits >= 8 else value
    if source is DType.I4:
        same = value.cast("uint8").binary(tirx.bitwise_and, constant(15, "uint8"))
    return call(tirx.popcount, same.cast(kind)).cast("int32")


def run_program(program: Program, args: list[Value], evaluate: Evaluate) -> Value:
    """Write a program as nested lets.

    Args:
        program: The program.
        args: A value for each parameter.
        evaluate: Writes one expression.

    Returns:
        Its result.
    """
    known: dict[str, Value] = {}
    lets: list[tuple[Value, Value]] = []

    def let(name: str, value: Value) -> None:
        if value.kind == "bool":
            known[name] = value  # TVM's analyser fails on a variable that is a vector of truth values
            return
        known[name] = fresh_variable(name, value)
        lets.append((known[name], value))

    for (name, _), arg in zip(program.params, args, strict=True):
        let(name, arg)
    for name, expr in program.steps:
        let(name, evaluate(expr, known))
    result = evaluate(program.result, known)
    node = result.node
    for variable, value in reversed(lets):
        node = tirx.Let(variable.node, value.node, node)
    return Value(node, result.kind, result.lanes)
