"""The null battery sees what passes, and says why some of it may."""

from dataclasses import replace

import pytest

from edgekernelbench.battery.lint import Fate, null_battery
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.draws import Uniform

CATALOGUE = load_catalogue()

QUICK_TO_TRY = (
    "norm/softmax@r591-n197-f32",
    "norm/layer_norm@r577-d384-f32",
    "linear/gemv_i4@n1536-k576-g32-i4",
    "conv/depthwise2d_relu6@c672-h14-f5s2-f32",
    "linear/matmul_q8@m1-k1280-n1001-i8",
)


@pytest.mark.parametrize("name", QUICK_TO_TRY)
def test_no_mistake_passes_at_full_size(name: str) -> None:
    battery = null_battery(CATALOGUE.workload(name))
    assert battery.of(Fate.ALIVE) == ()
    assert len(battery.of(Fate.KILLED)) > 10
    assert all(verdict.reason for verdict in battery.of(Fate.EQUIVALENT))


def test_inputs_that_hide_a_mistake_are_found() -> None:
    """Where all inputs are far above 0, nobody sees whether negative values are cut off."""
    workload = CATALOGUE.workload("conv/pointwise_relu6@c24-k144-h56-f32").twin()
    hidden = {name: Uniform(draw="uniform", low=0.01, high=0.02) for name in workload.inputs}
    sound, blind = null_battery(workload), null_battery(replace(workload, inputs=hidden))
    assert sound.of(Fate.ALIVE) == ()
    assert any("clamp" in verdict.change for verdict in blind.of(Fate.ALIVE))


def test_what_scales_by_less_than_a_16_bit_float_can_hold_is_equivalent() -> None:
    """A mean over 895 in place of 896 is a seventh of a rounding to bf16: no kernel could be held to that."""
    battery = null_battery(CATALOGUE.workload("norm/add_rms_norm@r129-d896-bf16"))
    assert battery.of(Fate.ALIVE) == ()
    slight = [v.change for v in battery.of(Fate.EQUIVALENT) if "roundings of a 16-bit float" in v.reason]
    assert slight == ["896 becomes 895"]


def test_a_mean_over_one_too_few_shows_in_f16() -> None:
    battery = null_battery(CATALOGUE.workload("norm/rms_norm@r77-d576-f16"))
    assert "576 becomes 575" in [verdict.change for verdict in battery.of(Fate.KILLED)]


def test_what_never_shows_is_equivalent() -> None:
    """Rounding to 8 bits saturates already: the limits of the type change nothing."""
    battery = null_battery(CATALOGUE.workload("conv/conv2d_q8@c32-k32-h16-f3s1-i8").twin())
    assert battery.of(Fate.ALIVE) == ()
    assert any("sat_i8" in v.change or "clamp" in v.change for v in battery.of(Fate.EQUIVALENT))
