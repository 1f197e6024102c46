"""From a nest to an object file that needs nothing of TVM: plain pointers, workspace from the caller."""

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tvm
from tvm import tirx

from edgekernelbench.compiler.elf import rename_symbol
from edgekernelbench.compiler.nested import separate_nested
from edgekernelbench.compiler.plain import PARALLEL, Area, PlainObject
from edgekernelbench.compiler.tvm.build import build_module, find_features
from edgekernelbench.compiler.tvm.lower import optimised, outside, refuse_large
from edgekernelbench.compiler.tvm.rooms import Given
from edgekernelbench.compiler.tvm.scope import Scope
from edgekernelbench.compiler.tvm.statements import Statements, sequence
from edgekernelbench.compiler.tvm.stores import declare
from edgekernelbench.nest.tree import Nest, Stmt
from edgekernelbench.profiles.profile import Profile

_TVM_PARALLEL = "__TVMBackendParallelLaunch"
"""The variable from which LLVM code made by TVM takes the function that runs parallel loops."""


def write_object(nest: Nest, profile: Profile, prefix: str) -> PlainObject:
    """Compile a nest, by the same rules as what is measured.

    Args:
        nest: The nest, for a CPU.
        profile: The device, which need not be here.
        prefix: How the names of its functions begin.

    Returns:
        The object file, with what its functions need.

    Raises:
        CompileError: When TVM or LLVM refuses, or a buffer or the workspace is too large.
    """
    refuse_large(nest)
    features = find_features(profile)
    run, prepare = f"{prefix}_body", f"{prefix}_prepare_body"
    body = optimised(nest, nest.body, profile)
    bodies = {run: (body, profile.threads), prepare: (separate_nested(nest.prepare), 1)}
    functions: dict[str, Any] = {}
    areas: dict[str, Area] = {}
    for name, (stmts, threads) in bodies.items():
        functions[name], areas[name] = _function(nest, stmts, name, threads, features)
    built = build_module(tvm.IRModule(functions), profile, packed=False)
    with TemporaryDirectory(prefix="ekb-") as place:
        file = Path(place) / "kernel.o"
        built.module.write_to_file(str(file))
        code = rename_symbol(file.read_bytes(), _TVM_PARALLEL, PARALLEL)
    return PlainObject(nest, code, run, prepare, areas[run], areas[prepare], profile.threads)


def _function(
    nest: Nest, body: tuple[Stmt, ...], name: str, threads: int, features: frozenset[str]
) -> tuple[Any, Area]:
    stored = {b.name: declare(b) for b in outside(nest)}
    rooms = Given()
    node = Statements(threads, rooms).root(body, Scope(stored, {}, {}, features=features))
    buffers = [*(s.tir for s in stored.values()), *rooms.areas]
    pointers = [tirx.Var(f"{b.name}_pointer", b.data.ty) for b in buffers]
    views = [tirx.DeclBuffer(b, data=p) for b, p in zip(buffers, pointers, strict=True)]
    answer = tirx.Return(tirx.IntImm("int32", 0))
    # A function with parallel loops gives what their launch gave.
    function = tirx.PrimFunc(pointers, sequence([*views, node, answer]), ret_type=tvm.ir.PrimType("int32"))
    attributes = {"global_symbol": name, "tirx.noalias": True}
    return function.with_attr(attributes), Area(rooms.run_bytes, rooms.task_bytes)
