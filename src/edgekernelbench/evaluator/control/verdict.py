"""What the judge says of plain C beside what it says of any kernel."""

import platform

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.outcome import Fault, Wrong

MACHINES = ("x86_64", "aarch64")
"""For which the filter of system calls is written."""

DETAILS = {
    Fault.GUARD: "bytes beside the buffers of a timed run changed",
    Fault.INPUT_CHANGED: "a timed run wrote to a parameter",
    Fault.UNWRITTEN: "a timed run left elements of an output unwritten",
}


def require_control(profile: Profile, *, is_board: bool) -> None:
    """Refuse devices on which plain C is not run.

    Args:
        profile: The device.
        is_board: Whether it is a board.

    Raises:
        PrerequisiteError: When the device is no CPU of this machine.
    """
    if profile.target != "llvm" or is_board:
        where = "a board" if is_board else f"for {profile.target}"
        raise PrerequisiteError(
            f"plain C runs on the CPU of this machine, {profile.name} is {where}", "use --device llvm"
        )
    if platform.machine() not in MACHINES:
        raise PrerequisiteError(
            f"plain C is run on {' and '.join(MACHINES)}, this is {platform.machine()}", "use another machine"
        )


def beside_its_work(fault: object) -> Wrong | None:
    """Say what a timed run did beside its work; None when it did nothing.

    Args:
        fault: What the worker found: no foreign code runs in it, so that its word is ours.
    """
    known = next((kind for kind in DETAILS if kind == fault), None)
    return None if known is None else Wrong(known, "a timed run", "timed", 1, None, DETAILS[known])
