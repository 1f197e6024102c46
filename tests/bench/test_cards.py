"""What a task card is told of a workload."""

from dataclasses import replace

import pytest
from tests.tiny import make_catalogue

from edgekernelbench.agents.protocol import Track
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

PROFILE = load_profile("llvm")


@pytest.fixture(scope="module")
def catalogue(tmp_path_factory: pytest.TempPathFactory) -> Catalogue:
    return load_catalogue(make_catalogue(tmp_path_factory.mktemp("c")))


def test_the_card_of_a_workload_has_its_signature_and_sizes(catalogue: Catalogue) -> None:
    facts = card_facts(catalogue.workload("tiny/scale@n12-f32"), Track.WRITE, PROFILE)

    assert facts.signature == "def scale(x: f32[12], w: const[f32[12]]):"
    assert facts.outputs == ("f32[12]",)
    assert facts.title == "multiply by weights."
    assert facts.sizes == {"N": 12, "T": "f32"}
    assert "def scale(x, w):" in facts.pytorch


def test_the_canonical_text_is_told_in_the_optimise_track_alone(catalogue: Catalogue) -> None:
    workload = catalogue.workload("tiny/row_sum@r4-n5-f32")

    assert card_facts(workload, Track.WRITE, PROFILE).canonical is None
    told = card_facts(workload, Track.OPTIMISE, PROFILE).canonical
    assert told is not None
    given = parse(told)
    assert replace(given, schedules=(), memories=()) == workload.kernel()
    assert given.schedules[0].directives, "with the default lowering, which every agent is given"


def test_every_workload_of_the_catalogue_has_a_card() -> None:
    for workload in load_catalogue().workloads:
        facts = card_facts(workload, Track.WRITE, PROFILE)
        assert facts.title
        assert "\n" not in facts.title
