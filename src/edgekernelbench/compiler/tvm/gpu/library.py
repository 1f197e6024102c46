"""The functions of the language on a GPU, and the last pass over device code before it is printed."""

import struct
from collections.abc import Callable
from typing import Any

import tvm
import tvm_ffi
from tvm import tirx

from edgekernelbench.base.errors import InternalError
from edgekernelbench.compiler.gpu.plain import FROM_F16, TO_F16, TO_F16_DOUBLE
from edgekernelbench.compiler.gpu.preamble import Preamble
from edgekernelbench.compiler.mathematics import PROGRAMS
from edgekernelbench.compiler.tvm.values import COMPUTED, Value
from edgekernelbench.ir.dtype import DType

Node = Any

_SAME = {"floor": "floor", "ceil": "ceil", "trunc": "trunc", "round": "rint", "sqrt": "sqrt"}
"""Functions that both dialects have for `float` and `double` under one name."""

_KINDS = {
    "int8": "i8", "uint8": "u8", "int16": "i16", "uint16": "u16", "int32": "i32", "uint32": "u32",
    "int64": "i64", "float32": "f32", "float64": "f64",
}  # fmt: skip

_ARITHMETIC: dict[str, Callable[[Node, Node], Node]] = {
    "add": tirx.Add, "sub": tirx.Sub, "mul": tirx.Mul, "div": tirx.Div, "lt": tirx.LT, "le": tirx.LE,
    "gt": tirx.GT, "ge": tirx.GE, "eq": tirx.EQ,
}  # fmt: skip


class Library:
    """Writes calls, and remembers which functions they need.

    Attributes:
        preamble: The functions.
        asynchronous: Whether the device copies to shared memory while its threads go on.
        warps: Whether 32 threads can wait for each other alone.
    """

    def __init__(self, preamble: Preamble, *, asynchronous: bool = False) -> None:
        self.preamble = preamble
        self.asynchronous = asynchronous
        self.warps = preamble.dialect == "cuda"

    def function(
        self, name: str, dtype: DType, args: list[Value], sources: list[DType], evaluate: object
    ) -> Value:
        """Apply a function of the language; the arguments are those of `functions.function`."""
        del evaluate
        source = "f32" if sources[0] in (DType.F16, DType.BF16) else str(sources[0])
        match name:
            case _ if name in (FROM_F16, TO_F16, TO_F16_DOUBLE):
                self.preamble.halves()
                return self._call(name, COMPUTED[dtype], *args)
            case "min" | "max":
                value = args[0]
                for other in args[1:]:
                    value = self._call(self.preamble.use(name, source), value.kind, value, other)
                return value
            case "clamp" | "rsqrt":
                return self._call(self.preamble.use(name, source), args[0].kind, *args)
            case "abs":
                if sources[0].is_float:
                    return self._call("fabs", args[0].kind, *args)
                return self._call(self.preamble.use(name, source), args[0].kind, *args)
            case "popcount":
                return self._call(self.preamble.use(name, source), "int32", *args)
            case "as_i32" | "as_u32" | "as_f32":
                return args[0].reinterpret(COMPUTED[dtype])
            case _ if name in _SAME:
                return self._call(_SAME[name], args[0].kind, *args)
            case _ if name in PROGRAMS and args[0].kind == "float32":
                return self._call(self.preamble.own(name), args[0].kind, *args)
            case "sigmoid":
                return self._call(self.preamble.use(name, source), args[0].kind, *args)
            case _:
                return self._call(name, args[0].kind, *args)

    def _call(self, name: str, kind: str, *args: Value) -> Value:
        return Value(tirx.call_pure_extern(kind, name, *(arg.node for arg in args)), kind)

    def finish(self, module: Any) -> Any:
        """Write as calls what TVM would print wrongly: numbers, bit casts, minima, hidden operations."""

        def finished(function: Any) -> Any:
            body = tvm_ffi.structural_map(
                function.body,
                [
                    (tvm.ir.Call, self._shown),
                    (tirx.Min, lambda node: self._extreme("min", node)),
                    (tirx.Max, lambda node: self._extreme("max", node)),
                    (tirx.FloatImm, _exact),
                ],
            )
            return function.with_body(body)

        return tvm.IRModule({name: finished(function) for name, function in module.functions.items()})

    def _shown(self, call: Any) -> Any:
        name = getattr(call.op, "name", "")
        if name == "tirx.reinterpret":
            return self._reinterpreted(call)
        if not name.startswith("ekb."):
            return call
        word, args = name.removeprefix("ekb."), call.args
        match word:
            case "ne":
                return tirx.Not(tirx.EQ(*args))
            case "cast":
                return tirx.Cast(_type(call), args[0])
            case "choice":
                return args[0]
            case "held":
                most = self.preamble.use("max", "i32")
                least = self.preamble.use("min", "i32")
                inside = tirx.call_pure_extern("int32", most, args[0], args[1])
                return tirx.call_pure_extern("int32", least, inside, args[2])
            case "min" | "max":
                kind = _type(call)
                return tirx.call_pure_extern(kind, self.preamble.use(word, _KINDS[kind]), *args)
            case _ if word in _ARITHMETIC:
                return _ARITHMETIC[word](*args)
            case _:
                raise InternalError(f"expected a hidden operation, found {name}")

    def _extreme(self, word: str, node: Any) -> Any:
        kind = _type(node)
        name = self.preamble.use(word, _KINDS[kind])
        return tirx.call_pure_extern(kind, name, node.a, node.b)

    def _reinterpreted(self, call: Any) -> Any:
        (arg,) = call.args
        to, source = _type(call), _type(arg)
        match source, to:
            case "uint32", "float32":
                return tirx.call_pure_extern(to, "ekb_as_f32", arg)
            case "int32", "float32":
                return tirx.call_pure_extern(to, "ekb_bits_f32", arg)
            case "float32", "uint32":
                return tirx.call_pure_extern(to, "ekb_as_u32", arg)
            case "float32", "int32":
                return tirx.call_pure_extern(to, "ekb_as_i32", arg)
            case _ if not source.startswith("float") and not to.startswith("float"):
                return tirx.Cast(to, arg)
            case _:
                raise InternalError(f"expected bits of 32-bit numbers, found {source} as {to}")


def _type(node: Any) -> str:
    return str(node.ty.dtype if hasattr(node.ty, "dtype") else node.ty)


def _exact(number: Any) -> Any:
    """Write a number by its bits: TVM prints seven digits for OpenCL, fifteen for CUDA's doubles."""
    kind, value = _type(number), float(number.value)
    if kind == "float64":
        (bits,) = struct.unpack("<q", struct.pack("<d", value))
        return tirx.call_pure_extern(kind, "ekb_bits_f64", tirx.IntImm("int64", bits))
    if kind == "float32":
        (bits,) = struct.unpack("<i", struct.pack("<f", value))
        return tirx.call_pure_extern(kind, "ekb_bits_f32", tirx.IntImm("int32", bits))
    return number
