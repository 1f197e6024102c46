"""GRU and LSTM nodes, written step by step, compute what ONNX Runtime computes."""

from pathlib import Path
from typing import Any

import pytest
from onnx import helper
from tests.imports.onnx_models import save, tensor, weight

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.compiler.tvm.relax.reading import read_onnx
from edgekernelbench.compiler.tvm.start import import_tvm
from edgekernelbench.imports.functions import raise_all
from edgekernelbench.imports.reading import open_model
from edgekernelbench.imports.walking import distance, draw_inputs, walk_through

pytestmark = pytest.mark.needs_tvm

STEPS, BATCH, WIDTH, CELLS = 6, 2, 5, 4
GATES = {"GRU": 3, "LSTM": 4}


def recurrent(folder: Path, kind: str, *, states: bool, opset: int = 17, **more: Any) -> Path:
    gates = GATES[kind]
    own = ["h0", "c0"][: gates - 2]
    names = ["x", "w", "r", "b", *(["", *own] if states else [])]
    outputs = ["y", "h", "c"][: gates - 1]
    if kind == "GRU":
        more = {"linear_before_reset": 1, **more}
    node = helper.make_node(kind, names, outputs, "cell", hidden_size=CELLS, **more)
    inputs = [tensor("x", STEPS, BATCH, WIDTH), *(tensor(n, 1, BATCH, CELLS) for n in own if states)]
    shapes = [(STEPS, 1, BATCH, CELLS), (1, BATCH, CELLS), (1, BATCH, CELLS)]
    given = [tensor(name, *shape) for name, shape in zip(outputs, shapes, strict=False)]
    held = [
        weight("w", 1, gates * CELLS, WIDTH),
        weight("r", 1, gates * CELLS, CELLS),
        weight("b", 1, 2 * gates * CELLS),
    ]
    return save(folder / "cell.onnx", [node], inputs, given, held, opset)


@pytest.mark.parametrize("states", [False, True], ids=["zeros", "given"])
@pytest.mark.parametrize("kind", GATES)
def test_a_recurrent_node_is_raised_and_agrees_with_onnx_runtime(
    kind: str, states: bool, tmp_path: Path
) -> None:
    import_tvm()
    opened = open_model("onnx", str(recurrent(tmp_path, kind, states=states)), {}, tmp_path)
    found = raise_all(opened.fused)
    inputs = draw_inputs(opened.fused, found, 3)
    walked = walk_through(opened.fused, found, inputs)
    assert [f.reason for f in walked.found] == [""] * len(found)
    assert opened.run is not None
    pairs = zip(walked.outputs, opened.run(inputs), strict=True)
    assert max(distance(ours, theirs) for ours, theirs in pairs) < 1e-5


def test_all_steps_share_one_function(tmp_path: Path) -> None:
    found = raise_all(open_model("onnx", str(recurrent(tmp_path, "LSTM", states=True)), {}, tmp_path).fused)
    assert max(len(f.functions) for f in found if "tir_tanh" in f.operators) == 1
    assert len([f for f in found if "matmul" in f.operators]) <= 3


@pytest.mark.parametrize(
    "more",
    [{"direction": "reverse"}, {"linear_before_reset": 0}, {"clip": 3.0}],
    ids=["reverse", "reset first", "clip"],
)
def test_what_is_not_covered_is_named(more: dict[str, Any], tmp_path: Path) -> None:
    path = recurrent(tmp_path, "GRU", states=True, **more)
    with pytest.raises(CatalogueError, match=r"TVM reads no GRU \(cell\)"):
        read_onnx(path, {})


def test_an_opset_with_other_forms_is_not_covered(tmp_path: Path) -> None:
    path = recurrent(tmp_path, "GRU", states=True, opset=11)
    with pytest.raises(CatalogueError, match=r"TVM reads no GRU \(cell\)"):
        read_onnx(path, {})
