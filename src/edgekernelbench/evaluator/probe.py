"""Does a backend work? Runs one small kernel on it, in a process of its own.

Started as `python -m edgekernelbench.evaluator.probe PROFILE`; prints one line of JSON.
"""

import ctypes
import json
import subprocess
import sys
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from edgekernelbench.base.errors import CompileError, DeviceFault, PrerequisiteError
from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.opencl.device import open_device
from edgekernelbench.evaluator.compilers import load_compiler
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile, own_profile_names
from edgekernelbench.records.outcome import Cause, Crashed, Outcome, Phase, Unjudged
from edgekernelbench.verify.compute import verify_compute

PATIENCE_S = 60
"""How long a probe may take; a driver that hangs is no driver that works."""

SIZE = 1000

KERNEL = """
def probe(x: f32[1000]):
    with compute:
        y[i]: f32[1000] = x[i] * 2.0 + 1.0
        return y
"""


@dataclass(frozen=True, slots=True)
class Probed:
    """What became of the kernel.

    Attributes:
        works: Whether it ran and was right.
        detail: On what it ran, or what went wrong.
        remedy: What brings the backend; empty where it works or nothing is known to help.
    """

    works: bool
    detail: str
    remedy: str = ""


def probe(name: str) -> Probed:
    """Run the kernel on the device of a profile, in a process of its own."""
    command = [sys.executable, "-m", __name__, name]
    environment = worker_environment(load_profile(name).threads)
    try:
        done = subprocess.run(  # noqa: S603
            command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment
        )
    except subprocess.TimeoutExpired:
        return Probed(works=False, detail=f"the kernel had not ended after {PATIENCE_S} s")
    if done.returncode:
        last = done.stderr.strip().splitlines()[-1:] or [f"the process ended with {done.returncode}"]
        return Probed(works=False, detail=last[0])
    return Probed(**json.loads(done.stdout.splitlines()[-1]))


def recheck_device(outcome: Outcome | Unjudged, profile: Profile) -> Outcome | Unjudged:
    """Ask after a GPU on which a kernel crashed: a device that runs nothing any more is no fault of a kernel.

    Args:
        outcome: What the judge found.
        profile: The device.

    Returns:
        The outcome; `Unjudged` when a small kernel fails there too.
    """
    ours = profile.target != "llvm" and profile.name in own_profile_names()
    if not (ours and isinstance(outcome, Crashed) and outcome.phase is not Phase.COMPILE):
        return outcome
    found = probe(profile.name)
    if found.works:
        return outcome
    return Unjudged(Cause.DEVICE, f"a kernel crashed, and after it the device runs none: {found.detail}")


def run_kernel(profile: Profile) -> Probed:
    """Compile and run the kernel here."""
    try:
        _need_driver(profile)
        nest = build_nest(verify_compute(parse(KERNEL)), profile.target, profile)
        executable = load_compiler("tvm").compile(nest, profile).executable
        if executable is None:
            return Probed(works=False, detail="it compiles, but this machine has no such device")
        given = np.arange(SIZE, dtype=np.float32)
        params = [place_array(nest.params[0], given)]
        outputs = [allocate_buffer(nest.outputs[0])]
        executable.prepare(params)
        executable.run(params, outputs)
        if not np.array_equal(outputs[0], expected(given)):
            return Probed(works=False, detail="the kernel ran and its result is wrong")
        return Probed(works=True, detail=_name(profile))
    except PrerequisiteError as error:
        return Probed(works=False, detail=error.missing, remedy=error.remedy)
    except (CompileError, DeviceFault) as error:
        return Probed(works=False, detail=str(error))


def expected(given: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give what the kernel makes of its parameter."""
    return given * np.float32(2) + np.float32(1)


def _need_driver(profile: Profile) -> None:
    """Say at once when there is no driver: importing a compiler takes seconds."""
    if profile.target == "opencl":
        open_device(profile)
    elif profile.target == "cuda":
        try:
            ctypes.CDLL("libcuda.so.1")
        except OSError:
            raise PrerequisiteError("there is no NVIDIA driver", "install NVIDIA's driver") from None


def _name(profile: Profile) -> str:
    """Name what the kernel ran on."""
    return open_device(profile).name if profile.target == "opencl" else profile.title


if __name__ == "__main__":
    print(json.dumps(asdict(run_kernel(load_profile(sys.argv[1])))))  # noqa: T201
