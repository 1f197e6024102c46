"""What every run must do, and kernels that claim to do it in less time than their device needs."""

import math
from dataclasses import replace
from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.base.units import Nanoseconds
from edgekernelbench.evaluator.bounds import Needs, bound_of, is_faster, needs_of
from edgekernelbench.evaluator.signature import outputs_of
from edgekernelbench.profiles.peaks import Peaks
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Ring, Series
from edgekernelbench.workloads.catalogue import load_catalogue

LLVM = replace(load_profile("llvm"), cache_bytes=(32 << 10, 1 << 20))
PEAKS = Peaks(
    "llvm", 2, operations_per_s=100e9, bytes_per_s=((1 << 20, 100e9), (1 << 25, 10e9)), launch_ns=500.0
)


def ring(ns: int, runs: int = 1) -> Ring:
    return Ring(Series("kernel", runs, (Nanoseconds(ns * runs),), 2), ())


def test_a_row_sum_reads_everything_once_converts_and_adds(tmp_path: Path) -> None:
    workload = load_catalogue(make_catalogue(tmp_path)).workload("tiny/row_sum@r4-n12-f32")

    assert needs_of(workload, LLVM) == Needs(
        operations=2 * 48, moved_bytes=4 * 48 + 4 * 4, const_bytes=0, element_bytes=4
    )


def test_weights_stay_where_they_are(tmp_path: Path) -> None:
    workload = load_catalogue(make_catalogue(tmp_path)).workload("tiny/scale@n12-f32")

    needs = needs_of(workload, LLVM)

    assert (needs.moved_bytes, needs.const_bytes) == (3 * 48, 48)
    assert needs.working_set(1 << 20, runs=3) == 3 * 2 * 48 + 48


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param("recommendation/embedding_bag_rows", id="rows that data choose"),
        pytest.param("conv/depthwise2d_relu6", id="elements that a condition chooses"),
    ],
)
def test_what_need_not_be_read_does_not_count(pattern: str) -> None:
    workload = load_catalogue().select([pattern])[0]
    kernel = workload.kernel()
    given = [4 * math.prod(p.shape) for p in kernel.params]
    everything = sum(given) + sum(4 * math.prod(stage.shape) for stage in outputs_of(kernel))
    largest = max(given)

    needs = needs_of(workload, LLVM)

    assert 0 < needs.moved_bytes <= everything - largest


def test_the_bound_is_at_the_peak_of_the_working_set() -> None:
    needs = Needs(operations=1000, moved_bytes=1 << 20, const_bytes=0, element_bytes=4)

    small = bound_of(needs, PEAKS, replace(LLVM, cache_bytes=()), ring(1000))
    large = bound_of(needs, PEAKS, replace(LLVM, cache_bytes=(1 << 24,)), ring(1000, runs=64))

    assert (small.working_set_bytes, large.working_set_bytes) == (1 << 20, 1 << 25)
    assert small.memory_ns == pytest.approx((1 << 20) / 100)
    assert large.memory_ns == pytest.approx((1 << 20) / 10)
    assert small.compute_ns == pytest.approx(10)


@pytest.mark.parametrize(
    ("ns", "expected"),
    [
        pytest.param(10_000, False, id="a little below memory"),
        pytest.param(8_000, True, id="far below memory"),
    ],
)
def test_a_kernel_that_moves_bytes_faster_than_memory_is_noticed(ns: int, expected: bool) -> None:
    needs = Needs(operations=1, moved_bytes=1 << 20, const_bytes=0, element_bytes=4)

    assert is_faster(ring(ns), bound_of(needs, PEAKS, replace(LLVM, cache_bytes=()), ring(ns))) is expected


@pytest.mark.parametrize(
    ("ns", "width", "expected"),
    [
        pytest.param(30_000, 4, False, id="Winograd"),
        pytest.param(20_000, 4, True, id="more than algorithms save"),
        pytest.param(20_000, 1, False, id="four bytes in the place of one float"),
    ],
)
def test_a_kernel_that_computes_faster_than_units_can_is_noticed(
    ns: int, width: float, expected: bool
) -> None:
    needs = Needs(operations=10_000_000, moved_bytes=4, const_bytes=0, element_bytes=width)

    assert is_faster(ring(ns), bound_of(needs, PEAKS, LLVM, ring(ns))) is expected
