"""LEKA as a library: one call, on this machine's own compiler."""

from pathlib import Path

import pytest

from edgekernelbench import leka
from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.models.scripted import ScriptedModel
from edgekernelbench.base.errors import SourceError
from edgekernelbench.bench.own import own_workload
from edgekernelbench.lang.parse import parse
from edgekernelbench.records.trajectories import read_trajectory
from edgekernelbench.workloads.inputs import make_inputs

GEMV = '''def gemv(w: const[f32[64, 96]], x: f32[96]):
    """A matrix times a vector."""

    with compute:
        y[n]: f32[64] = sum(w[n, k] * x[k] for k in range(96))
        return y
'''
MIXED = """def mixed(a: u8[4, 8], i: i32[4] in range(8), m: bool[4], s: f32, z: i32[4], w: const[i8[8, 8]]):
    with compute:
        y[n]: i32[4] = i32(a[n, i[n]]) + (z[n] if m[n] else 0) + i32(w[n, i[n]])
        out[n]: f32[4] = f32(y[n]) * s
        return out
"""
PLAN = "layer: schedule\nbottleneck: parallel\nmove: plain\nchange: no schedule\nexpected: 1.1\n"
PLAIN = '```python\nwith schedule("llvm"):\n    unroll(y.n)\n```'


def test_a_kernel_is_made_fast_in_one_call(tmp_path: Path) -> None:
    seen: list[str] = []
    model = ScriptedModel(["bandwidth", PLAN, PLAIN])

    found = leka.optimise(
        GEMV,
        budget=Budget(submissions=2, calls=3),
        model=model,
        compiler="c",
        on_step=lambda step: seen.append(step.extra.ekb.phase),
    )

    assert seen[:2] == ["start", "analyse"]
    assert "revise" in seen
    assert found.speedup > 0.0
    assert found.time > 0
    assert parse(found.text).compute == parse(GEMV).compute
    assert set(found.authors) <= {"given", "model"}
    found.write(tmp_path / "t.jsonl")
    assert len(read_trajectory(tmp_path / "t.jsonl").steps) == len(seen)


def test_a_wrong_kernel_is_refused_before_anything_is_asked() -> None:
    model = ScriptedModel([])

    with pytest.raises(SourceError):
        leka.optimise("def gemv(", model=model, compiler="c")
    assert model.asked == []


def test_every_kind_of_parameter_is_drawn() -> None:
    kernel = parse(MIXED)
    workload = own_workload(kernel)

    arrays = make_inputs(workload, 1)

    assert [array.shape for array in arrays] == [param.shape for param in kernel.params]
    assert 0 <= arrays[1].min() <= arrays[1].max() < 8


def test_without_a_model_the_policy_plans() -> None:
    found = leka.optimise(GEMV, budget=2, compiler="c")

    plans = [step.extra.ekb.plan for step in found.trajectory.steps if step.extra.ekb.plan is not None]
    assert {one.author for one in plans} == {"policy"}
    assert found.trajectory.head.agent.model_name is None
    assert found.reason == "the submissions are spent"
