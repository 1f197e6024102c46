"""Who writes at one time: lanes of endpoints, and one of this machine."""

from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.lanes import HERE, lanes_of


def row(name: str, model: str | None, kind: str = "direct") -> AgentSetting:
    return AgentSetting.model_validate({"name": name, "kind": kind, "model": model})


EXPERIMENT = Experiment(
    agents=(
        row("a", "openai:m"),
        row("b", "openai:m", "repair"),
        row("c", "anthropic:n"),
        row("d", "smollm2"),
        row("e", "replay:openai:m"),
        row("s", None, "scripted"),
    ),
    suite="quick",
    workloads=("x/y", "x/z"),
    k=2,
)


def test_every_endpoint_model_has_a_lane_and_this_machine_has_one() -> None:
    lanes = {lane.name: lane for lane in lanes_of(EXPERIMENT, ())}
    assert list(lanes) == ["openai:m", "anthropic:n", HERE]
    assert [[one.name for one in group] for group, _ in lanes["openai:m"].turns] == [["a", "b"]]
    # Two local models are never loaded at once.
    assert [[one.name for one in group] for group, _ in lanes[HERE].turns] == [["d"], ["e"], ["s"]]


def test_workloads_of_a_lane_are_whole_one_after_another() -> None:
    ((_, items),) = lanes_of(EXPERIMENT, ())[0].turns
    assert [(one.name, workload, number) for one, workload, number in items] == [
        (name, workload, number) for workload in ("x/y", "x/z") for name in ("a", "b") for number in (0, 1)
    ]


def test_what_is_stored_is_not_made_again() -> None:
    done = {f"{name}/{w}/{n}" for name in "acdes" for w in ("x/y", "x/z") for n in (0, 1)} | {"b/x/y/0"}
    (lane,) = lanes_of(EXPERIMENT, done)
    ((_, items),) = lane.turns
    assert [(one.name, workload, number) for one, workload, number in items] == [
        ("b", "x/y", 1),
        ("b", "x/z", 0),
        ("b", "x/z", 1),
    ]
    assert lanes_of(EXPERIMENT, EXPERIMENT.planned()) == ()
