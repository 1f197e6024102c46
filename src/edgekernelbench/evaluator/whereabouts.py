"""Which devices kernels can be run on from here, and why not on the others."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from edgekernelbench.evaluator.probe import probe
from edgekernelbench.profiles.profile import Profile, Whereabouts, load_profile, usable_profiles


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether kernels can be run on the device of a profile.

    Attributes:
        profile: The profile.
        here: Whether they can be run here, now.
        why: On what they run, or why they do not and what brings it.
    """

    profile: Profile
    here: bool
    why: str


def find_availability(names: tuple[str, ...] = ()) -> list[Availability]:
    """Run a kernel on every device that this machine could have.

    Args:
        names: Profiles; empty for all.
    """
    profiles = [load_profile(name) for name in names] or usable_profiles()
    with ThreadPoolExecutor() as pool:
        return list(pool.map(_availability, profiles))


def _availability(profile: Profile) -> Availability:
    match profile.where:
        case Whereabouts.BOARD:
            why = f"run `ekb device serve --profile {profile.name}` on it"
            return Availability(profile, here=False, why=why)
        case Whereabouts.TEXT:
            why = "for check and lower only: it cannot run this package"
            return Availability(profile, here=False, why=why)
        case Whereabouts.HERE:
            found = probe(profile.name)
            remedy = f"; {found.remedy}" if found.remedy and not found.works else ""
            return Availability(profile, here=found.works, why=found.detail + remedy)
