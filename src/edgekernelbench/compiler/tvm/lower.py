"""A nest as TIR functions."""

from typing import Any

import tvm
from tvm import tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import elements
from edgekernelbench.compiler.instructions import lower_dots
from edgekernelbench.compiler.nested import separate_nested
from edgekernelbench.compiler.registers import keep_in_registers
from edgekernelbench.compiler.tails import remove_tails
from edgekernelbench.compiler.tvm.build import find_features
from edgekernelbench.compiler.tvm.dot import dot_lanes
from edgekernelbench.compiler.tvm.scope import Scope
from edgekernelbench.compiler.tvm.statements import Statements
from edgekernelbench.compiler.tvm.stores import declare
from edgekernelbench.compiler.vectors import lower_vectors
from edgekernelbench.nest.tree import Buffer, Nest, Stmt, workspace
from edgekernelbench.profiles.profile import Profile

_LARGEST = 2**31 - 1


def outside(nest: Nest) -> tuple[Buffer, ...]:
    """List the buffers that both functions take, in order."""
    return (*nest.params, *nest.outputs, *nest.prepared, *nest.tables)


def lower_nest(nest: Nest, profile: Profile) -> Any:
    """Write a nest as a TIR module with the functions `run` and `prepare`.

    All scheduling is done: what TVM gets are plain loops and vectors.

    Args:
        nest: The nest, for a CPU.
        profile: The device: its threads and vector width.

    Returns:
        The module.

    Raises:
        CompileError: When a buffer has 2**31 elements or more, whose indices TVM would narrow.
    """
    refuse_large(nest)
    body = optimised(nest, nest.body, profile)
    features = find_features(profile)
    functions = {
        "run": _function(nest, body, "run", profile.threads, features),
        "prepare": _function(nest, separate_nested(nest.prepare), "prepare", 1, features),
    }
    return tvm.IRModule(functions)


def refuse_large(nest: Nest) -> None:
    """Refuse buffers of 2**31 elements or more, whose indices TVM would narrow.

    Raises:
        CompileError: When there is one.
    """
    for buffer in (*outside(nest), *workspace(nest)):
        if elements(buffer) > _LARGEST:
            found = f"{buffer.name} has {elements(buffer):,}"
            raise CompileError(f"TVM takes buffers of at most {_LARGEST:,} elements, {found}")


def optimised(nest: Nest, body: tuple[Stmt, ...], profile: Profile) -> tuple[Stmt, ...]:
    """Remove tails, bring vector loops down to single statements and accumulators into registers."""
    most = max(1, profile.vector_registers - 2)
    plain = lower_dots(remove_tails(body), outside(nest), dot_lanes(profile))
    vectors = lower_vectors(plain, profile.vector_bytes)
    return separate_nested(keep_in_registers(vectors, outside(nest), most))


def _function(nest: Nest, body: tuple[Stmt, ...], name: str, threads: int, features: frozenset[str]) -> Any:
    stored = {b.name: declare(b) for b in outside(nest)}
    node = Statements(threads).root(body, Scope(stored, {}, {}, features=features))
    function = tirx.PrimFunc([s.tir for s in stored.values()], node)
    # Without the promise that buffers are distinct, LLVM reloads after every store: 2.7 times slower (seen).
    return function.with_attr({"global_symbol": name, "tirx.noalias": True})
