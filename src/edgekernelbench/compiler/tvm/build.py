"""From TIR functions to machine code: our choice of TVM's passes, and the target of a machine."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import tvm
from tvm import tirx
from tvm.target import codegen

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.tvm.hidden import show
from edgekernelbench.profiles.profile import Profile

OPTIMISATION = 2
"""LLVM's level. 3 took twice as long and was no faster on six kernels."""


@dataclass(frozen=True, slots=True)
class Built:
    """What TVM made.

    Attributes:
        module: The module with machine code.
        lowered: The TIR that machine code was made from.
        local: Whether it runs on this machine.
    """

    module: Any
    lowered: Any
    local: bool


LLVM_OPTIONS = ("-enable-if-conversion:bool=0",)
"""LLVM 22 gives wrong values where it turns a guarded loop with an index such as `(t + 2) % 4` into vectors
(seen: the gather of a transposed convolution). Guarded loops stay loops; our own vectors have no guards."""


def make_target(profile: Profile) -> tuple[Any, bool]:
    """Describe the CPU of a profile to LLVM.

    Fast mathematics stays off, reassociation included: only the schedule decides the order of a sum.

    Args:
        profile: The device; `native` and the empty name are this machine.

    Returns:
        The target, and whether it is this machine.

    Raises:
        CompileError: When LLVM does not know the CPU.
    """
    settings: dict[str, Any] = {
        "kind": "llvm",
        "opt-level": OPTIMISATION,
        "num-cores": profile.threads,
        "cl-opt": list(LLVM_OPTIONS),
    }
    if profile.cpu in ("", "native") and not profile.triple:
        return tvm.target.Target(settings | {"mcpu": host_cpu()}), True
    if profile.triple:
        if profile.cpu in _known_cpus(profile.triple):
            found = {"mcpu": profile.cpu, "mtriple": profile.triple, **_float_settings(profile)}
            return tvm.target.Target(settings | found), False
    elif profile.cpu in _known_cpus(codegen.llvm_get_system_triple()):
        return tvm.target.Target(settings | {"mcpu": profile.cpu}), False
    raise CompileError(f"expected a CPU that LLVM knows, found {profile.cpu!r} in profile {profile.name!r}")


def _float_settings(profile: Profile) -> dict[str, str]:
    """Say that numbers travel in registers for floats, where a triple leaves that open."""
    return {"mfloat-abi": "hard"} if profile.triple.endswith("hf") else {}


def find_features(profile: Profile) -> frozenset[str]:
    """List what LLVM says that the CPU of a profile has, such as `"avx512vnni"`."""
    target, _ = make_target(profile)
    return frozenset(str(name) for name in codegen.llvm_get_cpu_features(target))


@lru_cache(maxsize=1)
def host_cpu() -> str:
    """Name this machine's CPU as LLVM does."""
    # Without a name LLVM would use no vectors beyond those of the first x86-64.
    return str(codegen.llvm_get_system_cpu())


@lru_cache(maxsize=8)
def _known_cpus(triple: str) -> frozenset[str]:
    target = tvm.target.Target({"kind": "llvm", "mtriple": triple})
    return frozenset(str(name) for name in codegen.llvm_get_cpu_archlist(target))


KEEP_BUFFERS_APART = {"tirx.merge_static_smem": True}
"""The switch by which StorageRewrite leaves reuse to another pass; there is none in our list."""


def build_module(module: Any, profile: Profile, *, packed: bool = True) -> Built:
    """Compile a TIR module.

    Args:
        module: Functions of plain loops and vectors.
        profile: The device.
        packed: Whether functions take buffers, as TVM's runtime hands them over; those that are called from C
            take pointers.

    Returns:
        The machine code.

    Raises:
        CompileError: When TVM or LLVM refuses.
    """
    target, local = make_target(profile)
    try:
        with tvm.transform.PassContext(opt_level=3, config=KEEP_BUFFERS_APART):
            lowered = _passes(target, packed=packed)(module)
            host = show(_finish()(lowered))
            return Built(tvm.get_global_func("target.build.llvm")(host, target), lowered, local)
    except (ValueError, TypeError, RuntimeError) as error:
        first = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
        raise CompileError(f"TVM refused the nest: {first}") from error


def _passes(target: Any, *, packed: bool) -> Any:
    """List what plain loops need.

    TVM's own list has passes that undo ours, such as one that turns choices into branches. Its StorageRewrite
    is left out: it overlaid buffers that were both alive (mel spectrograms came out wrong);
    `statements.share_slots` does its work.
    """
    return tvm.ir.transform.Sequential(
        [
            tirx.transform.BindTarget(target.with_host(target)),
            tirx.transform.FlattenBuffer(),
            tirx.transform.StmtSimplify(),
            tirx.transform.UnrollLoop(),
            tirx.transform.StmtSimplify(),
            tirx.transform.RemoveNoOp(),
            tirx.transform.VerifyMemory(),
            *(_packed() if packed else ()),
        ]
    )


def _packed() -> tuple[Any, ...]:
    return (
        tirx.transform.AnnotateEntryFunc(),
        tirx.transform.SplitHostDevice(),
        tirx.transform.MakePackedAPI(),
        # Arguments were checked in Python: TVM's own checks are a third of the code.
        tirx.transform.SkipAssert(),
    )


def _finish() -> Any:
    return tvm.ir.transform.Sequential([tirx.transform.LowerTVMBuiltin(), tirx.transform.LowerIntrin()])
