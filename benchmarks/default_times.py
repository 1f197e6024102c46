"""How long the default lowering takes on every workload, and which lie outside 50 us to 50 ms.

    python benchmarks/default_times.py             measure, a process each; 45 minutes of an idle machine
    python benchmarks/default_times.py --estimate  by the static estimate: no machine, two minutes
    python benchmarks/default_times.py --report    what the log says

Measured times go to `benchmarks/results/default-times.tsv`, a line a workload, and are gone on with. A
workload below 50 us is mostly the call itself and timer noise; one above 50 ms makes runs long, and is
only right for a graph.
"""

import argparse
import sys
from pathlib import Path

from default_lowering import timed

from edgekernelbench.analysis.inspection import inspect_nest
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Level, Workload

LOG = Path(__file__).parent / "results" / "default-times.tsv"
LEAST_US, MOST_US = 50.0, 50_000.0
MHZ = 3_000.0
"""Cycles of the estimate in a microsecond, times a thousand: a core at 3 GHz."""


def estimated(workload: Workload, profile: Profile) -> float:
    """Estimate the microseconds of a run with all threads of the profile."""
    facts = verify_compute(workload.kernel())
    kernel = default_lowering(facts, profile.target, profile)
    nest = build_nest(verify_compute(kernel), profile.target, profile)
    return inspect_nest(nest, kernel, profile).estimate.cycles / MHZ


def read_log() -> dict[str, float]:
    """Read measured microseconds by id."""
    lines = LOG.read_text(encoding="utf-8").splitlines() if LOG.is_file() else []
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {row[0]: float(row[1]) for row in rows}


def measure() -> None:
    """Time what the log does not have."""
    done = read_log()
    waiting = [w for w in load_catalogue().workloads if w.id not in done]
    for number, workload in enumerate(waiting):
        found = timed("default", workload.id)
        if found:
            with LOG.open("a", encoding="utf-8") as log:
                log.write(f"{workload.id}\t{found['us']:.1f}\n")
        if number % 20 == 0:
            print(f"{len(waiting) - number} to go", file=sys.stderr, flush=True)


def report(times: dict[str, float], how: str) -> int:
    """List what lies outside; the status is 1 when that is more than graphs above."""
    rows = [(w, times[w.id]) for w in load_catalogue().workloads if w.id in times]
    short = [(w, us) for w, us in rows if us < LEAST_US]
    long = [(w, us) for w, us in rows if us > MOST_US]
    outside = f"{len(short)} below {LEAST_US:g} us, {len(long)} above {MOST_US:g} us"
    print(f"{len(rows)} workloads, {how}: {outside}")
    for title, found in (("below", short), ("above", long)):
        for workload, us in sorted(found, key=lambda one: one[1]):
            print(f"  {title} {us:12.1f} us  {workload.level:8s}  {workload.id}")
    return int(bool(short) or any(w.level is not Level.GRAPH for w, _ in long))


def main() -> int:
    """Measure, estimate or report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--estimate", action="store_true")
    parser.add_argument("--report", action="store_true")
    arguments = parser.parse_args()
    if arguments.estimate:
        profile = load_profile("llvm")
        times = {w.id: estimated(w, profile) for w in load_catalogue().workloads}
        return report(times, f"by the static estimate of {profile.threads} threads at 3 GHz")
    if not arguments.report:
        measure()
    return report(read_log(), "measured")


if __name__ == "__main__":
    sys.exit(main())
