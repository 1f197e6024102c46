"""From a nest to an object file that needs nothing of TVM: plain pointers, workspace from the caller."""

from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import tvm
from tvm import tirx

from edgekernelbench.compiler.elf import rename_symbol
from edgekernelbench.compiler.nested import separate_nested
from edgekernelbench.compiler.plain import PARALLEL, Area, ObjectFile, PlainKernel
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


def write_object(nests: Mapping[str, Nest], profile: Profile) -> ObjectFile:
    """Compile nests, by the same rules as what is measured.

    Args:
        nests: Nests for a CPU, by the beginning of the names of their functions.
        profile: The device, which need not be here.

    Returns:
        One object file, with what its functions need.

    Raises:
        CompileError: When TVM or LLVM refuses, or a buffer or the workspace is too large.
    """
    functions: dict[str, Any] = {}
    kernels: dict[str, PlainKernel] = {}
    features = find_features(profile)
    for prefix, nest in nests.items():
        refuse_large(nest)
        run, prepare = f"{prefix}_body", f"{prefix}_prepare_body"
        body = optimised(nest, nest.body, profile)
        functions[run], run_area = _function(nest, body, run, profile.threads, features)
        before = separate_nested(nest.prepare)
        functions[prepare], prepare_area = _function(nest, before, prepare, 1, features)
        kernels[prefix] = PlainKernel(nest, run, prepare, run_area, prepare_area)
    built = build_module(tvm.IRModule(functions), profile, packed=False)
    with TemporaryDirectory(prefix="ekb-") as place:
        file = Path(place) / "kernel.o"
        built.module.write_to_file(str(file))
        code = rename_symbol(file.read_bytes(), _TVM_PARALLEL, PARALLEL)
    return ObjectFile(code, kernels, profile.threads)


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
