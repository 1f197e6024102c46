"""Settings of a run."""

import json

import pytest
from pydantic import ValidationError

from edgekernelbench.base.errors import CatalogueError, RecordError
from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment, resolve_workloads
from edgekernelbench.workloads.catalogue import load_catalogue

AGENT = AgentSetting(name="a", kind="direct", model="smollm2")
EXPERIMENT = Experiment(agents=(AGENT,), suite="quick", workloads=("x/y@n1-f32", "x/z@n1-f32"), k=2)


def test_settings_are_read_back_from_a_manifest() -> None:
    assert Experiment.read(json.dumps(EXPERIMENT.settings()), "here") == EXPERIMENT


def test_the_seed_of_held_out_workloads_is_stored_and_stands_in_no_other_manifest() -> None:
    held = EXPERIMENT.model_copy(update={"held_out": 0})

    assert held.settings()["held_out"] == 0
    assert Experiment.read(json.dumps(held.settings()), "here") == held
    assert "held_out" not in EXPERIMENT.settings()


def test_the_plan_goes_workload_by_workload() -> None:
    assert EXPERIMENT.planned() == (
        "a/x/y@n1-f32/0",
        "a/x/y@n1-f32/1",
        "a/x/z@n1-f32/0",
        "a/x/z@n1-f32/1",
    )


def test_an_unknown_setting_is_named() -> None:
    with pytest.raises(RecordError, match="here: agnets: extra inputs"):
        Experiment.read(json.dumps({**EXPERIMENT.settings(), "agnets": []}), "here")


@pytest.mark.parametrize("name", ["", "a/b", "a b"])
def test_a_name_that_would_break_ids_is_refused(name: str) -> None:
    with pytest.raises(ValidationError):
        AgentSetting(name=name, kind="direct")


def test_no_limit_and_nothing_at_all_are_different() -> None:
    assert BudgetSetting(submissions=None).budget().submissions is None
    assert BudgetSetting().budget().submissions == 0


def test_an_unknown_workload_is_refused() -> None:
    with pytest.raises(CatalogueError, match="softmaxx"):
        resolve_workloads(load_catalogue(), ("softmaxx",))


def test_a_workload_that_is_not_in_the_suite_is_not_left_out_in_silence() -> None:
    with pytest.raises(
        CatalogueError, match=r"^suite quick has no workload of pointwise_relu6; take --suite full$"
    ):
        resolve_workloads(load_catalogue(), ("softmax", "pointwise_relu6"), suite="quick")


def test_a_family_stands_for_its_workloads() -> None:
    found = resolve_workloads(load_catalogue(), ("softmax",))

    assert found
    assert {w.pattern.name for w in found} == {"softmax"}


def test_a_seed_redraws_every_workload_of_a_run() -> None:
    rows = resolve_workloads(load_catalogue(), ("softmax",))
    held = resolve_workloads(load_catalogue(), ("softmax",), held_out=7)

    assert [w.id for w in held] == [w.id.replace("-f", "-held7-f") for w in rows]
