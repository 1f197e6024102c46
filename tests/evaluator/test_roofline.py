"""Measuring what a device reaches."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from edgekernelbench.evaluator.roofline import COPY, NOTHING, PeaksError, Probe, measure_peaks, probes
from edgekernelbench.profiles.profile import load_profile

LLVM = load_profile("llvm")


def test_peaks_are_measured_by_working_set() -> None:
    wanted = [
        Probe(NOTHING),
        *probes(LLVM, working_sets=(1 << 15, 1 << 20))[1:5],
        Probe(probes(LLVM)[-1].text.replace("512", "32"), operations=2 * 32**3),
    ]

    found = measure_peaks(LLVM, compiler="c", wanted=wanted)

    assert (found.profile, found.threads) == ("llvm", LLVM.threads)
    assert [size for size, _ in found.bytes_per_s] == [1 << 15, 1 << 20]
    assert all(1e8 < rate < 1e13 for _, rate in found.bytes_per_s)
    assert 1e7 < found.operations_per_s < 1e14
    assert 0 < found.launch_ns < 1e9
    assert found.waited >= 0


def test_working_sets_stay_within_the_memory_of_a_device() -> None:
    small = replace(LLVM, workspace_bytes=1 << 20)

    assert max(p.working_set for p in probes(small)) <= 1 << 20


def test_a_copy_touches_what_it_is_said_to() -> None:
    (_, copy) = (p for p in probes(LLVM, working_sets=(1 << 20,)) if p.working_set)

    assert copy.text == COPY.format(rows=64, columns=2048)
    assert copy.working_set == 2 * 4 * 64 * 2048


def test_what_cannot_be_measured_says_why() -> None:
    fake = Path(__file__).parent / "cheats" / "fake_server.py"

    with pytest.raises(PeaksError, match="This machine's CPU could not be measured: KeyError: 'peaks'"):
        measure_peaks(LLVM, compiler="c", wanted=[Probe(NOTHING)], command=[sys.executable, str(fake)])
