"""Making parcels, and opening them: two halves of compiling that may be on two machines."""

from pathlib import Path
from tempfile import TemporaryDirectory

from edgekernelbench.base.errors import CompileError, PrerequisiteError
from edgekernelbench.compiler.arena import plan_arena
from edgekernelbench.compiler.cost import stored_cost
from edgekernelbench.compiler.cuda.nvcc import compile_cubin
from edgekernelbench.compiler.elf import count_code_bytes
from edgekernelbench.compiler.gpu.cost import device_cost
from edgekernelbench.compiler.interface import Executable
from edgekernelbench.compiler.linking import find_linker, link_shared
from edgekernelbench.compiler.opencl.device import open_device
from edgekernelbench.compiler.opencl.executable import OpenClExecutable
from edgekernelbench.compiler.parcel import Form, Parcel
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile


def make_parcel(nest: Nest, profile: Profile) -> Parcel:
    """Compile a nest for a device that need not be here.

    Args:
        nest: What to compile.
        profile: The device; names its CPU, or its architecture.

    Returns:
        The parcel.

    Raises:
        CompileError: When TVM or a compiler of the target refuses the nest.
        PrerequisiteError: When TVM, a linker or nvcc is missing.
    """
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(profile.threads)
    match nest.target:
        case "llvm":
            return _shared_object(nest, profile)
        case "opencl" | "cuda":
            return _device_code(nest, profile)
        case other:
            raise CompileError(f"expected a nest for llvm, opencl or cuda, found one for {other}")


def _shared_object(nest: Nest, profile: Profile) -> Parcel:
    from edgekernelbench.compiler.tvm.build import build_module  # noqa: PLC0415
    from edgekernelbench.compiler.tvm.lower import lower_nest  # noqa: PLC0415

    linker = find_linker(profile.triple)
    built = build_module(lower_nest(nest, profile), profile)
    with TemporaryDirectory(prefix="ekb-") as place:
        objects, shared = Path(place) / "kernel.o", Path(place) / "kernel.so"
        built.module.write_to_file(str(objects))
        link_shared(linker, objects, shared)
        code_bytes, code = count_code_bytes(objects), shared.read_bytes()
    arena = plan_arena(nest.body, profile.stack_bytes)
    return Parcel(Form.SHARED, nest, stored_cost(nest, arena, profile.threads, code_bytes=code_bytes), code)


def _device_code(nest: Nest, profile: Profile) -> Parcel:
    from edgekernelbench.compiler.tvm.gpu.build import write_device_code  # noqa: PLC0415

    device = write_device_code(nest, profile)
    if nest.target == "opencl":
        cost = device_cost(nest, device.run, device.shared_bytes, notes=device.notes)
        return Parcel(Form.OPENCL, nest, cost, device.source.encode(), device.run, device.prepare)
    cubin = compile_cubin(device.source, profile.cpu)
    notes = (*device.notes, *(usage.sentence() for usage in cubin.usage))
    cost = device_cost(nest, device.run, device.shared_bytes, code_bytes=len(cubin.data), notes=notes)
    return Parcel(Form.CUBIN, nest, cost, cubin.data, device.run, device.prepare)


def open_parcel(parcel: Parcel, profile: Profile, folder: Path) -> Executable:
    """Load the code of a parcel into this process.

    Args:
        parcel: The parcel.
        profile: The device, which is here.
        folder: Where a shared object can be written.

    Returns:
        What runs it.

    Raises:
        PrerequisiteError: When the device, or what drives it, is missing, or the code is for another one.
        CompileError: When the device's own compiler refuses the code.
    """
    if parcel.form is Form.OPENCL:
        if parcel.run is None or parcel.prepare is None:
            raise CompileError("expected a launch plan beside OpenCL code, found none")
        source, device = parcel.code.decode(), open_device(profile)
        return OpenClExecutable(source, parcel.run, parcel.prepare, parcel.nest, device)
    from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

    start_tvm(profile.threads)
    return _open_cubin(parcel, profile) if parcel.form is Form.CUBIN else _open_shared(parcel, folder)


def _open_cubin(parcel: Parcel, profile: Profile) -> Executable:
    from edgekernelbench.compiler.tvm.gpu.cuda import CudaExecutable, need_arch  # noqa: PLC0415

    if need_arch() != profile.cpu:
        raise PrerequisiteError(
            f"the code is for {profile.cpu}, this machine's GPU is {need_arch()}",
            "serve the board with the profile of its GPU",
        )
    if parcel.run is None or parcel.prepare is None:
        raise CompileError("expected a launch plan beside a cubin, found none")
    return CudaExecutable(parcel.code, parcel.run, parcel.prepare, parcel.nest)


def _open_shared(parcel: Parcel, folder: Path) -> Executable:
    import tvm  # noqa: PLC0415

    from edgekernelbench.compiler.tvm.executable import TvmExecutable  # noqa: PLC0415

    shared = folder / "kernel.so"
    shared.write_bytes(parcel.code)
    try:
        module = tvm.runtime.load_module(str(shared))
    except (RuntimeError, OSError) as error:
        last = str(error).strip().splitlines()[-1] if str(error).strip() else type(error).__name__
        raise PrerequisiteError(
            f"the shared object cannot be loaded here: {last}", "serve the board with the profile of its CPU"
        ) from error
    return TvmExecutable(module, parcel.nest)
