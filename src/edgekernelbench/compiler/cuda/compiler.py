"""Nest to CUDA: TVM writes device code and launch plan, nvcc makes a cubin, TVM's runtime launches it."""

from dataclasses import replace

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.cuda.nvcc import compile_cubin
from edgekernelbench.compiler.gpu.cost import device_cost
from edgekernelbench.compiler.interface import Artifact
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile

NATIVE = ("", "native")
"""What a profile says when its GPU is the one of this machine."""


class CudaCompiler:
    """Builds nests for NVIDIA GPUs."""

    name = "tvm"

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        """Compile a nest.

        Args:
            nest: What to compile, for the target `cuda`.
            profile: The device; its architecture, or that of this machine's GPU where it names none.
            listings: Whether to keep TIR and CUDA C++.

        Returns:
            The artifact; its executable is None when this machine has no GPU of that architecture.

        Raises:
            CompileError: When the nest is for another target, or a compiler refuses it.
            PrerequisiteError: When TVM or nvcc is missing, or a GPU where the profile names no architecture.
        """
        if nest.target != "cuda":
            raise CompileError(f"expected a nest for cuda, found one for {nest.target}")
        # Only now: importing these imports TVM.
        from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

        start_tvm(profile.threads)
        from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415
        from edgekernelbench.compiler.tvm.gpu.cuda import CudaExecutable, find_arch, need_arch  # noqa: PLC0415

        arch = need_arch() if profile.cpu in NATIVE else profile.cpu
        code = write_device_code(nest, replace(profile, cpu=arch), listings=listings)
        cubin = compile_cubin(code.source, arch)
        executable = None
        if find_arch() == arch:
            executable = CudaExecutable(cubin.data, code.run, code.prepare, nest)
        notes = (*code.notes, *(usage.sentence() for usage in cubin.usage))
        cost = device_cost(nest, code.run, code.shared_bytes, code_bytes=len(cubin.data), notes=notes)
        texts = {"tir": code.tir, "cuda": code.source} if listings else {}
        return Artifact(self.name, nest, profile, cost, texts, executable)
