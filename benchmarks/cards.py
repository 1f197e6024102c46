"""Count the tokens of all cards with SmolLM2's own tokenizer.

    python benchmarks/cards.py [--most 10]

The short form is what small models are given; the long one is for all others. Both are the whole request:
rules and language first, which are the same for all workloads, then the card. Limits: 2,500 tokens for the
short form on `quick`, 6,000 for the long one on every workload.
"""

import argparse
import json
import sys
import urllib.request

from edgekernelbench.agents.card import make_task
from edgekernelbench.agents.models.bundled import bundled
from edgekernelbench.agents.models.local import LocalServer
from edgekernelbench.agents.protocol import Task, Track
from edgekernelbench.bench.cards import card_facts
from edgekernelbench.bench.experiment import BudgetSetting
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

QUICK_TOKENS = 2_500
TOKENS = 6_000


def whole(task: Task) -> str:
    """Write everything that a model reads."""
    shots = [text for shot in task.shots for text in (shot.prompt, shot.answer)]
    return "\n\n".join([task.system, *shots, task.prompt])


def count(base_url: str, text: str) -> int:
    """Ask the server how many tokens a text has."""
    address = base_url.removesuffix("/v1") + "/tokenize"
    body = json.dumps({"content": text}).encode()
    request = urllib.request.Request(  # noqa: S310 - our own server
        address, body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:  # noqa: S310
        return len(json.load(reply)["tokens"])


def main() -> int:
    """Print the longest cards and whether all keep within the limits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=10)
    arguments = parser.parse_args()
    profile, budget = load_profile("llvm"), BudgetSetting(submissions=16).budget()

    def text(workload: Workload, *, short: bool) -> str:
        return whole(make_task(card_facts(workload, Track.WRITE, profile), profile, budget, short=short))

    catalogue = load_catalogue()
    with LocalServer(bundled("smollm2")) as server:
        long = {w.id: count(server.base_url, text(w, short=False)) for w in catalogue.workloads}
        quick = {w.id: count(server.base_url, text(w, short=True)) for w in catalogue.select(suite="quick")}
    for name, found, limit in (("short form, quick", quick, QUICK_TOKENS), ("long form, all", long, TOKENS)):
        ranked = sorted(found.items(), key=lambda one: -one[1])
        print(f"{name}: {len(found)} cards, {ranked[-1][1]} to {ranked[0][1]} tokens, limit {limit}")
        for workload, tokens in ranked[: arguments.most]:
            print(f"  {tokens:5d}  {workload}")
    return int(max(quick.values()) > QUICK_TOKENS or max(long.values()) > TOKENS)


if __name__ == "__main__":
    sys.exit(main())
