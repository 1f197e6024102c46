"""Where a run comes from."""

from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.provenance import device_facts, make_manifest
from edgekernelbench.evaluator.devices import find_device
from edgekernelbench.records.manifest import Manifest

EXPERIMENT = Experiment(
    agents=(AgentSetting(name="a", kind="scripted"),), suite="full", workloads=("x/y@n1-f32",)
)


def test_a_manifest_has_what_a_repetition_needs() -> None:
    manifest = make_manifest("r", EXPERIMENT, find_device("llvm"), catalogue="c", environment={"LANG": "C"})

    assert manifest.planned == ("a/x/y@n1-f32/0",)
    assert manifest.versions["numpy"]
    assert manifest.versions["python"].startswith("3.")
    assert manifest.started.endswith("Z")
    assert Manifest.read(manifest.line(), "here") == manifest


def test_the_machine_is_described() -> None:
    facts = device_facts(find_device("llvm"))

    assert facts.cores >= 1
    assert facts.memory_bytes > 1 << 28
    assert facts.threads == find_device("llvm").profile.threads
