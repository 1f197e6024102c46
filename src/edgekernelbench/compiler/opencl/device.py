"""Finding an OpenCL device, and what it can do."""

import contextlib
import os
from dataclasses import dataclass
from typing import Any

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.names import nearest
from edgekernelbench.profiles.profile import Profile

REMEDY = "pip install 'edgekernelbench[opencl]'"


@dataclass(frozen=True, slots=True)
class OpenClDevice:
    """An OpenCL device with a context and a queue that keeps times.

    Attributes:
        context: The context.
        queue: An in-order queue with profiling.
        platform: The platform's name and version.
        name: The device's name.
        options: Options of its compiler.
    """

    context: Any
    queue: Any
    platform: str
    name: str
    options: tuple[str, ...]


def open_device(profile: Profile) -> OpenClDevice:
    """Open the first device of the platform that a profile names.

    Raises:
        PrerequisiteError: When PyOpenCL is missing, or there is no such platform, or it has no device.
    """
    cl = load_pyopencl()
    platforms = list_platforms()
    names = [platform.name for platform in platforms]
    wanted = profile.platform.lower()
    found = [platform for platform in platforms if wanted in platform.name.lower()]
    if not found:
        close = nearest(profile.platform, names)
        there = f"there are {', '.join(names)}" if names else "there is none"
        raise PrerequisiteError(
            f"no OpenCL platform {profile.platform!r}; {there}" + (f", perhaps {close!r}" if close else ""),
            REMEDY if "pocl" in wanted or "portable" in wanted else "install the device's OpenCL driver",
        )
    devices = found[0].get_devices()
    if not devices:
        raise PrerequisiteError(f"the OpenCL platform {found[0].name!r} has no device", "check its driver")
    device = devices[0]
    context = cl.Context([device])
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    return OpenClDevice(
        context, queue, f"{found[0].name} {found[0].version}", device.name.strip(), _options(device)
    )


def load_pyopencl() -> Any:
    """Import PyOpenCL; it caches nothing of its own.

    Raises:
        PrerequisiteError: When it is missing.
    """
    os.environ.setdefault("PYOPENCL_NO_CACHE", "1")
    os.environ.setdefault("PYOPENCL_COMPILER_OUTPUT", "0")
    try:
        import pyopencl as cl  # noqa: PLC0415
    except ImportError as error:
        raise PrerequisiteError(f"PyOpenCL cannot be imported ({error})", REMEDY) from error
    return cl


def list_platforms() -> list[Any]:
    """List the OpenCL platforms of this machine; empty when there is none."""
    cl = load_pyopencl()
    with contextlib.suppress(cl.LogicError):  # what the loader says when no driver is installed
        return list(cl.get_platforms())
    return []


def _options(device: Any) -> tuple[str, ...]:
    cl = load_pyopencl()
    options = ["-cl-std=CL1.2"]
    if device.single_fp_config & cl.device_fp_config.CORRECTLY_ROUNDED_DIVIDE_SQRT:
        options.append("-cl-fp32-correctly-rounded-divide-sqrt")
    return tuple(options)
