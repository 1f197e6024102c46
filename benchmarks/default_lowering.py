"""How good the default lowering is: against the plain text and against PyTorch, per workload.

Each timed thing runs in a process of its own (`timed.py`) with the same number of threads, one after the
other for each workload, and the best of several rounds counts. Run it on an idle machine:

    python benchmarks/default_lowering.py [--no-plain] [--no-vendor] [PART OF A WORKLOAD'S NAME …]
"""

import json
import math
import subprocess
import sys
from pathlib import Path

from edgekernelbench.workloads.catalogue import load_catalogue

TIMED = Path(__file__).with_name("timed.py")
LIMIT_S = 300


def timed(what: str, workload: str) -> dict[str, float]:
    """Time one thing in a process of its own; empty when it failed, with the reason on standard error."""
    command = [sys.executable, str(TIMED), what, workload]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"{what} {workload}: over {LIMIT_S} s", file=sys.stderr)
        return {}
    if done.returncode:
        print(f"{what} {workload}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return {}
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def cell(value: float | None, form: str) -> str:
    """Format a number, or a dash of the same width."""
    return format("-", f">{form.split('.', 1)[0]}") if value is None else format(value, form)


def ratio(over: dict[str, float], under: dict[str, float]) -> float | None:
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
    head = ("default us", "plain us", "torch us", "plain/default", "default/torch", "build s", "error")
    print(f"{'workload':50}" + "".join(f"{h:>14}" for h in head))
    for workload in load_catalogue().workloads:
        if parts and not any(part in workload.id for part in parts):
            continue
        ours = timed("default", workload.id)
        plain = {} if "--no-plain" in sys.argv else timed("plain", workload.id)
        torch = {} if "--no-vendor" in sys.argv else timed("torch", workload.id)
        gain, loss = ratio(plain, ours), ratio(ours, torch)
        gains += [] if gain is None else [gain]
        losses += [] if loss is None else [loss]
        times = "".join(cell(t.get("us"), "14.1f") for t in (ours, plain, torch))
        rest = cell(gain, "14.1f") + cell(loss, "14.2f") + cell(ours.get("build_s"), "14.2f")
        print(f"{workload.id:50}{times}{rest}{cell(ours.get('error'), '14.1e')}", flush=True)
    print(f"plain / default, geometric mean: {mean(gains)}")
    print(f"default / torch, geometric mean: {mean(losses)}")


if __name__ == "__main__":
    main()
