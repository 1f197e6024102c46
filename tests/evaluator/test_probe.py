"""A kernel on every backend, each in a process of its own."""

import pytest

from edgekernelbench.evaluator.probe import Probed, probe


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
