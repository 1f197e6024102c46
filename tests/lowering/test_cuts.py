"""Where compute layers are cut for a tuner."""

from dataclasses import replace

import pytest

from edgekernelbench.lang.parse import parse
from edgekernelbench.lowering.cuts import Cuts, crossing, cut
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.work import make_program
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

PROFILE = replace(load_profile("llvm"), threads=2, vector_bytes=64, vector_registers=32)


def cuts_of(text: str) -> Cuts:
    facts = verify_compute(parse(text))
    return cut(facts, facts.kernel.schedule_for("llvm"))


HEAD = "def k(x: f32[8, 8]):\n    with compute:\n"
CHAIN = (
    HEAD
    + """        a[i, j]: f32[8, 8] = x[i, j] + 1.0
        b[i, j]: f32[8, 8] = a[i, j] * 2.0
        c[i, j]: f32[8, 8] = b[i, j] + a[i, j]
        return c
"""
)


def test_stages_that_nothing_joins_are_parts_of_their_own() -> None:
    assert cuts_of(CHAIN).parts == (("a",), ("b",), ("c",))


def test_an_attached_stage_belongs_to_its_reader() -> None:
    found = cuts_of(CHAIN + '    with schedule("llvm"):\n        compute_at(b, c.i)\n')
    assert found.parts == (("a",), ("b", "c"))


def test_an_attachment_follows_loops_that_were_split() -> None:
    lines = "        io, ii = split(c.i, 2)\n        compute_at(b, io)\n"
    found = cuts_of(CHAIN + '    with schedule("llvm"):\n' + lines)
    assert found.parts == (("a",), ("b", "c"))


def test_an_inlined_stage_stands_in_every_part_that_reads_it() -> None:
    found = cuts_of(CHAIN + '    with schedule("llvm"):\n        inline(a)\n')
    assert found.parts == (("a", "b"), ("a", "c"))


def test_only_what_crosses_is_stored_outside() -> None:
    text = CHAIN + '    with schedule("llvm"):\n        compute_at(b, c.i)\n'
    facts = verify_compute(parse(text))
    found = cut(facts, facts.kernel.schedule_for("llvm"))
    assert crossing(found, make_program(facts)) == {"a", "c"}


def test_ordered_stages_are_named_and_nothing_is_cut() -> None:
    text = "def k(x: f32[8]):\n    with compute:\n        for t in range(8):\n"
    text += "            y[t]: f32[8] = (y[t - 1] if t > 0 else 0.0) + x[t]\n        return y\n"
    found = cuts_of(text)
    assert (found.parts, found.ordered) == ((), ("y",))


@pytest.mark.parametrize("workload", load_catalogue().select((), suite="quick"), ids=lambda w: w.id)
def test_parts_of_the_catalogue_can_run_one_after_another(workload: Workload) -> None:
    facts = verify_compute(workload.kernel())
    found = cut(facts, default_lowering(facts, "llvm", PROFILE).schedule_for("llvm"))
    program = make_program(facts)
    if found.ordered:
        assert not found.parts
        return
    made = set(found.prepared)
    for part in found.parts:
        assert (program.stages.keys() & {t for s in part for t in program.stages[s].tensors()}) <= made | set(
            part
        )
        made |= set(part)
    assert made == set(program.stages)
