"""Every workload of the catalogue on a GPU: right or not, and how fast beside PyTorch and TVM's dlight.

    python benchmarks/gpu.py check [--device cuda] [--text plain|default] [--jobs N] [--out FOLDER] [PART …]
    python benchmarks/gpu.py time  [--device cuda] [--out FOLDER] [PART …]

`check` asks the judge, without timing; `time` compiles side by side and times one thing at a time, the median
of rounds (`gpu_timed.py`). Rows go to FOLDER, a line of JSON each.
"""

import argparse
import json
import math
import os
import queue
import statistics
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.ir.compute import placed_stages
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.outcome import Correct, Crashed, Rejected, Unjudged, Wrong
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

TIMED = Path(__file__).with_name("gpu_timed.py")
SECRET = b"gpu"
LIMIT_S = 45
WORST = 0.7
"""Issue 4: no workload should be slower than this beside dlight."""
MOST_NAMED = 40


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


class Timer:
    """A process that times what it is asked, started again when it breaks."""

    def __init__(self, device: str, lock: str, cores: list[int], until: float) -> None:
        self._command = [sys.executable, str(TIMED), device, lock]
        self._cores = cores
        self._until = until
        self._process: subprocess.Popen[str] | None = None

    def ask(self, workload: str, whats: list[str]) -> dict[str, Any]:
        """Time several things of a workload; those that break the process one by one."""
        found = self._asked(workload, whats)
        if found is not None:
            return found
        if len(whats) == 1 or time.monotonic() > self._until:
            return {what: {"why": "the process broke, or took too long"} for what in whats}
        first, *rest = whats
        kept = self.ask(workload, [first])
        for other in rest:
            # What is compared with the first is timed after it.
            both = self._asked(workload, [first, other])
            kept[other] = both[other] if both else {"why": "the process broke, or took too long"}
        return kept

    def _asked(self, workload: str, whats: list[str]) -> dict[str, Any] | None:
        if self._process is None:
            self._process = subprocess.Popen(
                self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
            )
            os.sched_setaffinity(self._process.pid, self._cores)
        process = self._process
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            process.stdin.write(json.dumps({"workload": workload, "what": whats}) + "\n")
            process.stdin.flush()
        except BrokenPipeError:
            self.close()
            return None
        watch = threading.Timer(LIMIT_S, process.kill)
        watch.start()
        line = process.stdout.readline()
        watch.cancel()
        while line and not line.startswith("{"):
            line = process.stdout.readline()
        if not line:
            self.close()
            return None
        found: dict[str, Any] = json.loads(line)
        return found

    def close(self) -> None:
        """End the process."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None


def measure(options: argparse.Namespace) -> int:
    """Time workloads, compiled side by side and timed one at a time, and print what comes out."""
    out = Path(options.out)
    out.mkdir(parents=True, exist_ok=True)
    waiting: queue.SimpleQueue[Workload] = queue.SimpleQueue()
    asked = chosen(options.parts)
    if options.comparable:
        asked = [one for one in asked if all(p.group is None for p in placed_stages(one.kernel().compute))]
    for workload in asked[options.skip :: options.every]:
        waiting.put(workload)
    rows: list[dict[str, Any]] = []
    begin = time.monotonic()
    cores = sorted(os.sched_getaffinity(0))
    jobs = options.jobs or len(cores)

    def serve(number: int, log: TextIO) -> None:
        timer = Timer(
            options.device, str(out / "lock"), [cores[number % len(cores)]], begin + options.seconds
        )
        with suppress(queue.Empty):
            while time.monotonic() - begin < options.seconds:
                workload = waiting.get_nowait()
                row = {"workload": workload.id, **timer.ask(workload.id, options.what.split(","))}
                rows.append(row)
                log.write(json.dumps(row) + "\n")
                log.flush()
        timer.close()

    name = out / f"time-{options.device}.jsonl"
    with name.open("w", encoding="utf-8") as log, ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(serve, number, log) for number in range(jobs)]:
            done.result()
    rows.sort(key=lambda row: str(row["workload"]))
    name.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    print(f"{len(rows)} of {len(asked)} workloads in {time.monotonic() - begin:.0f} s")
    for base in ("default", "ahead"):
        for other in ("plain", "dlight", "torch", "default"):
            if other != base:
                compared(rows, base, other)
    return 0


def compared(rows: list[dict[str, Any]], base: str, other: str) -> None:
    """Print how many times as fast one thing is as another."""
    found = [
        (row[other]["us"] / row[base]["us"], row)
        for row in rows
        if row.get(other, {}).get("us") and row.get(base, {}).get("us")
    ]
    if not found:
        return
    ratios = sorted(found, key=lambda one: one[0])
    mean = math.exp(statistics.fmean(math.log(ratio) for ratio, _ in ratios))
    print(
        f"{base} against {other}: {mean:.2f} in the geometric mean of {len(found)}, worst {ratios[0][0]:.2f}"
    )
    under = [(ratio, row) for ratio, row in ratios if ratio < WORST]
    print(f"  {len(under)} under {WORST}:")
    for ratio, row in under[:MOST_NAMED]:
        print(
            f"    {ratio:.2f} {row['workload']}: {row[base]['us']:.1f} us, {other} {row[other]['us']:.1f} us"
        )
    refused: dict[str, int] = {}
    for row in rows:
        if "why" in row.get(other, {}):
            refused[row[other]["why"][:60]] = refused.get(row[other]["why"][:60], 0) + 1
    for why, count in sorted(refused.items(), key=lambda one: -one[1])[:MOST_NAMED]:
        print(f"  {count} without {other}: {why}")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("do", choices=["check", "time"])
    parser.add_argument("parts", nargs="*")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--text", default="plain", choices=["plain", "default"])
    parser.add_argument("--what", default="default,dlight")
    parser.add_argument(
        "--comparable", action="store_true", help="leave out what has a `for`: dlight takes none"
    )
    parser.add_argument("--every", type=int, default=1, help="take one of so many workloads")
    parser.add_argument("--skip", type=int, default=0, help="leave out the first so many")
    parser.add_argument("--jobs", type=int, default=0)
    parser.add_argument("--shard", type=int)
    parser.add_argument("--seconds", type=int, default=480)
    parser.add_argument("--out", default="gpu-results")
    options = parser.parse_intermixed_args()
    return check(options) if options.do == "check" else measure(options)


if __name__ == "__main__":
    sys.exit(main())
