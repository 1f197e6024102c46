"""A device whose numbers do not hang on the machine, and a short way to a report."""

from edgekernelbench.analysis.inspection import Inspection, inspect_nest
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import DeviceClass, Profile, load_profile
from edgekernelbench.verify.compute import verify_compute

FOUR_CORES = Profile(
    name="four",
    title="Four cores",
    target="llvm",
    device_class=DeviceClass.EDGE,
    threads=4,
    vector_bytes=32,
    vector_registers=16,
    cache_bytes=(32768, 1048576),
    instructions=("dot4",),
)
ORIN = load_profile("cuda-sm87")


def inspect_text(text: str, profile: Profile = FOUR_CORES) -> Inspection:
    """Read a text, build its nest, and say what bounds it."""
    facts = verify_compute(parse(text))
    return inspect_nest(build_nest(facts, profile.target, profile), facts.kernel, profile)
