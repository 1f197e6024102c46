"""Replays traces and makes machine code: TVM's passes for blocks, then ours for what we hide from it."""

import json
from collections.abc import Sequence
from typing import Any

import tvm
import tvm_ffi
from tvm import s_tir, tirx
from tvm.s_tir.schedule import Trace

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arrays import stored_bytes
from edgekernelbench.compiler.interface import Artifact, Cost
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.compiler.tvm.build import KEEP_BUFFERS_APART, make_target
from edgekernelbench.compiler.tvm.executable import TvmExecutable
from edgekernelbench.compiler.tvm.hidden import show
from edgekernelbench.compiler.tvm.metaschedule.functions import map_bodies, write_functions
from edgekernelbench.compiler.tvm.metaschedule.program import MAIN, Whole, open_program, part_function
from edgekernelbench.compiler.tvm.scope import Stored
from edgekernelbench.compiler.tvm.statements import sequence
from edgekernelbench.profiles.profile import Profile

Node = Any
REFUSALS = (ValueError, TypeError, RuntimeError, IndexError, KeyError)
"""What TVM raises when it refuses something; its own errors derive from these."""


def compile_traced(traced: Traced, profile: Profile) -> Artifact:
    """Replay the traces of a kernel and compile what comes out.

    Args:
        traced: The kernel.
        profile: The device, a CPU.

    Returns:
        The artifact, as for any kernel.

    Raises:
        CompileError: When TVM refuses the text, a trace or the code.
    """
    whole = open_program(traced, profile)
    bodies = [lower_blocks(scheduled(whole, part)) for part in traced.parts]
    once = [lower_blocks(scheduled(whole, Part(traced.prepared)))] if traced.prepared else []
    built = build_functions(whole.outside(), {"run": bodies, "prepare": once}, profile)
    workspace = sum(stored_bytes(b) for b in whole.nest.prepared) + sum(map(allocated_bytes, bodies))
    cost = Cost(None, {"global": workspace}, ("scheduled by TVM's MetaSchedule",))
    return Artifact("tvm", whole.nest, profile, cost, {}, TvmExecutable(built, whole.nest))


def scheduled(whole: Whole, part: Part) -> Any:
    """Replay the trace of a part.

    Returns:
        The function, still of blocks.

    Raises:
        CompileError: When the trace does not fit.
    """
    module = tvm.IRModule({MAIN: part_function(whole, part.stages)})
    if not part.trace:
        return module[MAIN]
    schedule = s_tir.Schedule(module, error_render_level="none")
    try:
        Trace.apply_json_to_schedule(json.loads(part.trace), schedule)
    except REFUSALS as error:
        raise CompileError(f"TVM refused a trace: {last_line(error)}") from error
    return schedule.mod[MAIN]


def lower_blocks(function: Any) -> Node:
    """Turn blocks into loops; give the body, over the buffers that the function takes.

    Raises:
        CompileError: When TVM refuses the blocks.
    """
    passes = [
        s_tir.transform.CanonicalizeLoop(),
        s_tir.transform.LowerInitBlock(),
        s_tir.transform.PlanAndUpdateBufferAllocationLocation(),
        s_tir.transform.ConvertBlocksToOpaque(),
        s_tir.transform.CompactBufferAllocation(),
        s_tir.transform.LowerMatchBuffer(),
        s_tir.transform.StmtSimplify(),
        s_tir.transform.AnnotateIrregularLoop(),
        s_tir.transform.LowerOpaqueBlock(),
    ]
    try:
        with tvm.transform.PassContext(opt_level=3):
            module = tvm.ir.transform.Sequential(passes)(tvm.IRModule({MAIN: function}))
    except REFUSALS as error:
        raise CompileError(f"TVM refused the blocks: {last_line(error)}") from error
    return module[MAIN].body


def allocated_bytes(body: Node) -> int:
    """Count what a body allocates by itself; what each thread of a parallel loop allocates counts once."""
    found: list[int] = []

    def note(node: Any) -> None:
        size = 1
        for extent in node.buffer.shape:
            size *= int(extent)
        found.append(size * (tvm.DataType(str(node.buffer.dtype)).bits // 8))

    tvm_ffi.structural_walk(body, (tirx.AllocBuffer, note))
    return sum(found)


def build_functions(taken: Sequence[Stored], bodies: dict[str, Sequence[Node]], profile: Profile) -> Any:
    """Compile functions that each run some bodies one after another.

    Args:
        taken: The buffers that each function takes, in order.
        bodies: The bodies of each function.
        profile: The device.

    Returns:
        The module with machine code.

    Raises:
        CompileError: When the profile is of another machine, or TVM or LLVM refuses.
    """
    target, local = make_target(profile)
    if not local:
        raise CompileError(f"expected this machine's CPU, found {profile.cpu!r} in profile {profile.name!r}")
    tirs = [s.tir for s in taken]

    def function(name: str, parts: Sequence[Node]) -> Any:
        made = tirx.PrimFunc(tirs, sequence(list(parts)))
        return made.with_attr({"global_symbol": name, "tirx.noalias": True})

    module = tvm.IRModule({name: function(name, parts) for name, parts in bodies.items()})
    try:
        with tvm.transform.PassContext(opt_level=3, config=KEEP_BUFFERS_APART):
            loops = write_functions(_passes(target)(module))
            last = tvm.ir.transform.Sequential(
                [tirx.transform.LowerTVMBuiltin(), tirx.transform.LowerIntrin()]
            )
            return tvm.get_global_func("target.build.llvm")(fused(show(last(loops))), target)
    except REFUSALS as error:
        raise CompileError(f"TVM refused the loops: {last_line(error)}") from error


def _passes(target: Any) -> Any:
    """List what TVM does between blocks and machine code, without what works on floats or overlays buffers.

    StorageRewrite moves allocations out of loops; the switch of `KEEP_BUFFERS_APART` stops it from overlaying
    them, which it got wrong (see `build`).
    """
    return tvm.ir.transform.Sequential(
        [
            tirx.transform.BindTarget(target.with_host(target)),
            tirx.transform.FlattenBuffer(),
            tirx.transform.NarrowDataType(32),
            s_tir.transform.LoopPartition(),
            tirx.transform.VectorizeLoop(True),  # noqa: FBT003
            tirx.transform.StorageRewrite(),
            s_tir.transform.HoistIfThenElse(),
            tirx.transform.UnrollLoop(),
            s_tir.transform.RenormalizeSplitPattern(),
            tirx.transform.StmtSimplify(),
            tirx.transform.RemoveNoOp(),
            tirx.transform.VerifyMemory(),
            tirx.transform.AnnotateEntryFunc(),
            tirx.transform.SplitHostDevice(),
            tirx.transform.MakePackedAPI(),
            tirx.transform.SkipAssert(),
        ]
    )


def fused(module: Any) -> Any:
    """Let a product beside a sum be fused with it, as everywhere (see `hidden`)."""

    def added(node: Any) -> Any:
        kind = str(node.ty)
        if not kind.startswith("float"):
            return node
        if isinstance(node.b, tirx.Mul):
            return tirx.call_llvm_pure_intrin(node.ty, "llvm.fmuladd", node.b.a, node.b.b, node.a)
        if isinstance(node.a, tirx.Mul):
            return tirx.call_llvm_pure_intrin(node.ty, "llvm.fmuladd", node.a.a, node.a.b, node.b)
        return node

    return map_bodies(module, tirx.Add, added)


def last_line(error: Exception) -> str:
    """Give the sentence of a refusal that says most: its last line that is no frame."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return (lines[-1] if lines else type(error).__name__)[:300]
