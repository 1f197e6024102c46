"""What a device reaches at best."""

from pathlib import Path

import pytest

from edgekernelbench.profiles.peaks import Bound, Peaks, Roof, load_peaks, store_peaks
from edgekernelbench.profiles.profile import load_profile

PEAKS = Peaks(
    profile="llvm",
    threads=2,
    operations_per_s=100e9,
    bytes_per_s=((1 << 15, 100e9), (1 << 21, 50e9), (1 << 27, 10e9)),
    launch_ns=1000.0,
)


@pytest.mark.parametrize(
    ("working_set", "expected"),
    [
        pytest.param(1, 100e9, id="below the least"),
        pytest.param(1 << 15, 100e9, id="the least"),
        pytest.param(1 << 18, 100e9 / 2**0.5, id="half-way in logarithms"),
        pytest.param(1 << 21, 50e9, id="measured"),
        pytest.param(1 << 40, 10e9, id="beyond the largest"),
    ],
)
def test_bandwidth_follows_the_working_set(working_set: int, expected: float) -> None:
    assert PEAKS.bandwidth(working_set) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("operations", "traffic", "width", "expected"),
    [
        pytest.param(1e9, 1 << 20, 4, Bound(1e7, Roof.COMPUTE), id="compute"),
        pytest.param(1e9, 1 << 20, 1, Bound(2.5e6, Roof.COMPUTE), id="four times as many in a register"),
        pytest.param(1e9, 1 << 20, 8, Bound(1e7, Roof.COMPUTE), id="never fewer"),
        pytest.param(1000, 10**9, 4, Bound(1e8, Roof.MEMORY), id="memory"),
        pytest.param(1, 4, 4, Bound(1000.0, Roof.LAUNCH), id="launch"),
    ],
)
def test_the_higher_roof_bounds_a_run(
    operations: float, traffic: float, width: float, expected: Bound
) -> None:
    found = PEAKS.bound(operations=operations, traffic=traffic, working_set=1 << 28, element_bytes=width)

    assert found.ns == pytest.approx(expected.ns)
    assert found.roof is expected.roof


def test_stored_peaks_come_back(tmp_path: Path) -> None:
    profile = load_profile("llvm")
    assert load_peaks(profile, tmp_path) is None

    store_peaks(PEAKS, profile, tmp_path)

    assert load_peaks(profile, tmp_path) == PEAKS
    assert load_peaks(load_profile("opencl"), tmp_path) is None


@pytest.mark.parametrize("text", ["", "{}", '{"layout": 0}'], ids=["cut off", "empty", "older"])
def test_what_is_not_such_a_file_is_measured_again(tmp_path: Path, text: str) -> None:
    profile = load_profile("llvm")
    store_peaks(PEAKS, profile, tmp_path).write_text(text, encoding="utf-8")

    assert load_peaks(profile, tmp_path) is None
