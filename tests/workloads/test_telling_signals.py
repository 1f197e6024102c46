"""Inputs of signals, control and health meet what their texts decide."""

from typing import Any

import numpy as np
import pytest

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.inputs import make_inputs
from edgekernelbench.workloads.pytorch import load_function, run_function
from edgekernelbench.workloads.schema import Workload

SEEDS = (1, 2, 3)


def rows(pattern: str) -> list[Workload]:
    return [w for w in load_catalogue().workloads if w.pattern.id == pattern]


def run(workload: Workload, inputs: Any, **sizes: float) -> Any:
    function = load_function(workload.pattern.torch_path, workload.pattern.name, {**workload.sizes, **sizes})
    return run_function(function, inputs)


@pytest.mark.needs_torch
@pytest.mark.parametrize("seed", SEEDS)
def test_who_rests_is_not_armed_and_some_fall(seed: int) -> None:
    (workload,) = rows("health/fall_detect")
    event, _ = run(workload, make_inputs(workload, seed))
    shares = np.bincount(event.reshape(-1), minlength=4) / event.size

    assert shares[0] > 0.5
    assert (shares > 0).all()


@pytest.mark.needs_torch
def test_intervals_between_beats_are_those_of_a_heart() -> None:
    (workload,) = rows("health/rr_variability")
    mean, deviation, _, large = run(workload, make_inputs(workload, 1))[0].T

    assert np.all((mean > 800) & (mean < 1000) & (deviation < 100))
    assert 5 < large.min() < large.max() < 60


@pytest.mark.needs_torch
@pytest.mark.parametrize("workload", rows("speech/ctc_greedy"), ids=lambda w: w.id)
def test_some_symbols_are_blank_or_repeated(workload: Workload) -> None:
    lengths = [int(run(workload, make_inputs(workload, seed))[1]) for seed in SEEDS]

    assert max(lengths) < 0.95 * int(workload.sizes["T"])


@pytest.mark.needs_torch
def test_the_first_frame_mixes_as_the_others_do() -> None:
    (workload,) = rows("audio/wiener_gain")
    power, noise = make_inputs(workload, 1)
    ratio = np.minimum(power[0] / noise, 100)
    alpha, floor = float(workload.sizes["ALPHA"]), float(workload.sizes["FLOOR"])
    prior = alpha + (1 - alpha) * np.maximum(ratio - 1, 0)

    assert np.allclose(run(workload, (power, noise))[0][0], np.maximum(prior / (1 + prior), floor), rtol=1e-5)
    assert np.any(power > 100 * noise)  # type: ignore[operator]


@pytest.mark.needs_torch
def test_no_doppler_is_louder_than_another() -> None:
    workload = rows("radio/satellite_acquisition")[0]
    noise = np.mean([run(workload, make_inputs(workload, seed))[0].mean(axis=1) for seed in SEEDS], axis=0)

    assert noise.max() < 1.15 * noise.min()


def test_some_cells_cannot_be_left() -> None:
    (workload,) = rows("control/cost_to_go")
    lethal = [np.mean(make_inputs(workload, seed)[0] >= 254) for seed in range(8)]  # type: ignore[operator]

    assert 0.01 < np.mean(lethal) < 0.2


@pytest.mark.parametrize("workload", rows("signal/cic_decimate"), ids=lambda w: w.id)
def test_a_channel_is_not_connected(workload: Workload) -> None:
    assert not make_inputs(workload, 1, "sparse")[0][-1].any()


@pytest.mark.parametrize("workload", rows("audio/mfcc"), ids=lambda w: w.id)
def test_speech_ends(workload: Workload) -> None:
    assert not np.ptp(make_inputs(workload, 1, "heavy")[0][-int(workload.sizes["N"]) :])
