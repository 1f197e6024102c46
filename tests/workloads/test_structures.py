"""Draws with a structure."""

import numpy as np

from edgekernelbench.workloads import structures
from edgekernelbench.workloads.stream import Stream


def test_boxes_have_an_area_and_lie_in_the_image() -> None:
    boxes = structures.boxes(128.0, (200, 4), Stream("boxes"), objects=9)
    assert (boxes[:, 2:] - boxes[:, :2]).min() >= 1.0
    assert boxes.min() >= 0.0
    assert boxes.max() <= 128.0
    assert np.array_equal(4 * boxes, np.rint(4 * boxes))


def test_far_boxes_are_tiny_and_stand_side_by_side() -> None:
    boxes = structures.boxes(128.0, (300, 4), Stream("boxes"), objects=2, far=6)
    small = boxes[(boxes[:, 2:] - boxes[:, :2]).max(axis=1) < 2.0]
    assert len(small) > 100
    apart = small[:, None, 2] < small[None, :, 0]
    level = (small[:, None, 1] < small[None, :, 3]) & (small[:, None, 3] > small[None, :, 1])
    assert (apart & level).any()


def test_sections_are_stable() -> None:
    for _, _, _, a1, a2 in structures.sections((500, 5), Stream("sections")):
        assert np.abs(np.roots([1.0, a1, a2])).max() < 1.0


def test_positive_definite_matrices_are_so() -> None:
    for spread, filled in [(0.0, 1.0), (2.0, 1.0), (0.0, 0.25)]:
        a = structures.positive_definite((20, 7, 7), Stream("spd"), spread=spread, filled=filled)
        assert np.array_equal(a, a.swapaxes(1, 2))
        assert np.linalg.eigvalsh(a).min() > 0.0


def test_triangular_matrices_have_nothing_above_the_diagonal() -> None:
    matrix = structures.triangular((9, 9), Stream("triangle"), spread=2.0, filled=1.0)
    assert not np.triu(matrix, 1).any()
    assert np.diag(matrix).min() > 0.2


def test_pictures_share_their_edges_between_channels_last() -> None:
    picture = structures.image((0, 1), (40, 60, 3), Stream("image"))
    assert picture.shape == (40, 60, 3)
    assert 0.0 <= picture.min() < picture.max() <= 1.0


def test_mel_filters_are_triangles_in_rising_order() -> None:
    bank = structures.mel(16000.0, 0.0, (40, 257))
    assert 0.0 <= bank.min() < bank.max() <= 1.0
    assert (np.diff(bank.argmax(axis=1)) >= 0).all()
    assert (bank.sum(axis=1) > 0).all()


def test_walks_run_along_their_axis() -> None:
    walk = structures.walk(0, (500, 3), Stream("walk"))
    assert np.abs(np.diff(walk, axis=0)).max() < np.abs(np.diff(walk, axis=1)).max()


def test_probabilities_sum_to_one() -> None:
    shares = structures.probability(1.0, (4, 30), Stream("shares"))
    assert np.allclose(shares.sum(axis=1), 1.0)


def test_rotary_tables_start_at_angle_zero() -> None:
    assert structures.rotary("cos", 10000.0, (5, 4))[0].tolist() == [1.0] * 4
    assert structures.rotary("sin", 10000.0, (5, 4))[0].tolist() == [0.0] * 4
