"""`ekb peaks`."""

import json
from pathlib import Path

import pytest

from edgekernelbench.cli.main import run
from edgekernelbench.cli.status import Status
from edgekernelbench.profiles.peaks import Peaks, load_peaks, store_peaks
from edgekernelbench.profiles.profile import load_profile

LLVM = load_profile("llvm")
PEAKS = Peaks(
    profile="llvm",
    threads=2,
    operations_per_s=100e9,
    bytes_per_s=((32 << 10, 100e9), (2 << 20, 50e9)),
    launch_ns=500.0,
)


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))


def test_kept_peaks_are_shown_and_not_measured_again(capsys: pytest.CaptureFixture[str]) -> None:
    store_peaks(PEAKS, LLVM)

    assert run(["peaks"]) == Status.YES
    assert capsys.readouterr().out.splitlines() == [
        "This machine's CPU, 2 threads",
        "operations on f32: 100.0 G/s",
        "shortest run: 0.50 us",
        "",
        "working set   GB/s",
        "     32 KiB  100.0",
        "      2 MiB   50.0",
    ]


def test_they_are_plain_values_in_json(capsys: pytest.CaptureFixture[str]) -> None:
    store_peaks(PEAKS, LLVM)

    assert run(["peaks", "--json"]) == Status.YES
    assert json.loads(capsys.readouterr().out)["operations_per_s"] == 100e9


@pytest.mark.slow
def test_only_what_a_quiet_machine_showed_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["peaks", "--compiler", "c"])

    is_kept = load_peaks(LLVM) is not None
    assert is_kept is (status == Status.YES)
    assert is_kept is ("not kept" not in capsys.readouterr().err)
