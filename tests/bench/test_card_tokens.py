"""Cards fit into the windows that they are made for, counted by SmolLM2's own tokenizer."""

import json
import urllib.request

import pytest

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.models.bundled import bundled
from edgekernelbench.agents.models.local import LocalServer
from edgekernelbench.agents.protocol import Task, Track
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.experiment import BudgetSetting
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

QUICK_TOKENS, TOKENS = 2_500, 6_000
BUDGET = BudgetSetting(submissions=16).budget()


def task(workload: Workload, *, short: bool) -> Task:
    profile = load_profile("llvm")
    return make_task(card_facts(workload, Track.WRITE, profile), profile, BUDGET, short=short)


def whole(made: Task) -> str:
    shots = [text for shot in made.shots for text in (shot.prompt, shot.answer)]
    return "\n\n".join([made.system, *shots, made.prompt])


def count(base_url: str, text: str) -> int:
    body = json.dumps({"content": text}).encode()
    address = base_url.removesuffix("/v1") + "/tokenize"
    request = urllib.request.Request(address, body, {"Content-Type": "application/json"})  # noqa: S310
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310 - our own server
        return len(json.load(reply)["tokens"])


@pytest.mark.needs_model
def test_short_cards_of_quick_and_the_longest_of_all_keep_their_limits() -> None:
    catalogue = load_catalogue()
    short = [whole(task(w, short=True)) for w in catalogue.select(suite="quick")]
    long = sorted((whole(task(w, short=False)) for w in catalogue.workloads), key=len)[-12:]
    with LocalServer(bundled("smollm2")) as server:
        assert max(count(server.base_url, text) for text in short) <= QUICK_TOKENS
        assert max(count(server.base_url, text) for text in long) <= TOKENS


def test_what_all_cards_share_stands_first() -> None:
    first, second = (task(w, short=False) for w in load_catalogue().select(["softmax"])[:2])

    assert whole(first).startswith(first.system)
    assert first.system == second.system
