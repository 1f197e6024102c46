"""The vendor forms of the catalogue compute what their patterns do, at small sizes."""

import weakref
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from edgekernelbench.evaluator.compare import compare, expect
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.vendor import vendor_assignment
from edgekernelbench.evaluator.vendor_onnx import bind_call, open_session
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.pytorch import load_function, run_function
from edgekernelbench.workloads.reference import compute_reference
from edgekernelbench.workloads.schema import Size, Workload
from edgekernelbench.workloads.vendor_forms import forms_of

pytestmark = pytest.mark.needs_torch

Call = Callable[[], object]

LARGER: dict[str, dict[str, Size]] = {
    "gemv_i4": {"N": 3, "K": 64, "KG": 2},
    "matmul_u4_zp": {"R": 1, "N": 3, "K": 96, "KG": 3},
}
"""Where the operator of a library takes no sizes as small as those of the twin."""


def small(workload: Workload) -> Workload:
    twin = workload.twin()
    return replace(twin, sizes={**twin.sizes, **LARGER.get(workload.pattern.name, {})})


TWINS = {w.twin().id: small(w) for w in load_catalogue().workloads}
IN_TORCH = [w for w in TWINS.values() if forms_of(w).torch_path != w.pattern.torch_path]
IN_ONNX = [w for w in TWINS.values() if forms_of(w).onnx_path]
MANY_ROWS = [
    replace(w, id=f"{w.id} many rows", sizes={**w.sizes, "R": 3})
    for w in IN_ONNX
    if w.pattern.name == "matmul_u4_zp"
]
"""Where the form is another for more rows."""


def by_id(workload: Workload) -> str:
    return workload.id


@pytest.mark.parametrize("workload", IN_TORCH, ids=by_id)
def test_a_pytorch_form_agrees_with_its_pattern(workload: Workload) -> None:
    function = load_function(forms_of(workload).torch_path, workload.pattern.name, workload.sizes)
    inputs = make_inputs(workload, 5)

    assert problems(workload, inputs, run_function(function, inputs)) == []


@pytest.mark.parametrize("workload", [*IN_ONNX, *MANY_ROWS], ids=by_id)
def test_an_onnx_form_agrees_with_its_pattern(workload: Workload, tmp_path: Path) -> None:
    inputs = [a.copy() for a in make_inputs(workload, 5)]
    outputs = [np.zeros_like(d) for d in compute_reference(workload, inputs).declared]

    bind(workload, tmp_path, inputs, outputs)()

    assert problems(workload, inputs, outputs) == []


def bind(workload: Workload, folder: Path, inputs: Sequence[Any], outputs: Sequence[Any]) -> Call:
    """Make a call of the ONNX form."""
    onnx = pytest.importorskip("onnx", reason="needs the extra `vendor`")
    forms = forms_of(workload)
    assert forms.onnx_path is not None
    text = load_function(forms.onnx_path, f"{workload.pattern.name}_onnx", workload.sizes)()
    model = folder / "model.onnx"
    model.write_bytes(onnx.parser.parse_model(text).SerializeToString())
    task = vendor_assignment(workload, forms, load_profile("llvm"), Limits(), "onnx", {"model": str(model)})
    fields = dict(task.fields)
    return bind_call(fields, open_session(fields, inputs), inputs, outputs)


def bound(workload: Workload, folder: Path) -> tuple[Call, Callable[[], object]]:
    """Make a call and a weak reference to its output, which nobody else holds."""
    inputs = [a.copy() for a in make_inputs(workload, 5)]
    outputs = [np.zeros_like(d) for d in compute_reference(workload, inputs).declared]
    return bind(workload, folder, inputs, outputs), weakref.ref(outputs[0])


@pytest.mark.parametrize("workload", IN_ONNX[:1], ids=by_id)
def test_a_call_keeps_the_arrays_that_it_is_bound_to_by_address(workload: Workload, tmp_path: Path) -> None:
    call, output = bound(workload, tmp_path)

    assert output() is not None
    call()


def problems(workload: Workload, inputs: Sequence[Any], outputs: Sequence[Any]) -> list[str]:
    """Compare as the judge does."""
    wanted = compute_reference(workload, tuple(inputs))
    triples = zip(wanted.facts, wanted.outputs, wanted.declared, strict=True)
    found = (compare(o, expect(*each)).mismatch for o, each in zip(outputs, triples, strict=True))
    return [mismatch.detail for mismatch in found if mismatch is not None]
