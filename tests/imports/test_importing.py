"""Importing: a model becomes a catalogue whose texts compute what it computes."""

import sys
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper
from tests.conftest import Golden
from tests.imports.onnx_models import save, small_net, tensor, weight

from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.compiler.tvm.relax.fusing import fuse
from edgekernelbench.compiler.tvm.relax.reading import read_onnx
from edgekernelbench.imports.importing import Request, family_of, import_model
from edgekernelbench.imports.programs import load_program
from edgekernelbench.imports.record import ImportedModel, load_model
from edgekernelbench.imports.running import run_model
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue
from edgekernelbench.workloads.check import check_catalogue

pytestmark = [pytest.mark.needs_tvm, pytest.mark.needs_torch]


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("imported")
    out = folder / "catalogue"
    import_model(Request(str(small_net(folder)), {}), out)
    return out


@pytest.fixture(scope="module")
def model(imported: Path) -> ImportedModel:
    return load_model(imported)


@pytest.fixture(scope="module")
def catalogue(imported: Path) -> Catalogue:
    return load_catalogue(imported)


def test_equal_functions_are_one_workload_that_runs_twice(model: ImportedModel) -> None:
    convolution = next(f for f in model.functions if "conv2d" in f.operators)
    assert (convolution.runs, convolution.reason) == (2, "")
    assert len([f for f in model.functions if "conv2d" in f.operators]) == 1


def test_every_function_of_the_small_net_is_raised(model: ImportedModel, catalogue: Catalogue) -> None:
    assert [f.workload for f in model.functions if f.workload is None] == []
    assert {f.workload for f in model.functions} == {w.id for w in catalogue.workloads}


def test_the_texts_read_as_if_written_by_hand(catalogue: Catalogue, golden: Golden) -> None:
    golden("\n".join(pattern.source_text for pattern in catalogue.patterns))


def test_the_catalogue_keeps_its_promises(catalogue: Catalogue) -> None:
    assert check_catalogue(catalogue) == ()


def test_the_model_agrees_with_its_own_framework(model: ImportedModel) -> None:
    assert model.framework == "ONNX Runtime"
    assert model.apart is not None
    assert model.apart < 1e-6


def test_the_texts_run_one_after_another_are_the_model(imported: Path, model: ImportedModel) -> None:
    import onnxruntime  # noqa: PLC0415 - an extra

    x = np.random.default_rng(3).standard_normal((1, 16, 8, 8)).astype(np.float32)
    session = onnxruntime.InferenceSession(
        str(imported.parent / "small net.onnx"), providers=["CPUExecutionProvider"]
    )
    (expected,) = session.run(None, {"x": x})
    (found,) = run_model(model, imported, (x,))
    np.testing.assert_allclose(found.astype(np.float64), expected, rtol=1e-5, atol=1e-6)


def test_a_quantised_model_is_imported_as_it_is_written(tmp_path: Path) -> None:
    def scaled(name: str, value: float, kind: type) -> onnx.TensorProto:
        return onnx.numpy_helper.from_array(np.array(value, kind), name)

    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["a"], "to_codes"),
        helper.make_node("DequantizeLinear", ["a", "s", "z"], ["b"], "from_codes"),
        helper.make_node("DequantizeLinear", ["w", "t", "u"], ["v"], "weights"),
        helper.make_node("MatMul", ["b", "v"], ["c"], "multiply"),
        helper.make_node("QuantizeLinear", ["c", "s", "z"], ["y"], "out_codes"),
    ]
    codes = onnx.numpy_helper.from_array(np.arange(-60, 60, dtype=np.int8).reshape(12, 10), "w")
    held = [scaled("s", 0.05, np.float32), scaled("z", 3, np.int8), scaled("t", 0.01, np.float32)]
    held += [scaled("u", 0, np.int8), codes]
    path = save(tmp_path / "q.onnx", nodes, [tensor("x", 5, 12)], [tensor("y", 5, 10, kind=3)], held)
    model = import_model(Request(str(path), {}), tmp_path / "out")
    assert [f.reason for f in model.functions] == [""] * len(model.functions)
    assert model.apart is not None
    assert model.apart < 0.01
    (workload,) = [w for w in load_catalogue(tmp_path / "out").workloads if w.dtype == "i8"]
    assert workload.tolerance_lsb == 1


def test_an_open_size_is_asked_for_by_name(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="sizes are open: give --size batch=…"):
        read_onnx(small_net(tmp_path, batch="batch"), {})


def test_an_open_size_is_fixed_by_an_option(tmp_path: Path) -> None:
    _, module = read_onnx(small_net(tmp_path, batch="batch"), {"batch": 2})
    assert fuse(module).inputs[0].shape == (2, 16, 8, 8)


def test_a_size_that_is_not_open_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no open size depth; there are none"):
        read_onnx(small_net(tmp_path), {"depth": 2})


def test_a_mistyped_size_is_named_with_those_that_are_open(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="no open size bach; there are batch"):
        read_onnx(small_net(tmp_path, batch="batch"), {"bach": 2})


