"""The reference compiler: nest to TIR to LLVM, through Apache TVM."""

import os
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.arena import plan_arena
from edgekernelbench.compiler.cost import stored_cost
from edgekernelbench.compiler.cuda.compiler import CudaCompiler
from edgekernelbench.compiler.elf import count_code_bytes
from edgekernelbench.compiler.interface import Artifact
from edgekernelbench.compiler.opencl.compiler import OpenClCompiler
from edgekernelbench.compiler.tvm.start import import_tvm
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

if TYPE_CHECKING:
    from edgekernelbench.compiler.tvm.build import Built


class TvmCompiler:
    """Builds nests with TVM: for CPUs with LLVM, for GPUs as OpenCL."""

    name = "tvm"

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        """Compile a nest.

        Args:
            nest: What to compile, for `llvm`, `opencl` or `cuda`.
            profile: The device; its threads, vector width, registers and CPU are used.
            listings: Whether to keep TIR, LLVM IR and assembly and to find the size of the code, which
                costs time.

        Returns:
            The artifact; its executable is None for another machine's CPU.

        Raises:
            CompileError: When TVM refuses the nest, or has no way to its target.
            PrerequisiteError: When TVM is missing.
        """
        if nest.target == "opencl":
            return OpenClCompiler().compile(nest, profile, listings=listings)
        if nest.target == "cuda":
            return CudaCompiler().compile(nest, profile, listings=listings)
        if nest.target != "llvm":
            raise CompileError(f"expected a nest for llvm, opencl or cuda, found one for {nest.target}")
        start_tvm(profile.threads)
        # Only now: importing these imports TVM.
        from edgekernelbench.compiler.tvm.build import build_module  # noqa: PLC0415
        from edgekernelbench.compiler.tvm.executable import TvmExecutable  # noqa: PLC0415
        from edgekernelbench.compiler.tvm.hidden import show  # noqa: PLC0415
        from edgekernelbench.compiler.tvm.lower import lower_nest  # noqa: PLC0415

        module = lower_nest(nest, profile)
        built = build_module(module, profile)
        texts = (
            {"tir": str(show(module)), "llvm": _source(built, "ll"), "asm": _source(built, "asm")}
            if listings
            else {}
        )
        arena = plan_arena(nest.body, profile.stack_bytes)
        cost = stored_cost(
            nest,
            arena,
            profile.threads,
            code_bytes=_code_bytes(built) if listings else None,
            notes=_notes(profile),
        )
        executable = TvmExecutable(built.module, nest) if built.local else None
        count = None if listings else partial(_code_bytes, built)
        return Artifact(self.name, nest, profile, cost, texts, executable, count)


def start_tvm(threads: int) -> None:
    """Import TVM with a pool of so many threads.

    TVM would use half of the processors of an x86 machine; it reads the number when its pool starts, so the
    first profile of a process decides.

    Args:
        threads: Threads of a parallel loop.

    Raises:
        PrerequisiteError: When TVM is missing.
    """
    os.environ.setdefault("TVM_NUM_THREADS", str(threads))
    import_tvm()


def _source(built: "Built", kind: str) -> str:
    return str(built.module.inspect_source(kind))


def _code_bytes(built: "Built") -> int | None:
    """Write the machine code to a file to see its size; it costs as much as making it."""
    with TemporaryDirectory(prefix="ekb-") as folder:
        file = Path(folder) / "kernel.o"
        built.module.write_to_file(str(file))
        return count_code_bytes(file)


def _notes(profile: Profile) -> tuple[str, ...]:
    pool = os.environ.get("TVM_NUM_THREADS", "")
    if pool.isdigit() and int(pool) < profile.threads:
        return (f"TVM's pool has {pool} threads, the profile asks for {profile.threads}",)
    return ()
