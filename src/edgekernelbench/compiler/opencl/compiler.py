"""Nest to OpenCL: TVM writes device code and launch plan, PyOpenCL runs them."""

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.gpu.cost import device_cost
from edgekernelbench.compiler.interface import Artifact
from edgekernelbench.compiler.opencl.device import open_device
from edgekernelbench.compiler.opencl.executable import OpenClExecutable
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile, Whereabouts


class OpenClCompiler:
    """Builds nests for OpenCL devices."""

    name = "tvm"

    def compile(self, nest: Nest, profile: Profile, *, listings: bool = False) -> Artifact:
        """Compile a nest.

        Args:
            nest: What to compile, for the target `opencl`.
            profile: The device; its platform is looked for on this machine.
            listings: Whether to keep TIR and OpenCL C.

        Returns:
            The artifact; its executable is None when the profile is of another machine.

        Raises:
            CompileError: When the nest is for another target, or a compiler refuses it.
            PrerequisiteError: When TVM, PyOpenCL or the platform is missing.
        """
        if nest.target != "opencl":
            raise CompileError(f"expected a nest for opencl, found one for {nest.target}")
        # Only now: importing this imports TVM.
        from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

        start_tvm(profile.threads)
        from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415

        code = write_device_code(nest, profile, listings=listings)
        executable = None
        if profile.where is Whereabouts.HERE:
            device = open_device(profile)
            executable = OpenClExecutable(code.source, code.run, code.prepare, nest, device)
        texts = {"tir": code.tir, "opencl": code.source} if listings else {}
        cost = device_cost(nest, code.run, code.shared_bytes, notes=code.notes)
        return Artifact(self.name, nest, profile, cost, texts, executable)
