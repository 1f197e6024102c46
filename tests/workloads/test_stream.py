"""Random numbers that are the same everywhere."""

import numpy as np

from edgekernelbench.workloads.stream import Stream


def test_the_words_are_those_of_every_machine() -> None:
    assert [hex(word) for word in Stream("w", 1, "x").words(2)] == [
        "0xa9f687bef8296a0b",
        "0x42759ebbcc830db6",
    ]


def test_streams_of_different_names_differ() -> None:
    draws = {tuple(Stream(*words).words(2)) for words in [("a", 1), ("a", 2), ("b", 1), ("a1",)]}
    assert len(draws) == 4


def test_normal_values_have_the_moments_of_a_normal_distribution() -> None:
    values = Stream("normal").normal((200_000,))
    assert abs(values.mean()) < 0.01
    assert abs(values.std() - 1) < 0.01
    assert 4 < abs(values).max() < 4.9
    assert abs((values**4).mean() - 3) < 0.25


def test_unit_values_fill_the_interval() -> None:
    values = Stream("unit").unit((10_000,))
    assert values.min() >= 0.0
    assert values.max() < 1.0
    assert abs(values.mean() - 0.5) < 0.02


def test_orders_are_permutations() -> None:
    orders = Stream("orders").orders(3, 50)
    assert np.array_equal(np.sort(orders, axis=1), np.tile(np.arange(50), (3, 1)))
    assert not np.array_equal(orders[0], orders[1])
