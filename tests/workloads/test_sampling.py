"""What each draw of a row means."""

import numpy as np
import pytest

from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.workloads.draws import (
    Boxes,
    Choice,
    Distinct,
    Draw,
    Grid,
    Image,
    Index,
    Mask,
    Mel,
    Normal,
    Permutation,
    PositiveDefinite,
    Pulses,
    Requant,
    RequantShift,
    Sections,
    Signal,
    Sorted,
    Uniform,
    Warp,
    Weights,
)
from edgekernelbench.workloads.sampling import ADVERSARIAL, STANDARD, Distribution, sample
from edgekernelbench.workloads.stream import Floats, Stream

EVERY = [*STANDARD, *ADVERSARIAL]
UNUSUAL = [kind for kind in EVERY if kind is not Distribution.TYPICAL]
WEIGHTS = Param("w", DType.I8, (64, 32, 3, 3), const=True)


def drawn(
    draw: Draw, param: Param, distribution: Distribution = Distribution.TYPICAL, seed: int = 0
) -> Floats:
    return sample(param, draw, WEIGHTS, Stream("test", param.name, *([seed] if seed else [])), distribution)


@pytest.mark.parametrize("distribution", EVERY)
def test_indices_stay_in_the_declared_range(distribution: Distribution) -> None:
    values = drawn(Index(draw="index"), Param("i", DType.I32, (500,), bounds=(-3, 7)), distribution)
    assert values.min() >= -3
    assert values.max() <= 6


def test_an_index_can_be_kept_away_from_the_start() -> None:
    values = drawn(Index(draw="index", low=90), Param("i", DType.I32, (50,), bounds=(0, 100)))
    assert values.min() >= 90


@pytest.mark.parametrize("distribution", [Distribution.HEAVY, Distribution.SPARSE, Distribution.EXTREME])
def test_what_is_kept_from_the_start_typically_comes_near_it_otherwise(distribution: Distribution) -> None:
    """Else a kernel that is wrong for short sequences would be right."""
    values = drawn(Index(draw="index", low=90), Param("i", DType.I32, (50,), bounds=(0, 100)), distribution)
    assert values.min() < 40


@pytest.mark.parametrize("distribution", EVERY)
def test_uniform_values_stay_between_their_ends_where_a_logarithm_needs_it(
    distribution: Distribution,
) -> None:
    values = drawn(Uniform(draw="uniform", low=0.5, high=2.0), Param("x", DType.F32, (900,)), distribution)
    assert values.min() >= 0.5
    assert values.max() <= 2.0


@pytest.mark.parametrize("distribution", EVERY)
def test_grid_values_are_multiples_of_the_step(distribution: Distribution) -> None:
    values = drawn(Grid(draw="grid"), Param("p", DType.F32, (300, 3)), distribution)
    steps = 256 if distribution is Distribution.HEAVY else 64
    assert np.array_equal(values * steps, np.rint(values * steps))


def test_a_grid_is_finer_among_heavy_values() -> None:
    """Else integers of the coarse one, which fit a narrower type, would do."""
    values = drawn(Grid(draw="grid"), Param("p", DType.F32, (300, 3)), Distribution.HEAVY)
    assert not np.array_equal(values * 64, np.rint(values * 64))


@pytest.mark.parametrize("distribution", EVERY)
def test_a_choice_takes_its_values_and_no_others(distribution: Distribution) -> None:
    draw = Choice(draw="choice", values=(-3.0, 1.0, 1.0, 8.0))
    values = drawn(draw, Param("symbol", DType.I8, (400,)), distribution)
    assert set(np.unique(values)) <= {-3.0, 1.0, 8.0}
    if distribution in STANDARD:
        assert np.unique(values).size > 1


@pytest.mark.parametrize("distribution", EVERY)
def test_the_corners_of_distinct_values_are_equal_in_every_distribution(distribution: Distribution) -> None:
    values = drawn(Distinct(draw="distinct", corners=1.0), Param("s", DType.F32, (90,)), distribution)
    assert values[0] == values[-1] == 1.0
    assert values[1:-1].max() < 1.0


def test_a_warp_reads_neighbours_near_each_other_and_leaves_the_grid() -> None:
    columns, rows = drawn(Warp(draw="warp", low=-1.1, high=1.1), Param("flow", DType.F32, (2, 45, 80)))
    assert np.abs(np.diff(columns, axis=1)).max() < 0.15
    assert np.abs(np.diff(rows, axis=0)).max() < 0.2
    assert columns.min() < -1.0
    assert rows.max() > 1.0
    assert np.corrcoef(columns.mean(axis=0), np.arange(80))[0, 1] > 0.9


