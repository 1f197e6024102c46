"""Costs of correct kernels, and the vendor beside them."""

import json
from pathlib import Path

import pytest
from tests.conftest import Golden
from tests.reports.support import WRONG, judgement

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.records.judgement import CostRecord, Judgement, VendorRecord
from edgekernelbench.records.outcome import Correct, Outcome, Ring, Series
from edgekernelbench.reports.cost_tables import cost_lines, costs_as_json
from edgekernelbench.reports.costs import costs_of, vendor_ratio, vendor_speed


def series(name: str, ns: int) -> Series:
    return Series(name, 1, (Nanoseconds(ns),), 2)


def timed(kernel: int, vendor: int | None) -> Correct:
    beside = (series("default", 100), *([series("vendor", vendor)] if vendor else []))
    return Correct((Ring(series("kernel", kernel), beside),))


def judged(
    outcome: Outcome, *, workspace: int = 1024, code: int | None = 2048, library: str | None = "torch"
) -> Judgement:
    cost = CostRecord(
        code_bytes=code, workspace_bytes={"stack": workspace, "heap": 24}, compile_ns=10_000_000
    )
    beside = CostRecord(code_bytes=None, workspace_bytes={"heap": 900}, compile_ns=1)
    vendor = VendorRecord(name=library, loop=library == "torch", fallen={})
    return judgement("a/conv/p@s-f32/0", "conv/p@s-f32", outcome).model_copy(
        update={"cost": cost, "vendor": vendor, "baseline_costs": {"default": beside}}
    )


ROWS = [
    judged(timed(50, 100)),
    judged(timed(100, 50), workspace=3000, library="onnxruntime"),
    judged(timed(100, None), workspace=9000, code=None),
    judged(WRONG, workspace=1 << 30),
]


def test_costs_are_medians_over_correct_kernels_alone() -> None:
    found = costs_of(ROWS)

    assert found is not None
    assert (found.kernels, found.workspace_bytes, found.code_bytes) == (3, 3024, 2048)
    assert found.compile_ns == 10_000_000
    assert found.reference_bytes == 900
    assert costs_of([judged(WRONG)]) is None


def test_the_vendor_is_counted_where_it_was_timed_and_named() -> None:
    found = vendor_speed(ROWS)

    assert found is not None
    assert found.mean == pytest.approx(1.0)
    assert (found.faster, found.kernels, found.loops) == (1, 2, 1)
    assert found.names == {"torch": 1, "onnxruntime": 1}
    assert vendor_ratio(ROWS[0]) == pytest.approx(2.0)
    assert vendor_ratio(ROWS[2]) is None
    assert vendor_speed(ROWS[2:]) is None


def test_the_lines_are_golden(golden: Golden) -> None:
    costs, vendor = costs_of(ROWS), vendor_speed(ROWS)
    assert costs is not None
    assert vendor is not None
    both = cost_lines({"direct-a": costs, "direct-b": costs}, {"direct-a": vendor})

    assert all(len(line) <= 80 for line in both)
    golden("\n".join([*both, *cost_lines({"direct-a": costs}, {})]))
    assert cost_lines({}, {}) == []


def test_they_are_values_in_json(tmp_path: Path) -> None:
    values = costs_as_json(costs_of(ROWS), vendor_speed(ROWS))
    assert json.loads(json.dumps(values))["vendor"]["names"] == {"torch": 1, "onnxruntime": 1}
    assert costs_as_json(None, None) == {"costs": None, "vendor": None}
