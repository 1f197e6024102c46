"""Telling patterns apart whatever they call things."""

from edgekernelbench.lang.parse import parse
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.likeness import likeness, structural_hash, structural_text

ONE = '''\
def scale(x: f32[8], w: const[f32[8]]):
    """Each element times a weight."""
    with compute:
        out[i]: f32[8] = x[i] * w[i] + 0.5
        return out
'''
SAME = '''\
def gain(a: f16[31], g: const[f16[31]]):
    """Another name, other sizes, another type."""
    with compute:
        y[k]: f16[31] = a[k] * g[k] + 0.25
        return y
'''
OTHER = ONE.replace("x[i] * w[i]", "x[i] - w[i]")


def test_names_sizes_numbers_and_types_do_not_count() -> None:
    assert structural_text(parse(ONE)) == structural_text(parse(SAME))
    assert structural_hash(parse(ONE)) != structural_hash(parse(OTHER))


def test_with_numbers_only_names_do_not_count() -> None:
    renamed = ONE.replace("w[i]", "gain[i]").replace("w: const", "gain: const").replace("scale", "f")

    assert structural_hash(parse(ONE), keep_numbers=True) == structural_hash(
        parse(renamed), keep_numbers=True
    )
    assert structural_hash(parse(ONE), keep_numbers=True) != structural_hash(parse(SAME), keep_numbers=True)


def test_the_share_of_equal_definitions_is_their_likeness() -> None:
    twice = ONE.replace("return out", "two[i]: f32[8] = out[i] * 2.0\n        return two")

    assert likeness(structural_text(parse(ONE)), structural_text(parse(SAME))) == 1.0
    assert 0.5 <= likeness(structural_text(parse(ONE)), structural_text(parse(twice))) < 1.0


def test_no_two_workloads_compute_the_same_at_the_same_sizes() -> None:
    seen: dict[str, str] = {}
    for workload in load_catalogue().workloads:
        key = structural_hash(workload.kernel(), keep_numbers=True)
        assert key not in seen, f"{workload.id} computes what {seen[key]} computes"
        seen[key] = workload.id
