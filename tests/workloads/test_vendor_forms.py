"""Which forms of a pattern a library is given, and when that is a loop."""

from pathlib import Path

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload
from edgekernelbench.workloads.vendor_forms import forms_of, has_data_loop

SCALE_ID = "tiny/scale@n3-f32"
FUNCTION = "ALL = [1, 2]\n\ndef f(x, w, *, N):\n    layers = w.shape[0]\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return make_catalogue(tmp_path)


def scale(root: Path) -> Workload:
    return load_catalogue(root).workload(SCALE_ID)


def test_without_a_vendor_form_the_plain_function_is_given(root: Path) -> None:
    forms = forms_of(scale(root))

    assert (forms.torch_path.name, forms.loops, forms.onnx_path) == ("scale.py", False, None)


@pytest.mark.parametrize(
    ("text", "torch", "onnx"),
    [
        ("def scale(x, w):\n    return w * x\n", "scale_vendor.py", None),
        ("def scale_onnx(*, N):\n    return ''\n", "scale.py", "scale_vendor.py"),
        ("def helper(x):\n    return x\n", "scale.py", None),
    ],
    ids=["PyTorch", "ONNX", "neither"],
)
def test_a_vendor_form_stands_for_what_it_defines(
    root: Path, text: str, torch: str, onnx: str | None
) -> None:
    (root / "tiny" / "scale_vendor.py").write_text(text, encoding="utf-8")

    forms = forms_of(scale(root))

    assert forms.torch_path.name == torch
    assert (forms.onnx_path.name if forms.onnx_path else None) == onnx


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("for i in range(N): x = x + 1", True),
        ("for i in range(4): x = x + 1", False),
        ("for row in x.unbind(0): x = row", True),
        ("for row in w: x = x * row", False),
        ("for n in range(layers): x = x * w[n]", False),
        ("for part in ALL: x = x * part", False),
        ("for part in (x, w, x + w): y = part", False),
        ("q, k = (part + 1 for part in [x, w])", False),
        ("for part in (x, *y): x = part", True),
        ("rows = x + 1\n    rows[0] = 0\n    for row in rows: x = row", True),
        ("while x.any(): x = x - 1", True),
        ("y = [row + 1 for row in x]", True),
        ("y = sum(w[c] * x for c in range(3))", False),
        ("y = x + 1", False),
    ],
)
def test_a_loop_over_data_is_told_from_a_loop_over_layers(body: str, loops: bool) -> None:
    assert has_data_loop(f"{FUNCTION}    {body}\n", {"w"}) is loops


def test_a_comprehension_outside_functions_is_none() -> None:
    assert not has_data_loop("ROWS = [a for a in zip(range(9))]\n\ndef f(x):\n    return x\n", ())


@pytest.mark.parametrize(
    "name",
    ["biquad_cascade", "dtw", "nms", "farthest_point_sampling"],
)
def test_recurrences_of_the_catalogue_are_loops(name: str) -> None:
    assert all(forms_of(w).loops for w in load_catalogue().workloads if w.pattern.name == name)


@pytest.mark.parametrize("name", ["resnet8", "ds_cnn_q8", "autoencoder", "colour_correct", "demosaic_malvar"])
def test_networks_of_the_catalogue_are_none(name: str) -> None:
    assert not any(forms_of(w).loops for w in load_catalogue().workloads if w.pattern.name == name)
