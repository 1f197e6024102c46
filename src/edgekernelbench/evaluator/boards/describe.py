"""What the device of a profile really is, on the machine that has it.

Started as `python -m edgekernelbench.evaluator.boards.describe PROFILE`, in a process of its own: asking a
GPU for its architecture starts its driver, which does not outlive a fork.
"""

import json
import platform
import subprocess
import sys
from dataclasses import asdict, replace

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.compiler.tvm.start import import_tvm
from edgekernelbench.evaluator.environment import worker_environment
from edgekernelbench.profiles.profile import Profile, load_profile, profile_from_json

NATIVE = ("", "native")
PATIENCE_S = 120


def own_profile(profile: Profile) -> Profile:
    """Fill in what a profile leaves to the machine: its CPU, its architecture, its GPU."""
    import_tvm()
    if profile.target == "llvm":
        from edgekernelbench.compiler.tvm.build import host_cpu  # noqa: PLC0415

        machine = platform.machine()
        cpu = host_cpu() if profile.cpu in NATIVE else profile.cpu
        return replace(profile, cpu=cpu, triple=profile.triple or f"{machine}-linux-gnu")
    if profile.target == "cuda" and profile.cpu in NATIVE:
        from edgekernelbench.compiler.tvm.gpu.cuda import need_arch  # noqa: PLC0415

        return replace(profile, cpu=need_arch())
    return profile


def describe(name: str) -> Profile:
    """Fill in a profile, in a process of its own.

    Raises:
        PrerequisiteError: When the device, or what is needed to ask it, is missing.
    """
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", __name__, name],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
        env=worker_environment(1),
    )
    lines = done.stdout.splitlines()
    if done.returncode or not lines:
        last = done.stderr.strip().splitlines()[-1:] or ["it said nothing"]
        raise PrerequisiteError(
            f"the device of profile {name} cannot be described: {last[0]}", "run `ekb doctor`"
        )
    said = json.loads(lines[-1])
    if "missing" in said:
        raise PrerequisiteError(said["missing"], said["remedy"])
    return profile_from_json(said)


def main() -> None:
    """Print the profile as JSON."""
    try:
        said = asdict(own_profile(load_profile(sys.argv[1])))
    except PrerequisiteError as error:
        said = {"missing": error.missing, "remedy": error.remedy}
    except ImportError as error:
        said = {"missing": str(error), "remedy": "pip install 'edgekernelbench[boards]'"}
    print(json.dumps(said))  # noqa: T201


if __name__ == "__main__":
    main()
