"""Whole models as programs: they compute what their own framework computes, wherever they are run."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper
from tests.imports.onnx_models import save, small_net, tensor, weight

from edgekernelbench.base.errors import PrerequisiteError, RecordError
from edgekernelbench.bench.optimising.results import open_source
from edgekernelbench.deploy.calling import load_kernel
from edgekernelbench.deploy.kernels import Wish
from edgekernelbench.deploy.models import export_model
from edgekernelbench.deploy.record import Form
from edgekernelbench.deploy.verifying import verify_export
from edgekernelbench.imports.importing import Request, import_model
from edgekernelbench.profiles.profile import load_profile

pytestmark = pytest.mark.needs_tvm

LLVM = load_profile("llvm")


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    import_model(Request(str(small_net(folder)), {}), folder / "catalogue")
    return folder / "catalogue"


def exported(imported: Path, folder: Path, wish: Wish | None = None, profile: str = "llvm") -> Path:
    device = load_profile(profile)
    export_model(open_source(imported, device), device, folder, wish or Wish())
    return folder


@pytest.mark.parametrize("form", [Form.OBJECT, Form.SHARED, Form.RELAX])
def test_a_model_computes_what_its_framework_does(imported: Path, tmp_path: Path, form: Form) -> None:
    found = verify_export(exported(imported, tmp_path / "out", Wish(form)))
    assert found.flaws == ()
    assert found.against.startswith("ONNX Runtime, ")
    assert " us a run" in found.said


@pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="needs a cross compiler and an emulator: apt-get install gcc-aarch64-linux-gnu qemu-user",
)
def test_a_model_runs_on_another_processor(imported: Path, tmp_path: Path) -> None:
    assert verify_export(exported(imported, tmp_path / "out", profile="aarch64")).flaws == ()


def test_one_kernel_serves_two_sets_of_weights(imported: Path, tmp_path: Path) -> None:
    folder = exported(imported, tmp_path / "out")
    record = json.loads((folder / "export.json").read_text(encoding="utf-8"))
    assert max(note["runs"] for note in record["kernels"].values()) == 2
    assert record["weights_bytes"] == 2 * 16 * 16 * 9 * 4 + 16 * 60 * 4


def test_other_weights_are_another_model(imported: Path, tmp_path: Path) -> None:
    folder = exported(imported, tmp_path / "out")
    path = folder / "small_net.weights"
    path.write_bytes(path.read_bytes()[::-1])
    assert verify_export(folder).flaws == ("small_net.weights is not what was exported",)
    with np.load(imported / "probe.npz") as stored:
        other = {name: stored[name] + 0.1 for name in stored.files}
    wrong = tmp_path / "wrong"
    shutil.copytree(imported, wrong)
    np.savez(wrong / "probe.npz", **other)
    (flaw,) = verify_export(exported(wrong, tmp_path / "wrong out")).flaws
    assert "of their size from ONNX Runtime, where 0.001 is the most" in flaw


def test_values_that_are_not_alive_together_share_memory(imported: Path, tmp_path: Path) -> None:
    record = json.loads((exported(imported, tmp_path / "out") / "export.json").read_text(encoding="utf-8"))
    one = 16 * 8 * 8 * 4
    assert record["workspace_bytes"] < 4 * one + 16 * 10 * 10 * 4 * 2


def odd_net(folder: Path) -> Path:
    """Save a model with an index among its inputs, a scalar weight, and an output that is given twice."""
    nodes = [
        helper.make_node("Gather", ["table", "ids"], ["rows"], "gather", axis=0),
        helper.make_node("Mul", ["rows", "half"], ["halved"], "halve"),
        helper.make_node("Add", ["halved", "x"], ["y"], "add"),
        helper.make_node("Identity", ["y"], ["again"], "again"),
    ]
    weights = [weight("table", 9, 12), helper.make_tensor("half", TensorProto.FLOAT, [], [0.5])]
    inputs = [tensor("ids", 4, kind=TensorProto.INT64), tensor("x", 4, 12)]
    return save(folder / "odd.onnx", nodes, inputs, [tensor("y", 4, 12), tensor("again", 4, 12)], weights)


def test_indices_scalars_and_outputs_that_are_given_twice(tmp_path: Path) -> None:
    import_model(Request(str(odd_net(tmp_path)), {}), tmp_path / "catalogue")
    for form in (Form.OBJECT, Form.RELAX):
        folder = exported(tmp_path / "catalogue", tmp_path / form, Wish(form))
        assert verify_export(folder).flaws == ()
    text = (tmp_path / "object" / "odd.c").read_text(encoding="utf-8")
    assert "return EKB_ODD_OUT_OF_RANGE;" in text


def test_what_cannot_be_exported_is_said(imported: Path, tmp_path: Path) -> None:
    with pytest.raises(PrerequisiteError, match="not exported as C source; take --format object"):
        exported(imported, tmp_path / "c", Wish(Form.C))
    with pytest.raises(PrerequisiteError, match="exported for CPUs, opencl is none"):
        export_model(open_source(imported, LLVM), load_profile("opencl"), tmp_path / "gpu", Wish())
    with pytest.raises(RecordError, match="no folder of `ekb optimise` or `ekb import`"):
        open_source(tmp_path, LLVM)
    with pytest.raises(RecordError, match="is a whole model; functions of Python are made of kernels"):
        load_kernel(exported(imported, tmp_path / "out"))
