"""The free door to static feedback."""

from edgekernelbench.agents.protocol import Inspect
from edgekernelbench.analysis.inspection import inspect_nest
from edgekernelbench.analysis.report import StaticReport
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.peaks import load_peaks
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.verify.compute import verify_compute


def inspector(profile: Profile) -> Inspect:
    """Make the door of a device.

    Args:
        profile: The device.

    Returns:
        From a legal kernel to what bounds it there.
    """
    peaks = load_peaks(profile)

    def inspect(kernel: Kernel) -> StaticReport:
        nest = build_nest(verify_compute(kernel), profile.target, profile)
        return inspect_nest(nest, kernel, profile, peaks=peaks).report

    return inspect
