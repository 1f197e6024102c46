"""References and what tolerances are derived from."""

from pathlib import Path

import numpy as np
import pytest

from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.parse import parse
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.reference import References, chain_lengths, compute_reference

SIGNATURE = "def f(x: f32[6, 8], w: f32[8]):\n    with compute:\n"


@pytest.mark.parametrize(
    ("body", "lengths"),
    [
        ("a[i, j]: f32[6, 8] = x[i, j] * w[j]\n        return a", {"a": 0}),
        ("a[i]: f32[6] = sum(x[i, j] for j in range(8))\n        return a", {"a": 8}),
        ("a[i]: f32[6] = max(x[i, j] for j in range(8))\n        return a", {"a": 0}),
        (
            "a[i]: f32[6] = sum(x[i, j] for j in range(8))\n        b: f32 = sum(a[i] for i in range(6))\n"
            "        return b",
            {"a": 8, "b": 14},
        ),
        (
            "for j in range(8):\n            y[i, j]: f32[6, 8] = x[i, j] + (y[i, j - 1] if j > 0 else 0.0)\n"
            "        return y",
            {"y": 8},
        ),
        (
            "a[i]: f32[6] = sum(x[i, j] for j in range(8))\n        for i in range(6):\n"
            "            p[i]: f32[6] = sum(x[i, j] * (q[i - 1] if i > 0 else 1.0) for j in range(8))\n"
            "            q[i]: f32[6] = p[i] + a[i]\n        return q",
            {"a": 8, "p": 56, "q": 56},
        ),
    ],
    ids=["product", "sum", "maximum", "sum of sums", "scan", "group"],
)
def test_chains_of_additions_are_counted(body: str, lengths: dict[str, int]) -> None:
    text = SIGNATURE if "w[" in body else SIGNATURE.replace(", w: f32[8]", "")
    assert chain_lengths(parse(f"{text}        {body}\n").compute) == lengths


def test_the_facts_of_an_output_are_its_type_its_chain_and_its_scale(toy: Path) -> None:
    workload = load_catalogue(toy).workloads[0]
    reference = compute_reference(workload, make_inputs(workload, 0))
    (facts,) = reference.facts
    assert (facts.name, facts.dtype, facts.accumulation, facts.additions) == ("out", DType.F16, DType.F32, 0)
    assert facts.scale == pytest.approx(np.sqrt(np.mean(reference.outputs[0].astype(float) ** 2)))


def test_the_reference_is_finer_than_the_declared_types(toy: Path) -> None:
    workload = load_catalogue(toy).workloads[0]
    reference = compute_reference(workload, make_inputs(workload, 0))
    assert reference.declared[0].dtype == np.float16
    assert 0 < np.abs(reference.outputs[0] - reference.declared[0].astype(float)).max() < 1e-2


def test_a_reference_is_remembered_by_content(toy: Path) -> None:
    workload = load_catalogue(toy).workloads[0]
    kept = References()
    first = kept.reference(workload, make_inputs(workload, 0))
    assert kept.reference(workload, make_inputs(workload, 0)) is first
    assert kept.reference(workload, make_inputs(workload, 1)) is not first


def test_the_oldest_reference_is_forgotten_when_there_is_no_room(toy: Path) -> None:
    workload = load_catalogue(toy).workloads[0]
    kept = References(limit_bytes=150)
    first = kept.reference(workload, make_inputs(workload, 0))
    kept.reference(workload, make_inputs(workload, 1))
    assert kept.reference(workload, make_inputs(workload, 0)) is not first
