"""Workspace that is never live together overlaps."""

from tests.nest.running import bare, nest_of, text_at

from edgekernelbench.lang.parse import read
from edgekernelbench.nest.lifetimes import lifetimes, overlay
from edgekernelbench.nest.storage import buffer_bytes
from edgekernelbench.nest.tree import Allocate
from edgekernelbench.verify.compute import verify_compute

LINE = """
def line(x: f32[64]):
    with compute:
        a[i]: f32[64] = x[i] + 1.0
        b[i]: f32[64] = a[i] * 2.0
        c[i]: f32[64] = b[i] + a[i]
        d[i]: f32[64] = c[i] * 3.0
        e[i]: f32[64] = d[i] + 4.0
        return e
"""


def outermost(source: str) -> Allocate:
    nest = nest_of(verify_compute(read(source.strip() + "\n").bind()), "llvm")
    (found,) = nest.body
    assert isinstance(found, Allocate)
    return found


def test_a_buffer_lives_from_its_first_to_its_last_statement() -> None:
    assert lifetimes(outermost(LINE)) == {"a": (0, 2), "b": (1, 2), "c": (2, 3), "d": (3, 4)}


def test_a_chain_needs_as_much_as_its_widest_step() -> None:
    plan = overlay(outermost(LINE))
    assert plan.total == 3 * 256
    assert plan.offsets["d"] in (plan.offsets["a"], plan.offsets["b"])


def test_buffers_that_live_together_do_not_overlap() -> None:
    for name in ("inverted_residual", "decode_attention", "layer_norm"):
        nest = nest_of(bare(text_at(name, "small")), "llvm")
        (found,) = nest.body
        assert isinstance(found, Allocate)
        plan, spans = overlay(found), lifetimes(found)
        for one in found.buffers:
            for other in found.buffers:
                together = (
                    spans[one.name][0] <= spans[other.name][1] and spans[other.name][0] <= spans[one.name][1]
                )
                if one.name < other.name and together:
                    low, high = sorted((one, other), key=lambda b: plan.offsets[b.name])
                    assert plan.offsets[low.name] + buffer_bytes(low) <= plan.offsets[high.name]
