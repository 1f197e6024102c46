"""Kernels inside TVM's Relax: as functions that its virtual machine calls."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import tvm
from tvm import relax, tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import Array, stored_shape, stored_type
from edgekernelbench.compiler.nested import separate_nested
from edgekernelbench.compiler.tvm.build import build_module, find_features, make_target
from edgekernelbench.compiler.tvm.lower import optimised, refuse_large
from edgekernelbench.compiler.tvm.scope import Scope
from edgekernelbench.compiler.tvm.statements import Statements
from edgekernelbench.compiler.tvm.stores import declare
from edgekernelbench.nest.tree import Buffer, Nest, Stmt
from edgekernelbench.profiles.profile import Profile

Module = Any


def build_library(kernels: Mapping[str, Nest], profile: Profile) -> Module:
    """Compile kernels to functions that Relax calls with tensors.

    Args:
        kernels: Nests for a CPU, by the name that their function shall have.
        profile: The device.

    Returns:
        A module of machine code, for the attribute `external_mods` of a Relax module. `NAME` takes
        parameters, prepared buffers, tables and outputs; `NAME_prepare` takes parameters, tables and
        prepared buffers.

    Raises:
        CompileError: When TVM refuses.
    """
    functions: dict[str, Any] = {}
    for name, nest in kernels.items():
        refuse_large(nest)
        kept = (*nest.prepared, *nest.tables)
        order = (*nest.params, *kept, *nest.outputs)
        body = optimised(nest, nest.body, profile)
        functions[name] = _function(name, order, body, profile, profile.threads)
        if nest.prepared:
            first = f"{name}_prepare"
            order = (*nest.params, *nest.tables, *nest.prepared)
            functions[first] = _function(first, order, separate_nested(nest.prepare), profile, 1)
    return build_module(tvm.IRModule(functions), profile).module


def _function(
    name: str, order: Sequence[Buffer], body: tuple[Stmt, ...], profile: Profile, threads: int
) -> Any:
    stored = {b.name: declare(b) for b in order}
    scope = Scope(stored, {}, {}, features=find_features(profile))
    node = Statements(threads).root(body, scope)
    function = tirx.PrimFunc([s.tir for s in stored.values()], node)
    return function.with_attr({"global_symbol": name, "tirx.noalias": True})


def tensor_type(buffer: Buffer) -> Any:
    """Give the Relax type of a buffer as it is stored."""
    return relax.TensorType(stored_shape(buffer), str(stored_type(buffer.dtype)))


def call_kernel(
    name: str, nest: Nest, args: Sequence[Any], prepared: Sequence[Any], types: Sequence[Any]
) -> Any:
    """Write the call of a kernel; its outputs are a tensor, or a tuple of them.

    Args:
        name: The function's name in the library.
        nest: The kernel.
        args: A Relax expression for each parameter.
        prepared: One for each prepared buffer.
        types: The Relax type of each output.
    """
    tables = [relax.const(tvm.runtime.tensor(table_values(b))) for b in nest.tables]
    every = relax.Tuple([*args, *prepared, *tables])
    return relax.call_dps_packed(name, every, types[0] if len(types) == 1 else list(types))


def table_values(buffer: Buffer) -> Array:
    """Give the elements of a table as they are stored."""
    values = np.array(buffer.values).reshape(stored_shape(buffer))
    return values.astype(stored_type(buffer.dtype))


def kernel_module(nest: Nest, profile: Profile) -> Module:
    """Write one kernel as a Relax module, its machine code in `external_mods`.

    Args:
        nest: The kernel, for a CPU.
        profile: The device.

    Returns:
        A module with `main`, which takes the parameters and then what `prepare` gave, and `prepare`, which
        takes the parameters; without prepared buffers there is no `prepare`.
    """
    builder = relax.BlockBuilder()
    if nest.prepared:
        params = [relax.Var(f"p{n}", tensor_type(b)) for n, b in enumerate(nest.params)]
        tables = [relax.const(tvm.runtime.tensor(table_values(b))) for b in nest.tables]
        types = [tensor_type(b) for b in nest.prepared]
        call = relax.call_dps_packed(f"{nest.name}_prepare", relax.Tuple([*params, *tables]), types)
        _add(builder, "prepare", params, call)
    params = [relax.Var(f"p{n}", tensor_type(b)) for n, b in enumerate(nest.params)]
    kept = [relax.Var(f"kept{n}", tensor_type(b)) for n, b in enumerate(nest.prepared)]
    types = [tensor_type(b) for b in nest.outputs]
    _add(builder, "main", [*params, *kept], call_kernel(nest.name, nest, params, kept, types))
    return builder.get().with_attr("external_mods", [build_library({nest.name: nest}, profile)])


def _add(builder: Any, name: str, params: list[Any], value: Any) -> None:
    with builder.function(name, params):
        with builder.dataflow():
            answer = builder.emit_output(builder.emit(value))
        builder.emit_func_output(answer)


def save_executable(module: Module, profile: Profile, library: Path, compiler: str) -> None:
    """Build a Relax module and write it as a library.

    Args:
        module: The module.
        profile: The device.
        library: The file.
        compiler: What links it.

    Raises:
        CompileError: When TVM or the linker refuses.
    """
    target, _ = make_target(profile)
    try:
        built = relax.build(module, target.with_host(target))
        built.export_library(str(library), cc=compiler)
    except (ValueError, TypeError, RuntimeError) as error:
        last = (str(error).strip() or type(error).__name__).splitlines()[-1]
        raise CompileError(f"TVM refused the Relax module: {last}") from error


class RelaxLibrary:
    """A library that `save_executable` wrote, in this process."""

    def __init__(self, library: Path) -> None:
        self._machine = relax.VirtualMachine(tvm.runtime.load_module(str(library)), tvm.cpu())

    def tensors(self, arrays: Sequence[Any]) -> list[Any]:
        """Copy arrays to tensors; tensors stay what they are."""
        return [tvm.runtime.tensor(a) if isinstance(a, np.ndarray) else a for a in arrays]

    def call(self, function: str, arrays: Sequence[Any]) -> list[Any]:
        """Call a function of it on arrays or tensors.

        Returns:
            Its results, as tensors.
        """
        found = self._machine[function](*self.tensors(arrays))
        return [found] if isinstance(found, tvm.runtime.Tensor) else list(found)
