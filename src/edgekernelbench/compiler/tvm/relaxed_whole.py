"""A whole model as a Relax module in which our kernels stand where they were made, and TVM's elsewhere."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import tvm
from tvm import relax

from edgekernelbench.compiler.arrays import Array, stored_shape, stored_type
from edgekernelbench.compiler.tvm.relaxed import build_library, call_kernel, table_values
from edgekernelbench.compiler.whole import Whole, WholeCall
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

Module = Any

PREFIX = "ekb_"
"""How the names of our functions begin."""

Form = tuple[DType, tuple[int, ...]]
"""Element type and sizes of a value."""


@dataclass(frozen=True, slots=True)
class Original:
    """The model as TVM has it.

    Attributes:
        module: Its Relax module, as JSON of TVM.
        functions: Which of its functions each call is.
        forms: What each value is, by name.
        weights: Values of weights, by name.
    """

    module: str
    functions: tuple[str, ...]
    forms: Mapping[str, Form]
    weights: Mapping[str, Array]


def whole_module(whole: Whole, nests: Mapping[str, Nest], original: Original, profile: Profile) -> Module:
    """Write a model as one Relax function.

    Args:
        whole: The model.
        nests: Our kernels, by name; calls of others stay with TVM's functions.
        original: The model as TVM has it.
        profile: The device.

    Returns:
        A module with `main`, weights and machine code inside.

    Raises:
        CompileError: When TVM refuses.
    """
    # TVM's functions have names of the same kind.
    library = build_library({PREFIX + name: nest for name, nest in nests.items()}, profile)
    pairs = zip(whole.calls, original.functions, strict=True)
    stays = {function for call, function in pairs if call.kernel not in nests}
    builder = relax.BlockBuilder(_functions_of(original, stays))
    inputs = {b.name: relax.Var(b.name, _type(original.forms[b.name])) for b in whole.inputs}
    values: dict[str, Any] = dict(inputs)
    prepared = _Prepared(library, nests, original)
    with builder.function("main", list(inputs.values())):
        with builder.dataflow():
            for call, function in zip(whole.calls, original.functions, strict=True):
                args = [values.setdefault(arg, _constant(original, arg)) for arg in call.args]
                types = [_type(original.forms[name]) for name in call.results]
                if call.kernel in nests:
                    nest, kept = nests[call.kernel], prepared.of(call)
                    value = call_kernel(PREFIX + call.kernel, nest, args, kept, types)
                else:
                    target = builder.get().get_global_var(function)
                    value = relax.call_tir(target, relax.Tuple(args), types[0] if len(types) == 1 else types)
                found = builder.emit(value)
                parts = [found] if len(types) == 1 else [builder.emit(found[n]) for n in range(len(types))]
                values |= dict(zip(call.results, parts, strict=True))
            named = [values.setdefault(name, _constant(original, name)) for name in whole.outputs]
            answer = builder.emit_output(named[0] if len(named) == 1 else relax.Tuple(named))
        builder.emit_func_output(answer)
    return builder.get().with_attr("external_mods", [library])


def _functions_of(original: Original, names: set[str]) -> Module:
    """Keep some of TVM's functions."""
    module = tvm.ir.load_json(original.module)
    return tvm.IRModule({var: f for var, f in module.functions.items() if var.name_hint in names})


def _type(form: Form) -> Any:
    dtype, shape = form
    return relax.TensorType(shape, str(stored_type(dtype)))


def _constant(original: Original, name: str) -> Any:
    array = original.weights.get(name)
    return None if array is None else relax.const(tvm.runtime.tensor(np.array(array, order="C")))


class _Prepared:
    """What kernels keep of their weights, made once for each set of weights."""

    def __init__(self, library: Module, nests: Mapping[str, Nest], original: Original) -> None:
        self._library = tvm.runtime.Executable(library)
        self._nests, self._original = nests, original
        self._made: dict[tuple[str, ...], list[Any]] = {}

    def of(self, call: WholeCall) -> list[Any]:
        nest = self._nests[call.kernel]
        weights = self._original.weights
        key = (call.kernel, *(arg if arg in weights else "" for arg in call.args))
        if nest.prepared and key not in self._made:
            params = [
                tvm.runtime.tensor(np.array(weights[arg], order="C"))
                if arg in weights
                else tvm.runtime.tensor(np.zeros(stored_shape(buffer), stored_type(buffer.dtype)))
                for arg, buffer in zip(call.args, nest.params, strict=True)
            ]
            tables = [tvm.runtime.tensor(table_values(b)) for b in nest.tables]
            kept = [tvm.runtime.empty(stored_shape(b), str(stored_type(b.dtype))) for b in nest.prepared]
            self._library[f"{PREFIX}{call.kernel}_prepare"](*params, *tables, *kept)
            self._made[key] = [relax.const(tensor) for tensor in kept]
        return self._made.get(key, [])
