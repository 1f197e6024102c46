"""What the words after some options may be, for a shell that completes them."""

from edgekernelbench.profiles.profile import profile_names
from edgekernelbench.workloads.catalogue import load_catalogue


def workloads(incomplete: str) -> list[str]:
    """Give the families and patterns that begin so, and the workloads once a family is named."""
    catalogue = load_catalogue()
    families = sorted({p.family for p in catalogue.patterns})
    patterns = [p.id for p in catalogue.patterns]
    known = families + patterns if "/" not in incomplete else patterns + [w.id for w in catalogue.workloads]
    return _beginning(known, incomplete)


def workload_ids(incomplete: str) -> list[str]:
    """Give the workloads that begin so."""
    return _beginning([w.id for w in load_catalogue().workloads], incomplete)


def suites(incomplete: str) -> list[str]:
    """Give the suites that begin so."""
    return _beginning(load_catalogue().suites, incomplete)


def profiles(incomplete: str) -> list[str]:
    """Give the device profiles that begin so."""
    return _beginning(profile_names(), incomplete)


def _beginning(known: list[str] | tuple[str, ...], incomplete: str) -> list[str]:
    return [word for word in known if word.startswith(incomplete)]
