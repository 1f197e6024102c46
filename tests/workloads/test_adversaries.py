"""Distributions by kind of operation."""

from edgekernelbench.workloads.adversaries import adversaries
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.sampling import Distribution


def of(name: str) -> tuple[Distribution, ...]:
    return adversaries(load_catalogue().workload(name))


def test_an_exponential_is_tried_far_from_rest_and_a_maximum_on_ties() -> None:
    found = of("norm/softmax@r591-n197-f32")
    assert Distribution.LARGE in found
    assert Distribution.EXTREME in found


def test_a_root_is_tried_near_rest() -> None:
    assert Distribution.FAINT in of("norm/layer_norm@r577-d384-f32")


def test_integers_are_tried_at_the_ends_of_their_range() -> None:
    assert of("isp/integral_image@h243-w321-u8") == (Distribution.EXTREME,)


def test_a_plain_product_needs_none() -> None:
    assert of("linear/matmul@m197-k192-n576-f32") == ()


def test_ties_are_left_out_where_only_rounding_breaks_them() -> None:
    """The nearest of computed distances: two right kernels may name two of equal ones."""
    assert Distribution.EXTREME not in of("points/nearest_neighbour@n1013-m1024-f32")
    assert Distribution.EXTREME in of("sequence/argmax_classes@c19-h129-w257-f32")
