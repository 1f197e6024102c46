"""What workers see of this machine: a listed environment, some cores, a folder in memory."""

import os
import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from edgekernelbench.profiles.profile import DeviceClass, Profile

WORKER_COMMAND = (sys.executable, "-m", "edgekernelbench.evaluator.worker")
"""Starts a fork server, given what it imports: the name of a compiler, `torch` or `onnx`."""

PASSED_ON = (
    "PATH", "LD_LIBRARY_PATH", "PYTHONPATH", "OCL_ICD_VENDORS", "CUDA_VISIBLE_DEVICES",
)  # fmt: skip
"""Variables of this process that workers get as they are: where programs, libraries and devices are found."""

CONTROL = "control"
"""Name of the fork server whose workers build plain C and time what runs it; and of their role."""

TUNER = "tuner"
"""Name of the fork server whose workers schedule with TVM."""
SPIN_COUNT = "10000"
"""How often a thread of GNU's OpenMP, which PyTorch uses, looks at a barrier before it sleeps.

By default it is 300,000 times, over 10 ms: beside anything else that runs, a thread that spins keeps the one
that it waits for off its core, and PyTorch took 16 ms for a convolution of 0.4. Without any spinning that was
0.7 ms, but on an idle machine PyTorch was 1.15 to 2.5 times as slow (two cores of a Xeon, four small
networks). With 5,000 it was 1 to 3 % slower there in the mean, with 20,000 about the same.
"""

LATE = "-late"
"""Ending of the name of a compiler that each worker imports for itself."""

LEAST_ROOM = 2 << 30
"""Bytes that must be free in memory before scratch folders are put there."""

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - each worker's folder is made private below it


def worker_environment(threads: int, given: Mapping[str, str] = os.environ) -> dict[str, str]:
    """List the environment of workers.

    Args:
        threads: How many threads every runtime in a worker may use.
        given: The environment of this process.

    Returns:
        All variables that workers see.
    """
    passed = {name: given[name] for name in PASSED_ON if name in given}
    count = str(threads)
    return passed | {
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "PYTHONDONTWRITEBYTECODE": "1",
        "OMP_NUM_THREADS": count,
        "GOMP_SPINCOUNT": SPIN_COUNT,
        "MKL_NUM_THREADS": count,
        "TVM_NUM_THREADS": count,
        # TVM would bind the calling thread to a core, and OpenMP would inherit the mask.
        "TVM_BIND_THREADS": "0",
        # NumPy's own threads do nothing but turn a fork into one of a threaded process.
        "OPENBLAS_NUM_THREADS": "1",
        # Compiled OpenCL kernels are kept nowhere: what compiling costs is measured.
        "PYOPENCL_NO_CACHE": "1",
        "PYOPENCL_COMPILER_OUTPUT": "0",
        "POCL_KERNEL_CACHE": "0",
        "POCL_MAX_PTHREAD_COUNT": count,
    }


HOST_ROOM_BYTES, GPU_ROOM_BYTES = 4 << 30, 1 << 46
"""Address space beside the workspace. A GPU's driver reserves as much as there is memory of all devices."""


def host_room(profile: Profile) -> int:
    """Say how much address space a worker may map beside a kernel's workspace."""
    return HOST_ROOM_BYTES if part_of(profile) == "cpu" else GPU_ROOM_BYTES


def part_of(profile: Profile) -> str:
    """Say which part of this machine a profile means: `cpu`, also for OpenCL on a CPU, or `gpu`."""
    on_host = profile.target == "llvm" or profile.device_class is DeviceClass.STAND_IN
    return "cpu" if on_host else "gpu"


def server_name(compiler: str, profile: Profile) -> str:
    """Say what the fork server of kernels imports: nothing of CUDA, which does not outlive a fork."""
    return f"{compiler}{LATE}" if profile.target == "cuda" else compiler


ALL_CORES = 1 << 20
"""More threads than any machine has cores."""


def worker_cores(threads: int) -> tuple[int, ...]:
    """Choose the cores of workers: the first ones that this process may use."""
    return tuple(sorted(os.sched_getaffinity(0)))[: max(1, threads)]


def scratch_root() -> Path:
    """Choose where scratch folders go: in memory where there is room and programs may be loaded from it."""
    if SHARED_MEMORY.is_dir() and os.access(SHARED_MEMORY, os.W_OK):
        mounted = os.statvfs(SHARED_MEMORY)
        if shutil.disk_usage(SHARED_MEMORY).free >= LEAST_ROOM and not mounted.f_flag & os.ST_NOEXEC:
            return SHARED_MEMORY
    return Path(tempfile.gettempdir())
