"""Prints what a judgement costs: `python benchmarks/throughput.py [--judgements N] [--compiler tvm|c]`."""

import argparse
import os
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.lang.parse import parse
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

TEXTS = Path(__file__).parents[1] / "tests" / "texts"
MISBEHAVING = Path(__file__).parents[1] / "tests" / "evaluator" / "cheats" / "fake_server.py"
SMALL = "norm/softmax@r591-n197-f32"


def main() -> None:
    options = argparse.ArgumentParser()
    options.add_argument("--judgements", type=int, default=50)
    options.add_argument("--compiler", default="tvm")
    given = options.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores")
    parsing()
    misbehaving()
    judging(given.compiler, given.judgements)


def parsing() -> None:
    """A text of about 40 lines, in process."""
    text = (TEXTS / "conv3x3_q8.kir").read_text(encoding="utf-8")
    spent = seconds(lambda: verify_compute(parse(text)), 50)
    lines = len(text.splitlines())
    print(f"parse and verify {lines} lines: median {1e3 * statistics.median(spent):.2f} ms (goal 5)")


def misbehaving() -> None:
    """What bad children cost beyond their deadline of one second."""
    limits = Limits(deadline_s=1.0, memory_bytes=1 << 30)
    environment = {"PATH": os.environ["PATH"]}
    with Supervisor([sys.executable, str(MISBEHAVING)], environment, Path("/tmp")) as supervisor:  # noqa: S108
        for role in ("answer", "segfault", "sleep_for_ever", "eat_memory", "reply_a_gigabyte"):
            start = time.monotonic()
            with supervisor.start(role, {}, folder=supervisor.folder(), limits=limits) as worker:
                ended = worker.wait()
            spent = time.monotonic() - start
            beyond = spent - limits.deadline_s if ended.timed_out else spent
            what = "beyond its deadline" if ended.timed_out else "in all"
            print(f"child {role}: {1e3 * beyond:.0f} ms {what} (goal: 1,000 beyond)")


def judging(compiler: str, count: int) -> None:
    """One small kernel, warm, again and again."""
    workload = load_catalogue().workload(SMALL)
    with Judge(load_profile("llvm"), compiler=compiler) as judge:
        for timing, goal in ((None, 0.4), (TimingPlan(), 1.5)):
            judge_once(judge, workload, timing)
            before, used = resident(), processor_time()
            spent = seconds(lambda t=timing: judge_once(judge, workload, t), count)  # type: ignore[misc]
            kind = "correctness only" if timing is None else "with one-child timing"
            spread = f"{min(spent):.3f} to {max(spent):.3f} s"
            print(f"judging {SMALL}, {kind}: median {statistics.median(spent):.3f} s ({spread}; goal {goal})")
            grown, size = (resident() - before) >> 10, resident() >> 20
            print(f"  the parent grew by {grown} KiB over {count}, to {size} MiB")
            each = (processor_time() - used) / count
            print(f"  processor time of the parent: {1e3 * each:.0f} ms a judgement")
        judgement = judge.judge(Submission(workload, text_of(workload), choose_inputs(b"b", workload)))
        server = next(iter(judge.servers()))
        ticks = (Path(f"/proc/{server}/stat").read_text(encoding="ascii").rpartition(")")[2]).split()[13:15]
        total = sum(map(int, ticks)) / os.sysconf("SC_CLK_TCK") / (2 * count + 3)
        print(f"  processor time of workers, baselines included: {1e3 * total:.0f} ms a judgement")
        phases = ", ".join(f"{phase} {ns / 1e6:.0f} ms" for phase, ns in judgement.spent_ns.items())
        print(f"  of one judgement in the worker: {phases}")


def judge_once(judge: Judge, workload: Workload, timing: TimingPlan | None) -> None:
    submission = Submission(workload, text_of(workload), choose_inputs(b"benchmark", workload), timing)
    kind = judge.judge(submission).outcome.kind
    if kind != "correct":
        print(f"  unexpected outcome: {kind}")


def text_of(workload: Workload) -> str:
    return print_kernel(workload.kernel())


def seconds(call: Callable[[], object], count: int) -> list[float]:
    spent = []
    for _ in range(count):
        start = time.perf_counter()
        call()
        spent.append(time.perf_counter() - start)
    return spent


def processor_time() -> float:
    return time.process_time()


def resident() -> int:
    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")


if __name__ == "__main__":
    main()
