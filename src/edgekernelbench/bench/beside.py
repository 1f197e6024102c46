"""What kernels are timed beside, by the settings of a run or of a command."""

from pathlib import Path

from edgekernelbench.bench.release import release_folder
from edgekernelbench.evaluator.baselines import Baseline, Bench, DefaultBaseline
from edgekernelbench.evaluator.references import TunedBaseline, open_tuned
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.reference import Kind


def reference_baselines(
    kind: Kind, folder: str | None, profile: Profile, compiler: str
) -> tuple[Baseline, ...]:
    """Give the baselines of a reference: always the default lowering, and R1 where that was asked for.

    Args:
        kind: `R0` or `R1`.
        folder: A folder of tuned references; None for those of the release.
        profile: The device.
        compiler: Name of the compiler.

    Raises:
        PrerequisiteError: When R1 was asked for and the folder has no references of the profile.
        RecordError: When a reference cannot be read.
    """
    bench = Bench(profile, compiler)
    default = DefaultBaseline(bench)
    if kind == "R0":
        return (default,)
    place = Path(folder) if folder else release_folder()
    return default, TunedBaseline(bench, open_tuned(place, profile.name))