@pytest.mark.parametrize("distribution", STANDARD)
def test_distinct_values_are_distinct_in_single_precision(distribution: Distribution) -> None:
    values = drawn(Distinct(draw="distinct"), Param("s", DType.F32, (4000,)), distribution)
    assert np.unique(values.astype(np.float32)).size == 4000


def test_distinct_values_are_others_each_time() -> None:
    """Else the place of a value in their order could be read off it."""
    param = Param("s", DType.F32, (4000,))
    tops = [drawn(Distinct(draw="distinct"), param, seed=seed).max() for seed in (1, 2, 3)]
    assert len(set(tops)) == 3
    assert min(tops) >= 0.49


def test_weights_keep_the_variance_of_a_sum() -> None:
    values = drawn(Weights(draw="weights"), Param("w", DType.F32, (40, 900), const=True))
    sums = values @ Stream("inputs").normal((900, 50))
    assert 0.9 < sums.std() < 1.1


def test_weights_do_not_change_with_the_distribution() -> None:
    param = Param("w", DType.F32, (4, 9), const=True)
    draw = Normal(draw="normal")
    assert len({drawn(draw, param, distribution).tobytes() for distribution in EVERY}) == 1


def test_multipliers_take_a_sum_to_eight_bits() -> None:
    draw = Requant(draw="requant", of="w", std=32.0)
    real = drawn(draw, Param("m", DType.F32, (64,), const=True))
    deviation = 42.0 * 42.0 * np.sqrt(32 * 9)
    assert 20 < np.median(real) * deviation < 45


def test_mantissa_and_shift_make_the_same_multiplier() -> None:
    mantissa = drawn(Requant(draw="requant", of="w"), Param("m", DType.I32, (64,), const=True))
    shift = drawn(RequantShift(draw="requant_shift", of="w"), Param("s", DType.I32, (64,), const=True))
    assert mantissa.min() >= 2**30
    assert mantissa.max() < 2**31
    real = mantissa * 2.0 ** -(31 + shift)
    assert 8 < np.median(real) * 42.0 * 42.0 * np.sqrt(32 * 9) < 50


def test_sorted_values_rise() -> None:
    values = drawn(Sorted(draw="sorted", high=9.0), Param("x", DType.F32, (3, 40)), Distribution.HEAVY)
    assert (np.diff(values, axis=1) >= 0).all()


def test_a_permutation_has_every_place_once() -> None:
    values = drawn(Permutation(draw="permutation"), Param("i", DType.I32, (30,), bounds=(0, 30)))
    assert sorted(values.tolist()) == list(range(30))


def test_a_mask_has_its_share_of_ones() -> None:
    values = drawn(Mask(draw="mask", share=0.25), Param("m", DType.BOOL, (4000,)))
    assert 0.2 < values.mean() < 0.3


def test_a_ramp_rises_with_the_position() -> None:
    values = drawn(Normal(draw="normal"), Param("x", DType.F32, (30, 30)), Distribution.RAMP)
    assert (np.diff(values.ravel()) > 0).all()


@pytest.mark.parametrize("distribution", EVERY)
def test_the_ends_of_a_mask_can_be_held(distribution: Distribution) -> None:
    values = drawn(Mask(draw="mask", share=0.3, ends=True), Param("keep", DType.U8, (40, 9)), distribution)
    assert np.all(values[:, [0, -1]] == 1.0)


@pytest.mark.parametrize(
    ("draw", "param", "ends"),
    [
        (Normal(draw="normal", std=3.0), Param("x", DType.I8, (400,)), {-128, -9, 9, 127}),
        (
            Uniform(draw="uniform", low=90, high=95),
            Param("x", DType.U16, (400,), bounds=(9, 4096)),
            {9, 90, 96, 4095},
        ),
        (Signal(draw="signal", std=30.0), Param("x", DType.I16, (400,)), {-32768, -90, 90, 32767}),
        (
            Uniform(draw="uniform", low=1, high=5),
            Param("x", DType.I32, (400,), bounds=(0, 70)),
            {0, 1, 6, 69},
        ),
    ],
    ids=["type", "range", "signal", "wide"],
)
def test_extremes_of_integers_are_those_of_the_row_and_of_the_signature(
    draw: Draw, param: Param, ends: set[int]
) -> None:
    """Else sums that fit what is drawn, and not what may come, would be right in a narrower type."""
    assert set(np.unique(drawn(draw, param, Distribution.EXTREME)).tolist()) == ends


def test_extremes_of_wide_integers_are_those_of_the_row() -> None:
    """Their overflow is unspecified, so a row says how far they go."""
    draw = Uniform(draw="uniform", low=0, high=4000)
    assert drawn(draw, Param("x", DType.I32, (400,)), Distribution.EXTREME).max() < 5000


