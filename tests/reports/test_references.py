"""Scores against two releases, or two kinds of reference, are never in one column."""

from fractions import Fraction
from pathlib import Path

import pytest
from tests.reports.support import AGENTS, OUTCOMES, WORKLOADS, correct, judgement, make_run, manifest

from edgekernelbench.base.errors import RecordError
from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.metrics.headline import Headline
from edgekernelbench.records.outcome import Correct, Outcome, Ring, Series
from edgekernelbench.records.reference import ReferenceRecord
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.comparability import refuse_other_kinds
from edgekernelbench.reports.runs import read_attempts, read_run
from edgekernelbench.reports.tables import table_lines

R0 = ReferenceRecord(release="2026.1", kind="R0", name="default")
R1 = ReferenceRecord(release="2026.1", kind="R1", name="metaschedule")
NEXT = ReferenceRecord(release="2026.2", kind="R0", name="default")


def with_r1(outcome: Outcome) -> Outcome:
    """Time the kernels beside R1, too, which takes half as long as the default."""
    if not isinstance(outcome, Correct):
        return outcome
    (ring,) = outcome.rings
    tuned = Nanoseconds(ring.baselines[0].samples[0] // 2)
    return Correct((Ring(ring.kernel, (*ring.baselines, Series("r1", 1, (tuned,), 2))),))


def make_counted(folder: Path, *references: ReferenceRecord) -> Path:
    """Make a run whose timed kernels count against some references in turn."""
    run = RunFolder.create(folder, manifest())
    turn = 0
    with run.writing() as writer:
        for agent in AGENTS:
            for workload, outcome in zip(WORKLOADS, OUTCOMES[agent], strict=True):
                made = judgement(f"{agent}/{workload}/0", workload, with_r1(outcome))
                if isinstance(outcome, Correct):
                    made = made.model_copy(update={"reference": references[turn % len(references)]})
                    turn += 1
                writer.add_judgement(made)
    return folder


@pytest.mark.parametrize("other", [R1, NEXT], ids=["kind", "release"])
def test_a_run_with_two_references_has_no_table(tmp_path: Path, other: ReferenceRecord) -> None:
    with pytest.raises(RecordError, match="scores of two are never joined"):
        read_run(make_counted(tmp_path / "run", R0, other))


@pytest.mark.parametrize("other", [R1, NEXT], ids=["kind", "release"])
def test_rows_of_two_references_are_not_compared(tmp_path: Path, other: ReferenceRecord) -> None:
    runs = [
        read_attempts(make_counted(tmp_path / "a", R0)),
        read_attempts(make_counted(tmp_path / "b", other)),
    ]
    with pytest.raises(RecordError, match="never in one table"):
        refuse_other_kinds(runs)


def test_speed_is_counted_against_the_reference_that_records_name(tmp_path: Path) -> None:
    """The kernels take 50 and 100, default 100 and 101, R1 50 and 50: none is faster than R1."""
    fast = {}
    for reference in (R0, R1):
        scored = read_run(make_counted(tmp_path / reference.kind, reference))
        row = scored.rows[1]
        assert isinstance(row, Headline)
        fast[reference.kind] = next(s.value for s in row.scores if s.name == "Fast@1.0")
        assert any(
            f"speed is against {reference.kind} of release 2026.1" in line for line in table_lines([scored])
        )
    assert fast == {"R0": Fraction(2, 3), "R1": Fraction(0)}


def test_runs_that_name_no_reference_are_what_they_were(tmp_path: Path) -> None:
    assert str(read_run(make_run(tmp_path / "run")).reference) == "R0, the default lowering"
    assert correct(50, 100).rings[0].log_ratio("r1") is None


def test_r1_is_never_slower_than_r0() -> None:
    kernel, default, slow = (
        Series(n, 1, (Nanoseconds(t),), 2) for n, t in (("kernel", 50), ("default", 60), ("r1", 90))
    )
    ring = Ring(kernel, (default, slow))
    assert ring.log_ratio("r1") == ring.log_ratio("default")
