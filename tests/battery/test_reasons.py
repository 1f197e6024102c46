"""The list of reasons names things that exist."""

from edgekernelbench.battery.reasons import load_reasons
from edgekernelbench.workloads.catalogue import load_catalogue


def test_every_reason_is_for_a_pattern_of_the_catalogue() -> None:
    patterns = {pattern.id for pattern in load_catalogue().patterns}
    for entry in load_reasons():
        assert entry.pattern in patterns
        assert len(entry.reason) > 20
