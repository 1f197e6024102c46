"""Running fused functions as TVM compiles them by itself: what raised ones are compared with."""

import time
from collections.abc import Mapping, Sequence

import numpy as np
import tvm
from numpy.typing import NDArray

from edgekernelbench.compiler.tvm.relax.fusing import FunctionCall, FusedModel

Array = NDArray[np.generic]


class Functions:
    """The fused functions of a model, compiled plainly for this machine."""

    def __init__(self, model: FusedModel) -> None:
        """Compile them; takes some tenths of a second each hundred."""
        names = sorted({call.function for call in model.calls if call.is_fused})
        functions = {name: model.module[name].with_attr("global_symbol", name) for name in names}
        self._module = tvm.compile(tvm.IRModule(functions), target="llvm") if names else None

    def run(self, call: FunctionCall, args: Sequence[Array]) -> tuple[Array, ...]:
        """Run the function of a call.

        Args:
            call: The call.
            args: One array an argument.

        Returns:
            One array a result.
        """
        if self._module is None:
            raise KeyError(call.function)
        given = [tvm.runtime.tensor(np.asarray(arg, order="C")) for arg in args]
        results = [tvm.runtime.empty(value.shape, _tvm_type(value.dtype)) for value in call.results]
        self._module[call.function](*given, *results)
        return tuple(result.numpy() for result in results)


def _tvm_type(dtype: object) -> str:
    return _NAMES[str(dtype)]


_NAMES: Mapping[str, str] = {
    "bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32",
    "u32": "uint32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip


def time_functions(
    module_text: str,
    arguments: Mapping[str, Sequence[Array]],
    results: Mapping[str, Sequence[Array]],
    runs: int,
) -> dict[str, list[int]]:
    """Time functions of a stored module, as TVM compiles them by itself.

    Args:
        module_text: What `fusing.module_text` gave.
        arguments: The inputs of each function, by its name.
        results: Arrays of the form of its outputs.
        runs: How many runs are timed, after one that is not.

    Returns:
        Nanoseconds of each run, by function; what is no function of TIR is left out.
    """
    module = tvm.ir.load_json(module_text)
    functions = {var.name_hint: f for var, f in module.functions.items() if var.name_hint in arguments}
    built = {name: f.with_attr("global_symbol", name) for name, f in functions.items()}
    if not built:
        return {}
    compiled = tvm.compile(tvm.IRModule(built), target="llvm")
    times: dict[str, list[int]] = {}
    for name in built:
        given = [
            tvm.runtime.tensor(np.asarray(array, order="C")) for array in (*arguments[name], *results[name])
        ]
        compiled[name](*given)
        times[name] = []
        for _ in range(runs):
            start = time.perf_counter_ns()
            compiled[name](*given)
            times[name].append(time.perf_counter_ns() - start)
    return times
