"""A kernel on every backend, each in a process of its own."""

import pytest

from edgekernelbench.evaluator.probe import Probed, probe, recheck_device
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Cause, Crashed, Phase, Unjudged


@pytest.mark.needs_tvm
@pytest.mark.parametrize("name", ["llvm", pytest.param("opencl", marks=pytest.mark.needs_opencl)])
def test_what_is_installed_works(name: str) -> None:
    found = probe(name)
    assert found.works, found.detail


@pytest.mark.needs_cuda
@pytest.mark.parametrize("name", ["cuda", "opencl-nvidia"])
def test_a_gpu_works(name: str) -> None:
    found = probe(name)
    assert found.works, found.detail


def test_what_is_not_there_comes_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", "/nowhere")
    found = probe("opencl-nvidia")
    assert isinstance(found, Probed)
    assert not found.works
    assert "NVIDIA CUDA" in found.detail
    assert found.remedy


CRASHED = Crashed(Phase.RUN, None, timed_out=False, detail="a fault")


@pytest.mark.needs_opencl
def test_a_crash_on_a_device_that_lives_is_the_kernels() -> None:
    assert recheck_device(CRASHED, load_profile("opencl")) is CRASHED


def test_a_crash_on_a_device_that_is_gone_says_nothing_of_the_kernel(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OCL_ICD_VENDORS", "/nowhere")
    found = recheck_device(CRASHED, load_profile("opencl-nvidia"))
    assert isinstance(found, Unjudged)
    assert found.cause is Cause.DEVICE


def test_nobody_asks_after_a_cpu_or_a_compiler() -> None:
    refused = Crashed(Phase.COMPILE, None, timed_out=False, detail="no")
    assert recheck_device(CRASHED, load_profile("llvm")) is CRASHED
    assert recheck_device(refused, load_profile("opencl-nvidia")) is refused
