"""Running fused functions as TVM compiles them by itself: what raised ones are compared with."""

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
        given = [tvm.runtime.tensor(np.ascontiguousarray(arg)) for arg in args]
        results = [tvm.runtime.empty(value.shape, _tvm_type(value.dtype)) for value in call.results]
        self._module[call.function](*given, *results)
        return tuple(result.numpy() for result in results)


def _tvm_type(dtype: object) -> str:
    return _NAMES[str(dtype)]


_NAMES: Mapping[str, str] = {
    "bool": "bool", "i8": "int8", "u8": "uint8", "i16": "int16", "u16": "uint16", "i32": "int32",
    "u32": "uint32", "i64": "int64", "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64",
}  # fmt: skip
