"""Choose the `agent` suite: 46 workloads, each margin of level, domain, element type and bound balanced.

    python benchmarks/agent_suite.py [--seed 2026] [--write]

Left out are workloads that an agent comparison can learn nothing from: those whose run, by the static
estimate of the default lowering on the `llvm` profile, is mostly the call itself, and those that take so long
that sixteen submissions would take hours. At most one workload a pattern. The rest is greedy: of all that are
left, the one that brings the margins nearest to equal shares; ties by the seed.
"""

import argparse
import random
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from edgekernelbench.analysis.inspection import inspect_nest
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import DATA, load_catalogue
from edgekernelbench.workloads.schema import Workload

COUNT = 46
SEED = 2026
LEAST_CYCLES = 5 * 4_000
"""Five times the work under which a run is mostly the call itself (`analysis.inspection.OVERHEAD_CYCLES`)."""
MOST_CYCLES = 300_000_000
"""A tenth of a second at 3 GHz."""
TYPES = {"f32": "float", "f64": "float", "f16": "half", "bf16": "half"}


@dataclass(frozen=True)
class Facts:
    """What the choice looks at."""

    workload: Workload
    cycles: float
    margins: dict[str, str] = field(default_factory=dict)


def facts_of(workload: Workload, profile: Profile) -> Facts:
    """Estimate a workload by its default lowering."""
    facts = verify_compute(workload.kernel())
    kernel = default_lowering(facts, profile.target, profile)
    nest = build_nest(verify_compute(kernel), profile.target, profile)
    found = inspect_nest(nest, kernel, profile)
    margins = {
        "level": str(workload.level),
        "domain": str(workload.domain),
        "type": TYPES.get(str(workload.dtype), "integer"),
        "bound": str(found.report.bound_class),
    }
    return Facts(workload, found.estimate.cycles, margins)


def choose(candidates: list[Facts], count: int, seed: int) -> list[Facts]:
    """Choose greedily: always what brings the margins nearest to equal shares."""
    chance = random.Random(seed)  # noqa: S311 - a reproducible draw
    left = sorted(candidates, key=lambda one: one.workload.id)
    chance.shuffle(left)
    values = {name: sorted({one.margins[name] for one in left}) for name in left[0].margins}
    taken: list[Facts] = []
    counts = {name: Counter[str]() for name in values}
    while left and len(taken) < count:

        def cost(one: Facts) -> float:
            total = 0.0
            for name, kinds in values.items():
                share = (len(taken) + 1) / len(kinds)
                for kind in kinds:
                    have = counts[name][kind] + (one.margins[name] == kind)
                    total += (have - share) ** 2 / share
            return total

        best = min(left, key=cost)
        taken.append(best)
        for name in values:
            counts[name][best.margins[name]] += 1
        left = [one for one in left if one.workload.pattern.id != best.workload.pattern.id]
    return taken


def main() -> None:
    """Print the suite with its margins; with --write put it where the catalogue looks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--write", action="store_true")
    arguments = parser.parse_args()
    profile = load_profile("llvm")
    candidates = []
    for number, workload in enumerate(load_catalogue().workloads):
        one = facts_of(workload, profile)
        if LEAST_CYCLES <= one.cycles <= MOST_CYCLES and one.margins["bound"] != "overhead":
            candidates.append(one)
        if number % 50 == 0:
            print(f"{number} looked at, {len(candidates)} fit", file=sys.stderr, flush=True)
    suite = choose(candidates, COUNT, arguments.seed)
    margins = {name: Counter(one.margins[name] for one in suite).most_common() for name in suite[0].margins}
    head = [
        f"# {COUNT} of {len(candidates)} workloads, by benchmarks/agent_suite.py --seed {arguments.seed}",
        *(f"# {name}: {', '.join(f'{kind} {n}' for kind, n in found)}" for name, found in margins.items()),
    ]
    lines = [*head, *sorted(one.workload.id for one in suite)]
    print("\n".join(lines))
    if arguments.write:
        target = Path(DATA) / "suites" / "agent.txt"
        target.parent.mkdir(exist_ok=True)
        target.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