@pytest.mark.parametrize("distribution", UNUSUAL)
def test_a_line_can_fall_silent(distribution: Distribution) -> None:
    draw = Pulses(draw="pulses", period=30, std=100.0, silent=0.25)
    values = drawn(draw, Param("x", DType.I16, (2, 80)), distribution)
    assert np.all(values[:, 60:] == 0.0)
    assert np.any(values[:, :60] != 0.0)


def test_a_line_can_rest_away_from_zero() -> None:
    draw = Pulses(draw="pulses", period=30, mean=590.0, std=100.0, silent=0.25)
    param = Param("x", DType.I16, (2, 80))
    plain = drawn(draw.model_copy(update={"mean": 0.0}), param)
    moved = drawn(draw, param)
    assert np.allclose(moved, plain + 590.0)
    assert np.mean(drawn(draw, param, Distribution.SPARSE)[:, :60] == 590.0) > 0.5


def test_sections_have_gains_of_their_own() -> None:
    param = Param("q", DType.F32, (7, 5), const=True)
    q = drawn(Sections(draw="sections"), param)
    assert len(np.unique(q[:, 0])) == 7
    assert np.all(np.abs(np.roots([1.0, *q[0, 3:]])) < 1.0)


def test_the_first_and_the_last_feature_can_outweigh_the_others() -> None:
    param = Param("x", DType.BF16, (50, 33))
    plain, outlying = drawn(Normal(draw="normal"), param), drawn(Normal(draw="normal", outlier=8.0), param)
    assert np.array_equal(outlying[:, [0, -1]], 8.0 * plain[:, [0, -1]])
    assert np.array_equal(outlying[:, 1:-1], plain[:, 1:-1])


@pytest.mark.parametrize("distribution", EVERY)
def test_the_two_corners_of_an_array_can_be_held(distribution: Distribution) -> None:
    values = drawn(Normal(draw="normal", corners=4.5), Param("x", DType.F32, (3, 8, 9)), distribution)
    assert values[0, 0, 0] == values[-1, -1, -1] == 4.5
    assert np.any(values != 4.5)


@pytest.mark.parametrize("distribution", EVERY)
def test_specks_stand_in_every_image(distribution: Distribution) -> None:
    values = drawn(Image(draw="image", high=900.0, specks=1.0), Param("x", DType.U16, (40, 31)), distribution)
    assert np.all(values.reshape(-1)[::97] == 1.0)
    assert np.any(values > 1.0)


def test_faint_values_are_as_far_from_their_mean_as_others_for_their_size() -> None:
    """Else a right way to compute a variance would lose all digits: they shrink towards zero."""
    param = Param("x", DType.F32, (3, 2000))
    values = drawn(Normal(draw="normal", mean=3.0), param, Distribution.FAINT)
    for row in values:
        assert np.std(row) == pytest.approx(abs(np.mean(row)) / 3, rel=0.1)


@pytest.mark.parametrize("distribution", UNUSUAL)
def test_a_row_can_be_void(distribution: Distribution) -> None:
    values = drawn(Normal(draw="normal", mean=0.3, void=True), Param("x", DType.F32, (3, 5, 7)), distribution)
    assert np.all(values[-1] == 0.0)
    assert np.any(values[:-1] != 0.0)


def test_what_is_nothing_elsewhere_is_work_typically() -> None:
    """Else the row, or the end, that never has anything could be left out, and nobody would see it."""
    row = drawn(Normal(draw="normal", void=True), Param("x", DType.F32, (3, 5)))
    line = drawn(Pulses(draw="pulses", period=30, std=9.0, silent=0.25), Param("x", DType.F32, (2, 80)))
    assert np.all(row[-1] != 0.0)
    assert np.all(line[:, 60:] != 0.0)


def test_a_mel_filter_has_no_zeros() -> None:
    values = drawn(Mel(draw="mel"), Param("fb", DType.F32, (23, 257), const=True))
    assert values.min() > 0.0
    assert np.quantile(values, 0.5) < 0.001


def test_boxes_can_stick_out_and_signals_stand_off_zero() -> None:
    boxes = drawn(Boxes(draw="boxes", extent=560, low=-60.0), Param("roi", DType.F32, (200, 4)))
    assert boxes.min() < 0.0
    connected = Signal(draw="signal", mean=9.81, std=0.5, void=True)
    signal = drawn(connected, Param("x", DType.F32, (3, 400)), Distribution.SPARSE)
    assert np.mean(signal[:-1]) == pytest.approx(9.81, abs=0.5)
    assert np.all(signal[-1] == 0.0)


def test_a_factorisation_may_find_anything_above_the_diagonal() -> None:
    (matrix,) = drawn(
        PositiveDefinite(draw="positive_definite", lower=True), Param("a", DType.F32, (1, 9, 9))
    )
    assert not np.allclose(matrix, matrix.T)
    whole = np.tril(matrix) + np.tril(matrix, -1).T
    assert np.linalg.eigvalsh(whole).min() > 0.0
