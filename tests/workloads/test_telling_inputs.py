"""Inputs of rows meet what their texts are careful about: in typical draws, and padding in all others."""

from typing import Any

import numpy as np
import pytest

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.pytorch import load_function, run_function
from edgekernelbench.workloads.reference import compute_reference
from edgekernelbench.workloads.sampling import Distribution
from edgekernelbench.workloads.schema import Workload

SEEDS = range(4)


def rows(pattern: str) -> list[Workload]:
    return [w for w in load_catalogue().workloads if w.pattern.id == pattern]


def by_id(workload: Workload) -> str:
    return workload.id


def run(workload: Workload, inputs: Any, **sizes: float) -> Any:
    function = load_function(workload.pattern.torch_path, workload.pattern.name, {**workload.sizes, **sizes})
    return run_function(function, inputs)


@pytest.mark.needs_torch
@pytest.mark.parametrize("workload", rows("sequence/sampling_probabilities"), ids=by_id)
def test_the_penalty_for_repetition_mostly_changes_probabilities(workload: Workload) -> None:
    drawn = [make_inputs(workload, seed) for seed in range(20)]

    changed = [
        np.abs(run(workload, inputs)[0] - run(workload, inputs, PENALTY=1.0)[0]).max() > 1e-4
        for inputs in drawn
    ]

    assert sum(changed) >= 16


@pytest.mark.needs_torch
@pytest.mark.parametrize("workload", rows("recommendation/interest_attention"), ids=by_id)
@pytest.mark.parametrize("seed", SEEDS)
def test_candidates_differ_in_their_probability(workload: Workload, seed: int) -> None:
    (scores,) = run(workload, make_inputs(workload, seed))

    assert 0.05 < scores.mean() < 0.95
    assert scores.std() > 0.03


@pytest.mark.needs_torch
@pytest.mark.parametrize("workload", rows("factor/linear_prediction"), ids=by_id)
@pytest.mark.parametrize("seed", SEEDS)
def test_a_windowed_signal_can_be_predicted(workload: Workload, seed: int) -> None:
    drawn: Any = make_inputs(workload, seed)
    signal, window = drawn
    energy = ((signal * window) ** 2).sum(1)

    gain = 10 * np.log10(np.median(energy / run(workload, (signal, window))[1]))

    assert gain > 7


@pytest.mark.parametrize("workload", [*rows("linear/quantise_rows"), *rows("norm/layer_norm_q8")], ids=by_id)
def test_a_row_is_padding(workload: Workload) -> None:
    codes = make_inputs(workload, 1, Distribution.HEAVY)[0]

    assert (np.ptp(codes.astype(np.float32), axis=1) == 0).sum() == 1


@pytest.mark.parametrize("workload", rows("linear/cosine_similarity"), ids=by_id)
def test_a_stored_vector_is_padding(workload: Workload) -> None:
    stored = make_inputs(workload, 1, Distribution.HEAVY)[1].astype(np.float32)

    assert (np.linalg.norm(stored, axis=1) < workload.sizes["EPS"]).sum() == 1


@pytest.mark.parametrize("factor", [0.0, 2.0**-80, 1.0], ids=["zeros", "tiny", "typical"])
def test_shared_exponents_mean_something_over_their_whole_range(factor: float) -> None:
    workload = rows("linear/mx_matmul")[0].twin()
    drawn: Any = make_inputs(workload, 1)
    x, w, shared = drawn
    (declared,) = (p for p in workload.kernel().params if p.name == "we")
    assert declared.bounds is not None
    for exponent in range(*declared.bounds):
        inputs = [x * np.float32(factor), w, np.full_like(shared, exponent)]

        (found,) = compute_reference(workload, inputs).declared

        assert np.isfinite(found).all(), exponent
