"""From launches to device source, by TVM's code generation for OpenCL and CUDA."""

import re
from dataclasses import dataclass
from typing import Any

import tvm
from tvm import tirx

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.gpu.plan import Plan, outside, plan_prepare, plan_run, walk_launches
from edgekernelbench.compiler.gpu.preamble import Dialect, Preamble
from edgekernelbench.compiler.tvm.gpu.library import Library
from edgekernelbench.compiler.tvm.gpu.statements import write_launch
from edgekernelbench.nest.tree import Nest, workspace
from edgekernelbench.profiles.profile import Profile

ASYNCHRONOUS = 80
"""The first architecture of NVIDIA's with `cp.async`: Ampere (PTX ISA 9.0, section 9.7.9.25)."""

_BARRIER = {
    "opencl": "#define ekb_barrier() barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE)\n",
    "cuda": "#define ekb_barrier() __syncthreads()\n#define ekb_warp_barrier() __syncwarp()\n",
}


@dataclass(frozen=True, slots=True)
class DeviceCode:
    """What a nest became for a GPU.

    Attributes:
        run: What the host does for a run.
        prepare: What it does once per weights.
        source: The text of all kernels, in OpenCL C or CUDA C++.
        tir: The functions that it was printed from.
        shared_bytes: Memory of a block that each launch takes.
        notes: What there is to say of the launches.
    """

    run: Plan
    prepare: Plan
    source: str
    tir: str
    shared_bytes: dict[str, int]
    notes: tuple[str, ...] = ()


def write_device_code(nest: Nest, profile: Profile, *, listings: bool = False) -> DeviceCode:
    """Write the device code of a nest.

    Args:
        nest: The nest, for `opencl` or `cuda`.
        profile: The device.
        listings: Whether to keep the TIR.

    Returns:
        The code with its launch plans.

    Raises:
        CompileError: When TVM refuses it, or a block takes more memory than the device has.
    """
    _check_types(nest, profile)
    dialect: Dialect = "cuda" if nest.target == "cuda" else "opencl"
    library = Library(Preamble(dialect), asynchronous=_copies_ahead(dialect, profile))
    run, prepare = plan_run(nest), plan_prepare(nest)
    target = make_target(dialect, profile)
    functions, shared, notes = {}, {}, []
    for plan in (run, prepare):
        for launch in walk_launches(plan.steps):
            kernel = write_launch(launch, library)
            if profile.shared_bytes and kernel.shared_bytes > profile.shared_bytes:
                raise CompileError(
                    f"launch {launch.name} takes {kernel.shared_bytes:,} B of shared memory with what its "
                    f"reductions across threads need, {profile.name} has {profile.shared_bytes:,}"
                )
            functions[launch.name] = kernel.function.with_attr("target", target)
            shared[launch.name] = kernel.shared_bytes
            notes += [f"{launch.name}: {note}" for note in kernel.notes]
    if not functions:
        return DeviceCode(run, prepare, "", "", {})
    try:
        with tvm.transform.PassContext(opt_level=3, config={"tirx.UnrollLoop": {"explicit_unroll": False}}):
            lowered = library.finish(_passes()(tvm.IRModule(functions)))
            printed = _printed(dialect, lowered, target)
    except (ValueError, TypeError, RuntimeError) as error:
        first = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
        raise CompileError(f"TVM refused the nest: {first}") from error
    source = _joined(dialect, library.preamble.text(), printed)
    return DeviceCode(run, prepare, source, str(lowered) if listings else "", shared, tuple(notes))


def _copies_ahead(dialect: Dialect, profile: Profile) -> bool:
    """Say whether a device has asynchronous copies to shared memory."""
    digits = re.search(r"\d+", profile.cpu)
    return dialect == "cuda" and digits is not None and int(digits[0]) >= ASYNCHRONOUS


def _check_types(nest: Nest, profile: Profile) -> None:
    """Refuse element types that the device has not."""
    for buffer in (*outside(nest), *workspace(nest)):
        if str(buffer.dtype) not in profile.dtypes:
            there = ", ".join(profile.dtypes)
            raise CompileError(
                f"{buffer.name} is {buffer.dtype}, which {profile.name} has not: it has {there}"
            )


def make_target(dialect: Dialect, profile: Profile) -> Any:
    """Describe the GPU of a profile to TVM."""
    settings: dict[str, Any] = {"kind": dialect, "max_num_threads": profile.max_threads or 256}
    if dialect == "cuda":
        settings["arch"] = profile.cpu or "sm_87"
    return tvm.target.Target(settings)


def _passes() -> Any:
    return tvm.ir.transform.Sequential(
        [
            tirx.transform.FlattenBuffer(),
            tirx.transform.StmtSimplify(),
            tirx.transform.UnrollLoop(),
            tirx.transform.LowerIntrin(),
        ]
    )


def _printed(dialect: Dialect, module: Any, target: Any) -> str:
    """Print device functions."""
    if dialect == "opencl":
        return str(tvm.get_global_func("target.build.opencl")(module, target).inspect_source())
    captured: list[str] = []

    def keep(code: str, _: Any) -> str:
        captured.append(code)
        return code

    # Where there is a GPU, TVM would compile at once, without the functions of our preamble.
    tvm.register_global_func("tvm_callback_cuda_postproc", keep, override=True)
    tvm.register_global_func("tvm_callback_cuda_compile", lambda _: b"\0", override=True)
    try:
        tvm.get_global_func("target.build.cuda")(module, target)
    except RuntimeError:
        if not captured:
            raise  # it is the printing that failed, not the loading of what our compiler gave
    return captured[0]


def _joined(dialect: Dialect, preamble: str, printed: str) -> str:
    """Put the preamble in front of the first kernel, behind what TVM includes."""
    first = re.search(r"^(extern \"C\" __global__|__kernel|// Function:)", printed, re.MULTILINE)
    start = first.start() if first is not None else 0
    return f"{printed[:start]}{_BARRIER[dialect]}{preamble}{printed[start:]}"
