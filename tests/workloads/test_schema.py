"""Binding patterns."""

from pathlib import Path

from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.catalogue import load_catalogue


def test_a_workload_binds_sizes_and_types(toy: Path) -> None:
    kernel = load_catalogue(toy).workloads[0].kernel()
    assert [(p.dtype, p.shape) for p in kernel.params] == [(DType.F16, (9,)), (DType.F32, (9,))]


def test_a_twin_is_the_same_at_small_sizes(toy: Path) -> None:
    twin = load_catalogue(toy).workloads[0].twin()
    assert twin.id == "toy/scale@small-f16"
    assert [p.shape for p in twin.kernel().params] == [(3,), (3,)]


def test_the_pytorch_text_is_what_the_file_has(toy: Path) -> None:
    assert "def scale(x, w):" in load_catalogue(toy).patterns[0].torch_text
