"""How good the default lowering is: against the plain text and against the vendor, per workload.

Each timed thing runs in a process of its own (`timed.py`, `vendors.py`) with the same number of threads, one
after the other for each workload, and the best of several rounds counts. The vendor is the fastest correct
library; where that is a Python loop, it says so and stays out of the mean. Run it on an idle machine:

    python benchmarks/default_lowering.py [--no-plain] [--no-vendor] [PART OF A WORKLOAD'S NAME …]
"""

import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any

from edgekernelbench.workloads.catalogue import load_catalogue

TIMED = Path(__file__).with_name("timed.py")
VENDORS = Path(__file__).with_name("vendors.py")
LIMIT_S = 300


def timed(what: str, workload: str) -> dict[str, Any]:
    """Time one thing in a process of its own; empty when it failed, with the reason on standard error."""
    return spawn([sys.executable, str(TIMED), what, workload])


def fastest(workload: str) -> dict[str, Any]:
    """Ask for the fastest correct library; empty where there is none."""
    found = spawn([sys.executable, str(VENDORS), "--json", workload])
    return found if found.get("name") else {}


def spawn(command: list[str]) -> dict[str, Any]:
    what = " ".join(command[-2:])
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"{what}: over {LIMIT_S} s", file=sys.stderr)
        return {}
    if done.returncode:
        print(f"{what}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return {}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def cell(value: float | None, form: str) -> str:
    """Format a number, or a dash of the same width."""
    return format("-", f">{form.split('.', 1)[0]}") if value is None else format(value, form)


def ratio(over: dict[str, Any], under: dict[str, Any]) -> float | None:
    """Divide two times; None when one is missing."""
    return over["us"] / under["us"] if over and under else None


def mean(values: list[float]) -> str:
    """Give the geometric mean with the number of values."""
    if not values:
        return "-"
    return f"{math.exp(sum(map(math.log, values)) / len(values)):.2f} over {len(values)} workloads"


def main() -> None:
    parts = [a for a in sys.argv[1:] if not a.startswith("--")]
    gains: list[float] = []
    losses: list[float] = []
    loops = 0
    head = (
        "default us",
        "plain us",
        "vendor us",
        "plain/default",
        "default/vendor",
        "build s",
        "error",
        "vendor",
    )
    print(f"{'workload':50}" + "".join(f"{h:>14}" for h in head))
    for workload in load_catalogue().workloads:
        if parts and not any(part in workload.id for part in parts):
            continue
        ours = timed("default", workload.id)
        plain = {} if "--no-plain" in sys.argv else timed("plain", workload.id)
        vendor = {} if "--no-vendor" in sys.argv else fastest(workload.id)
        gain, loss = ratio(plain, ours), ratio(ours, vendor)
        gains += [] if gain is None else [gain]
        losses += [] if loss is None or vendor["loop"] else [loss]
        loops += loss is not None and vendor["loop"]
        times = "".join(cell(t.get("us"), "14.1f") for t in (ours, plain, vendor))
        rest = cell(gain, "14.1f") + cell(loss, "14.2f") + cell(ours.get("build_s"), "14.2f")
        name = f"{vendor.get('name', '-')}{' (loop)' if vendor.get('loop') else ''}"
        print(f"{workload.id:50}{times}{rest}{cell(ours.get('error'), '14.1e')}  {name}", flush=True)
    print(f"plain / default, geometric mean: {mean(gains)}")
    print(f"default / vendor, geometric mean: {mean(losses)}; {loops} whose vendor is a Python loop left out")


if __name__ == "__main__":
    main()
