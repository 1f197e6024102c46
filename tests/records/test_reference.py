"""What speed is counted against: two releases, or two kinds, never come into one column."""

import pytest

from edgekernelbench.base.errors import RecordError
from edgekernelbench.records.reference import PLAIN, ReferenceRecord, one_reference

OLD = ReferenceRecord(release="2026.1", kind="R0", name="default")
TUNED = ReferenceRecord(release="2026.1", kind="R1", name="metaschedule")
NEXT = ReferenceRecord(release="2026.2", kind="R0", name="default")
CHANGED = ReferenceRecord(release="2026.1+changed", kind="R0", name="default")


@pytest.mark.parametrize("other", [TUNED, NEXT, CHANGED], ids=["kind", "release", "changed"])
def test_two_references_are_not_joined(other: ReferenceRecord) -> None:
    with pytest.raises(RecordError, match="scores of two are never joined"):
        one_reference([OLD, None, other], "runs/a")


def test_workloads_of_one_reference_may_have_different_winners() -> None:
    slower = TUNED.model_copy(update={"name": "default", "fallen": {"metaschedule": "slower"}})
    key = one_reference([TUNED, None, slower], "runs/a")
    assert (key.kind, key.release, key.baseline) == ("R1", "2026.1", "r1")


def test_records_that_name_none_count_against_the_default() -> None:
    assert one_reference([None, None], "runs/a") == PLAIN
    assert PLAIN.baseline == "default"
