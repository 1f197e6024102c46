"""Every workload of the catalogue on a GPU: right or not, and how fast beside PyTorch and TVM's dlight.

    python benchmarks/gpu.py check [--device cuda] [--text plain|default] [--jobs N] [--out FOLDER] [PART …]
    python benchmarks/gpu.py time  [--device cuda] [--out FOLDER] [PART …]

`check` asks the judge, without timing; `time` runs each timed thing in a process of its own and takes the
median of its samples. Rows go to FOLDER, a line of JSON each.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Unjudged, Wrong
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

TIMED = Path(__file__).with_name("gpu_timed.py")
SECRET = b"gpu"
LIMIT_S = 120


def chosen(parts: list[str]) -> list[Workload]:
    """List the workloads whose id holds one of the parts; all without any."""
    found = load_catalogue().workloads
    return [one for one in found if not parts or any(part in one.id for part in parts)]


def text_of(workload: Workload, device: str, kind: str) -> str:
    """Write the text that is judged."""
    profile = load_profile(device)
    kernel = workload.kernel()
    if kind == "default":
        kernel = default_lowering(verify_compute(kernel), profile.target, profile)
    return print_kernel(kernel)


def said(outcome: object) -> tuple[str, str]:
    """Name an outcome, and say why where it is not right."""
    match outcome:
        case Correct():
            return "correct", ""
        case Rejected(diagnostics=diagnostics):
            return "rejected", str(diagnostics[0].message)
        case Crashed(phase=phase, detail=detail, timed_out=late):
            return "crashed", f"{phase}{' (too late)' if late else ''}: {detail[-300:]}"
        case Wrong():
            return "wrong", str(outcome)[:300]
        case Unjudged(cause=cause, detail=detail):
            return "unjudged", f"{cause}: {detail[-300:]}"
        case _:
            return "unknown", str(outcome)[:300]


def check_shard(workloads: list[Workload], device: str, kind: str) -> None:
    """Judge some workloads, a line of JSON each."""
    with Judge(load_profile(device)) as judge:
        for workload in workloads:
            begin = time.monotonic()
            text = text_of(workload, device, kind)
            judgement = judge.judge(Submission(workload, text, choose_inputs(SECRET, workload)))
            word, why = said(judgement.outcome)
            spent = round(time.monotonic() - begin, 2)
            row = {"workload": workload.id, "outcome": word, "why": why, "s": spent}
            compiled = getattr(judgement.cost, "compile_ns", None)
            row["compile_s"] = None if compiled is None else round(compiled / 1e9, 2)
            print(json.dumps(row), flush=True)


def check(options: argparse.Namespace) -> int:
    """Judge all workloads in several processes, each on cores of its own."""
    workloads = chosen(options.parts)
    cores = sorted(os.sched_getaffinity(0))
    jobs = max(1, min(options.jobs or len(cores), len(workloads)))
    if options.shard is not None:
        own = cores[options.shard % len(cores) :: jobs] or cores
        os.sched_setaffinity(0, own)
        check_shard(workloads[options.shard :: jobs], options.device, options.text)
        return 0
    command = [sys.executable, __file__, "check", "--device", options.device, "--text", options.text]
    running = [
        subprocess.Popen(
            [*command, "--jobs", str(jobs), "--shard", str(shard), *options.parts],
            stdout=subprocess.PIPE,
            text=True,
        )
        for shard in range(jobs)
    ]
    rows: list[dict[str, Any]] = []
    for process in running:
        said_, _ = process.communicate()
        rows += [json.loads(line) for line in said_.splitlines() if line.startswith("{")]
    rows.sort(key=lambda row: str(row["workload"]))
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"check-{options.device}-{options.text}.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    right = sum(row["outcome"] == "correct" for row in rows)
    compiled = [row["compile_s"] for row in rows if row["compile_s"] is not None]
    print(f"{options.device}, {options.text} text: {right} of {len(rows)} correct ({len(workloads)} asked)")
    if compiled:
        print(
            f"compiling took {statistics.median(compiled):.2f} s in the median, {max(compiled):.2f} s at most"
        )
    for row in rows:
        if row["outcome"] != "correct":
            print(f"  {row['workload']}: {row['outcome']}: {row['why']}")
    return 0 if right == len(workloads) else 1


def timed(what: str, workload: str, device: str) -> float | None:
    """Time one thing in a process of its own, in microseconds; None when it failed."""
    command = [sys.executable, str(TIMED), what, workload, device]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        print(f"{what} {workload}: over {LIMIT_S} s", file=sys.stderr)
        return None
    if done.returncode:
        print(f"{what} {workload}: {done.stderr.strip().splitlines()[-1:]}", file=sys.stderr)
        return None
    found = json.loads(done.stdout.splitlines()[-1])["us"]
    return None if found is None else float(found)


def measure(options: argparse.Namespace) -> int:
    """Time workloads and print a table."""
    rows = []
    begin = time.monotonic()
    for workload in chosen(options.parts):
        if time.monotonic() - begin > options.seconds:
            print(f"stopped after {options.seconds} s", file=sys.stderr)
            break
        times = {what: timed(what, workload.id, options.device) for what in options.what.split(",")}
        rows.append({"workload": workload.id, **times})
        print(json.dumps(rows[-1]), flush=True)
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    (out / f"time-{options.device}.jsonl").write_text(
        "".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8"
    )
    for other in ("plain", "dlight", "torch"):
        found = [
            row[other] / row["default"]
            for row in rows
            if row.get(other) is not None and row.get("default") is not None
        ]
        if found:
            mean = math.exp(statistics.fmean(map(math.log, found)))
            print(
                f"default lowering against {other}: {mean:.2f} in the geometric mean of {len(found)}, "
                f"worst {min(found):.2f}"
            )
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("do", choices=["check", "time"])
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--text", default="plain", choices=["plain", "default"])
    parser.add_argument("--what", default="plain,default,dlight,torch")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--shard", type=int)
    parser.add_argument("--seconds", type=int, default=480)
    parser.add_argument("--out", default="gpu-results")
    options = parser.parse_intermixed_args()
    return check(options) if options.do == "check" else measure(options)


if __name__ == "__main__":
    sys.exit(main())