def test_a_broken_file_is_refused_and_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "broken.onnx").write_bytes(b"\x08\x07not a model at all" * 9)
    with pytest.raises(
        CatalogueError, match=r"broken\.onnx: expected an ONNX model, found a file that begins with"
    ):
        import_model(Request(str(tmp_path / "broken.onnx"), {}), tmp_path / "out")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["broken.onnx"]


def test_an_operator_that_nobody_reads_is_named_with_its_node(tmp_path: Path) -> None:
    node = helper.make_node("StringNormalizer", ["x"], ["y"], "tidy_words")
    path = save(tmp_path / "text.onnx", [node], [tensor("x", 3, kind=8)], [tensor("y", 3, kind=8)])
    with pytest.raises(CatalogueError, match=r"TVM reads no StringNormalizer \(tidy_words\)"):
        read_onnx(path, {})


def test_what_tvm_cannot_read_is_named_with_its_node(tmp_path: Path) -> None:
    node = helper.make_node("Pad", ["x", "p"], ["y"], "grow")
    path = save(
        tmp_path / "pad.onnx", [node], [tensor("x", 4, 4), tensor("p", 4, kind=7)], [tensor("y", 6, 6)]
    )
    with pytest.raises(CatalogueError, match=r"pad\.onnx: TVM cannot read Pad \(grow\): Dynamic pads"):
        read_onnx(path, {})


def test_huge_weights_are_refused_before_they_are_read(tmp_path: Path) -> None:
    path = small_net(tmp_path)
    model = onnx.load(str(path))
    held = model.graph.initializer[0]
    held.ClearField("raw_data")
    held.data_location = onnx.TensorProto.EXTERNAL
    for key, value in (("location", "w.bin"), ("offset", "0"), ("length", str(3 << 30))):
        entry = held.external_data.add()
        entry.key, entry.value = key, value
    path.write_bytes(model.SerializeToString())
    with pytest.raises(CatalogueError, match="expected at most 2 GiB of weights, found 3,221,225,472 bytes"):
        read_onnx(path, {})


def test_weights_that_are_missing_are_named(tmp_path: Path) -> None:
    path = small_net(tmp_path)
    model = onnx.load(str(path))
    onnx.save(model, str(path), save_as_external_data=True, location="w.bin", size_threshold=0)
    (tmp_path / "w.bin").unlink()
    with pytest.raises(CatalogueError, match=r"small net\.onnx: expected .*w\.bin"):
        read_onnx(path, {})


def test_what_is_not_installed_is_named_with_its_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = small_net(tmp_path)
    monkeypatch.setitem(sys.modules, "onnx", None)
    with pytest.raises(PrerequisiteError, match=r"ONNX is not installed; pip install .*vendor"):
        read_onnx(path, {})
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(PrerequisiteError, match=r"PyTorch is not installed; pip install .*torch"):
        load_program("pkg:antigravity:Model", {}, tmp_path)


def test_a_program_sees_no_keys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    file = tmp_path / "curious.py"
    file.write_text("import os\nraise RuntimeError(f\"found {os.environ.get('OPENAI_API_KEY')}\")\n", "utf-8")
    with pytest.raises(CatalogueError, match=r"ended with status 1: .*RuntimeError: found None"):
        import_model(Request(str(file), {}, trusted=True), tmp_path / "out")


def test_an_old_opset_is_refused(tmp_path: Path) -> None:
    node = helper.make_node("Relu", ["x"], ["y"], "r")
    path = save(tmp_path / "old.onnx", [node], [tensor("x", 3)], [tensor("y", 3)], opset=6)
    with pytest.raises(CatalogueError, match="expected opset 7 or later, found 6"):
        read_onnx(path, {})


def test_a_folder_with_something_in_it_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "precious.txt").write_text("keep me")
    with pytest.raises(CatalogueError, match="exists and is not empty"):
        import_model(Request(str(small_net(tmp_path)), {}), tmp_path / "out")
    assert (tmp_path / "out" / "precious.txt").read_text() == "keep me"


def test_a_program_needs_trust(tmp_path: Path) -> None:
    with pytest.raises(CatalogueError, match="importing runs it; read it, then add --trust"):
        import_model(Request("pkg:antigravity:Model", {}), tmp_path / "out")


@pytest.mark.parametrize(
    ("source", "family"),
    [
        ("a/My Net-v2.onnx", "my_net_v2"),
        ("pkg:zoo.nets:ResNet8", "resnet8"),
        ("8.onnx", "model_8"),
        ("é.onnx", "model"),
    ],
)
def test_a_family_is_named_after_its_model(source: str, family: str) -> None:
    assert family_of(source) == family


def test_what_is_unused_is_no_import(tmp_path: Path) -> None:
    nodes = [
        helper.make_node("MatMul", ["x", "w"], ["y"], "m"),
        helper.make_node("Relu", ["x"], ["z"], "dead"),
    ]
    path = save(tmp_path / "dead.onnx", nodes, [tensor("x", 3, 4)], [tensor("y", 3, 5)], [weight("w", 4, 5)])
    assert [call.function for call in fuse(read_onnx(path, {})[1]).calls] == ["matmul"]
