"""The figures of the judge, one a subcommand; each prints a table. Run it on an idle machine.

    python benchmarks/judge.py aa --pairs 300           a kernel beside its copy: how often is it "faster"?
    python benchmarks/judge.py twice --kernels 100      is the second verdict the first one?
    python benchmarks/judge.py vendor --workloads 12    is a library in the ring as fast as alone?
    python benchmarks/judge.py throughput --seconds 60  judgements a minute
    python benchmarks/judge.py profile --judgements 20  where the time goes beside compiling and running
    python benchmarks/judge.py leaks --judgements 10000 what is left behind

Workloads are those of `--suite` (quick), or those whose id holds one of the words of `--only`.
"""

import argparse
import cProfile
import io
import itertools
import math
import os
import platform
import pstats
import random
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock

from edgekernelbench.evaluator.baselines import Baseline, Bench, Contender, DefaultBaseline
from edgekernelbench.evaluator.device_lock import hold_device
from edgekernelbench.evaluator.devices import open_judges
from edgekernelbench.evaluator.environment import (
    WORKER_COMMAND,
    scratch_root,
    worker_cores,
    worker_environment,
)
from edgekernelbench.evaluator.exam import Exams, choose_inputs
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.evaluator.quiet import measure_quietly
from edgekernelbench.evaluator.ring import Lost, Timed, TimingPlan
from edgekernelbench.evaluator.standby import Standby
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.telemetry import read_telemetry
from edgekernelbench.evaluator.vendor import VendorBaseline
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.metrics.speed import is_fast, log_speedup
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.profiles.host import cpu_name
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Unjudged
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples" / "kernels"
TESTS = ROOT / "tests"
FINAL = TimingPlan(rings=5)
ONE_CHILD = TimingPlan()
PROFILE = load_profile("llvm")
LINES = 25
EXAMS = Exams()
TAKING = Lock()
IN_A_ROW = 4
"""Judgements of one workload after the other, as in a run: its inputs and answers are made once, its baseline
waits for the next."""


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = options.add_subparsers(dest="command", required=True)
    for name, size, count in (
        ("aa", "pairs", 300),
        ("twice", "kernels", 100),
        ("vendor", "workloads", 12),
        ("throughput", "seconds", 60),
        ("profile", "judgements", 20),
        ("leaks", "judgements", 10_000),
    ):
        command = commands.add_parser(name)
        command.add_argument(f"--{size}", dest="size", type=int, default=count)
        command.add_argument("--compiler", default="null" if name == "leaks" else "tvm")
        command.add_argument("--suite", default="quick")
        command.add_argument("--only", nargs="*", default=[], metavar="WORD")
        command.add_argument("--rings", type=int, default=FINAL.rings)
        command.add_argument("--repeats", type=int, default=8, help="of each library, in vendor")
    given = options.parse_args()
    print(heading(), flush=True)
    {
        "aa": same_twice_in_a_ring,
        "twice": judged_twice,
        "vendor": alone_and_in_the_ring,
        "throughput": throughput,
        "profile": profile,
        "leaks": leaks,
    }[given.command](given)


def heading() -> str:
    """Say on what it runs."""
    done = subprocess.run(
        ["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"],  # noqa: S607
        capture_output=True,
        text=True,
        check=False,
    )
    cores = len(os.sched_getaffinity(0))
    facts = f"{cpu_name() or platform.machine()}, {cores} cores, Linux {platform.release()}"
    return f"# {facts}; load {os.getloadavg()[0]:.2f}; commit {done.stdout.strip()}\n"


def workloads(given: argparse.Namespace) -> list[Workload]:
    """Choose workloads, in an order that mixes families."""
    catalogue = load_catalogue()
    if given.only:
        chosen = [w for w in catalogue.workloads if any(word in w.id for word in given.only)]
    else:
        chosen = list(catalogue.select(suite=given.suite))
    random.Random(1).shuffle(chosen)  # noqa: S311
    return chosen


def copy_of_default(workload: Workload) -> str:
    """Write the text of the default baseline: a kernel that is neither faster nor slower."""
    facts = verify_compute(workload.kernel())
    return print_kernel(default_lowering(facts, PROFILE.target, PROFILE))


def judged(
    judge: Judge | JudgePool, workload: Workload, text: str, plan: TimingPlan | None, secret: int
) -> Judgement:
    inputs = choose_inputs(secret.to_bytes(8, "big"), workload)
    return judge.judge(Submission(workload, text, inputs, plan))


def ratio(judgement: Judgement, baseline: str = "default") -> float | None:
    """Give how many times as fast as a baseline a kernel was; None when it was not timed."""
    if not isinstance(judgement.outcome, Correct):
        return None
    value = log_speedup(judgement.outcome.rings, baseline)
    return None if value is None else math.exp(value)


def same_twice_in_a_ring(given: argparse.Namespace) -> None:
    """Judge copies of the default lowering beside it."""
    chosen = workloads(given)
    plan = TimingPlan(rings=given.rings)
    ratios: list[float] = []
    sure = {1.0: 0, 1.05: 0}
    disturbed = others = 0
    print("| workload | seed | ratio | sure > 1.00 | sure > 1.05 | flags |\n|---|--:|--:|---|---|---|")
    with Judge(PROFILE, compiler=given.compiler) as judge:
        for number in range(given.size):
            workload = chosen[number % len(chosen)]
            judgement = judged(judge, workload, copy_of_default(workload), plan, number)
            value = ratio(judgement)
            if value is None:
                others += 1
                print(f"| {workload.id} | {number} | {judgement.outcome.kind} | | | |", flush=True)
                continue
            ratios.append(value)
            fast = {p: bool(is_fast(judgement.outcome, p, "default", sure=True)) for p in sure}
            for p, is_so in fast.items():
                sure[p] += is_so
            disturbed += bool(set(judgement.flags) - {"one-child"})
            cells = " | ".join("yes" if is_so else "" for is_so in fast.values())
            flags = ", ".join(judgement.flags)
            print(f"| {workload.id} | {number} | {value:.4f} | {cells} | {flags} |", flush=True)
    count = len(ratios)
    print(
        f"\n{count} pairs ({others} not timed, {disturbed} with flags), final verdicts of {plan.rings} sets"
    )
    if count:
        spread = statistics.pstdev(map(math.log, ratios))
        middle = math.exp(statistics.fmean(map(math.log, ratios)))
        print(f"sure Fast@1.00: {sure[1.0]} = {sure[1.0] / count:.1%} (goal: at most 4 %)")
        print(f"sure Fast@1.05: {sure[1.05]} = {sure[1.05] / count:.1%} (goal: none)")
        print(f"geometric mean of ratios {middle:.4f}, standard deviation of their logarithms {spread:.4f}")


def judged_twice(given: argparse.Namespace) -> None:
    """Judge kernels, all of them, and then all of them again."""
    kernels = list(itertools.islice(some_kernels(given), given.size))
    plan = TimingPlan(rings=given.rings)
    rounds: list[list[Judgement]] = []
    with Judge(PROFILE, compiler=given.compiler) as judge:
        for again in range(2):
            found = []
            for number, (_, workload, text) in enumerate(kernels):
                found.append(judged(judge, workload, text, plan, 1000 * again + number))
                print(f"\r{again + 1}: {number + 1} of {len(kernels)}", end="", file=sys.stderr, flush=True)
            rounds.append(found)
    print("| kernel | workload | first | second | change | same verdict |\n|---|---|--:|--:|--:|---|")
    same = near = timed = 0
    for (name, workload, _), one, two in zip(kernels, *rounds, strict=True):
        alike = verdict(one) == verdict(two)
        same += alike
        first, second = ratio(one), ratio(two)
        change = None
        if first is not None and second is not None:
            timed += 1
            change = second / first - 1
            near += abs(change) <= 0.03
        cells = (shown(first, one), shown(second, two), "" if change is None else f"{change:+.1%}")
        print(f"| {name} | {workload.id} | {' | '.join(cells)} | {'yes' if alike else '**no**'} |")
    print(f"\nsame verdict (correct, sure > 1.00): {same / len(kernels):.1%} of {len(kernels)} (goal: 97 %)")
    print(f"ratios within 3 %: {near / max(1, timed):.1%} of {timed} (goal: 95 %)")


def some_kernels(given: argparse.Namespace) -> Iterator[tuple[str, Workload, str]]:
    """Give hand-written examples, copies of the default lowering, plain texts and wrong ones, in turn."""
    catalogue = load_catalogue()
    for path in sorted(EXAMPLES.glob("*/*.kir")):
        workload = catalogue.workload(f"{path.parent.name}/{path.stem}")
        yield "example", workload, path.read_text(encoding="utf-8")
    for workload in itertools.cycle(workloads(given)):
        yield "default", workload, copy_of_default(workload)
        yield "plain", workload, print_kernel(workload.kernel())


def verdict(judgement: Judgement) -> tuple[str, bool | None]:
    return judgement.outcome.kind, is_fast(judgement.outcome, 1.0, "default", sure=True)


def shown(value: float | None, judgement: Judgement) -> str:
    return judgement.outcome.kind if value is None else f"{value:.3f}"


@dataclass(frozen=True)
class OneLibrary:
    """A vendor of one contender, so that all measurements are of the same library."""

    contenders: tuple[Contender, ...]
    name: str = "vendor"
    required: bool = False

    def text(self, workload: Workload) -> None:
        """Say that it is no kernel text."""


ALONE, IN_THE_RING, NEVER_STOPPED_WAY = "alone", "in the ring", "never stopped"
WAYS = (ALONE, IN_THE_RING, NEVER_STOPPED_WAY)
"""Alone, a library has its own settings. The last is the fault: who has no turn goes on spinning, OpenMP as
long as it does by itself."""

NEVER_STOPPED = """
import edgekernelbench.evaluator.server as server
server.rest = server.wake = lambda leader: None
from edgekernelbench.evaluator import worker
worker.main()
"""


def alone_and_in_the_ring(given: argparse.Namespace) -> None:
    """Time libraries in turn alone and in a ring with the default, in fresh processes each time.

    Two processes of one library differ by more than what is looked for. So a row gives the mean of the paired
    ratios with its 95 % interval, and the last line that of all pairs.
    """
    print(f"| workload | library | {' | '.join(f'{way} µs' for way in WAYS)} | ring / alone | waited |")
    print("|---|---|--:|--:|--:|--:|--:|")
    rows: list[list[float]] = []
    for workload in workloads(given)[: given.size]:
        for contender in VendorBaseline(PROFILE).contenders:
            if contender.name == "torch-frozen":
                continue  # the same thread pool as eager PyTorch
            found = [
                {way: library_time(workload, contender, given, way) for way in turn(number)}
                for number in range(given.repeats)
            ]
            us = {way: [each[way][0] for each in found if each[way] is not None] for way in WAYS}
            if not all(len(times) == given.repeats for times in us.values()):
                print(f"| {workload.id} | {contender.name}: not right here | | | | | |", flush=True)
                continue
            rows.append([math.log(r / a) for a, r in zip(us[ALONE], us[IN_THE_RING], strict=True)])
            waited = max(time[1] for each in found for time in each.values() if time is not None)
            cells = " | ".join(f"{statistics.median(us[way]):,.1f}" for way in WAYS)
            print(
                f"| {workload.id} | {contender.name} | {cells} | {spread(rows[-1])} | {waited:.1%} |",
                flush=True,
            )
    if rows:
        beyond = sum(abs(statistics.fmean(row)) - half_width(row) > math.log(1.03) for row in rows)
        print(f"\nall pairs: {spread([ratio for row in rows for ratio in row])}")
        print(f"surely beyond 3 %: {beyond} of {len(rows)}")


def turn(number: int) -> tuple[str, ...]:
    """Give the ways in an order that changes, so that none is always the first."""
    return WAYS[number % len(WAYS) :] + WAYS[: number % len(WAYS)]


def half_width(logs: list[float]) -> float:
    """Give half of the 95 % t-interval of a mean."""
    quantile = t_quantile(0.975, len(logs) - 1)
    return quantile * statistics.stdev(logs) / math.sqrt(len(logs))


def spread(logs: list[float]) -> str:
    """Say a mean ratio with its interval."""
    middle, half = statistics.fmean(logs), half_width(logs)
    return f"{math.exp(middle):.3f} [{math.exp(middle - half):.3f}, {math.exp(middle + half):.3f}]"


def library_time(
    workload: Workload, contender: Contender, given: argparse.Namespace, way: str
) -> tuple[float, float] | None:
    """Time a library in fresh processes; give microseconds, and which share of its time it waited."""
    exam = EXAMS.exam(workload, choose_inputs(b"vendor", workload), timed=True)
    cores = worker_cores(PROFILE.threads)
    limits = Limits(deadline_s=120.0, run_s=60.0, memory_bytes=16 << 30, cpus=cores)
    beside: list[Baseline] = [OneLibrary((contender,))]
    if way != ALONE:
        beside.insert(0, DefaultBaseline(Bench(PROFILE, given.compiler)))
    command = [sys.executable, "-c", NEVER_STOPPED] if way == NEVER_STOPPED_WAY else [*WORKER_COMMAND]
    environment = worker_environment(PROFILE.threads)
    if way != IN_THE_RING:  # as it comes
        del environment["GOMP_SPINCOUNT"]
    with ExitStack() as stack:
        servers: dict[str, Supervisor] = {}

        def server(name: str) -> Supervisor:
            if name not in servers:
                what = given.compiler if name == "compiler" else name
                servers[name] = Supervisor([*command, what], environment, scratch_root())
                stack.enter_context(servers[name])
            return servers[name]

        standby = Standby(server, partial(hold_device, "cpu"))
        things = [standby.ready(each, exam, ONE_CHILD, limits, fresh=True) for each in beside]
        timed = [thing for thing in things if isinstance(thing, Timed)]
        if len(timed) < len(things):
            return None
        measured = measure_quietly(timed, ONE_CHILD, cores, lambda: read_telemetry(cores))
        if isinstance(measured, Lost):
            return None
        series = (measured.ring.kernel, *measured.ring.baselines)[-1]
        return series.per_run / 1e3, measured.conditions.waited


def one_after_the_other(given: argparse.Namespace) -> Iterator[tuple[Workload, str]]:
    """Give workloads with their default lowerings, each several times in a row, for ever."""
    texts = [(workload, copy_of_default(workload)) for workload in workloads(given)]
    for pair in itertools.cycle(texts):
        yield from itertools.repeat(pair, IN_A_ROW)


def keep_judging(
    judges: JudgePool,
    tasks: Iterator[tuple[Workload, str]],
    plan: TimingPlan | None,
    end: float,
    spent: list[float],
) -> None:
    """Judge until the time is over; note the seconds of each."""
    while time.perf_counter() < end:
        with TAKING:
            workload, text = next(tasks)
        start = time.perf_counter()
        judgement = judged(judges, workload, text, plan, 0)
        spent.append(time.perf_counter() - start)
        if isinstance(judgement.outcome, Unjudged):
            print(f"{workload.id}: {judgement.outcome}", file=sys.stderr)


def throughput(given: argparse.Namespace) -> None:
    """Count judgements: copies of the default lowering, a few of one workload, a few of the next."""
    chosen = workloads(given)
    print("| kind | judgements a minute | median s | goal |\n|---|--:|--:|--:|")
    for kind, plan, goal in (
        ("correctness only", None, 200),
        ("one child", ONE_CHILD, 60),
        ("final", FINAL, 8),
    ):
        with open_judges(PROFILE.name, given.compiler, timed=plan is not None) as judges:
            for workload in chosen * judges.size:  # servers start, answers are computed
                judged(judges, workload, copy_of_default(workload), None, 0)
            begin = time.perf_counter()
            tasks = one_after_the_other(given)
            spent: list[float] = []
            with ThreadPoolExecutor(judges.size) as side_by_side:
                for _ in range(judges.size):
                    side_by_side.submit(keep_judging, judges, tasks, plan, begin + given.size, spent)
            rate = 60 * len(spent) / (time.perf_counter() - begin)
        print(f"| {kind} | {rate:,.0f} | {statistics.median(spent):.3f} | {goal} |", flush=True)


def profile(given: argparse.Namespace) -> None:
    """Say which share of a judgement is neither compiling nor running, and what that is."""
    chosen = workloads(given)
    for kind, plan in (("correctness only", None), ("one child", ONE_CHILD)):
        watch = cProfile.Profile()
        wall = 0.0
        spent: dict[str, int] = {}
        with Judge(PROFILE, compiler=given.compiler) as judge:
            for workload in chosen:
                judged(judge, workload, copy_of_default(workload), None, 0)
            for workload, text in itertools.islice(one_after_the_other(given), given.size):
                start = time.perf_counter()
                watch.enable()
                judgement = judged(judge, workload, text, plan, 0)
                watch.disable()
                wall += time.perf_counter() - start
                for phase, ns in judgement.spent_ns.items():
                    spent[phase] = spent.get(phase, 0) + ns
                if isinstance(judgement.outcome, Correct):
                    for ring in judgement.outcome.rings:
                        timed = sum(sum(s.samples) for s in (ring.kernel, *ring.baselines))
                        spent["time"] = spent.get("time", 0) + timed
        inside = sum(spent.values()) / 1e9
        print(f"## {kind}: {given.size} judgements in {wall:.1f} s")
        for phase, ns in sorted(spent.items()):
            print(f"- {phase}: {ns / 1e9 / wall:.0%}")
        print(f"- outside compiling and running: {1 - inside / wall:.0%} (goal: at most 35 %)\n")
        out = io.StringIO()
        pstats.Stats(watch, stream=out).strip_dirs().sort_stats("tottime").print_stats(LINES)
        print("```text\n" + "\n".join(out.getvalue().splitlines()[6:]) + "\n```\n")


def leaks(given: argparse.Namespace) -> None:
    """Judge again and again, honest kernels and tricks; show what is left behind."""
    sys.path.insert(0, str(ROOT))
    import tempfile

    from tests.evaluator.test_cheats import TEXT, WHEN_RUN
    from tests.tiny import make_catalogue

    tricks = [trick for trick in WHEN_RUN if not trick.startswith("eats")]
    server = (
        None if given.compiler != "null" else [sys.executable, str(TESTS / "evaluator/cheats/dishonest.py")]
    )
    limits = Limits(deadline_s=8.0, run_s=2.0, memory_bytes=1 << 30, files=64, file_bytes=16 << 20)
    print("| judgements | memory KiB | descriptors | processes | folders | servers KiB | a minute |")
    print("|--:|--:|--:|--:|--:|--:|--:|")
    with (
        tempfile.TemporaryDirectory() as folder,
        Judge(PROFILE, compiler=given.compiler, server=server, limits=limits) as judge,
    ):
        workload = load_catalogue(make_catalogue(Path(folder) / "catalogue")).workload("tiny/scale@n12-f32")
        step = max(1, given.size // 20)
        start = time.perf_counter()
        for number in range(given.size + 1):
            if number % step == 0:
                rate = 60 * number / max(1e-9, time.perf_counter() - start)
                print(
                    f"| {number:,} | {' | '.join(map('{:,}'.format, left(judge)))} | {rate:,.0f} |",
                    flush=True,
                )
            trick = "right" if number % 4 or server is None else tricks[number // 4 % len(tricks)]
            plan = TimingPlan(batches=2, batch_ns=1_000_000, tries=1) if number % 10 == 1 else None
            judged(judge, workload, TEXT.format(trick=trick), plan, 0)


def left(judge: Judge) -> tuple[int, int, int, int, int]:
    """Count memory, descriptors, processes below this one, folders of workers, and memory of servers."""
    processes = descendants(os.getpid())
    folders = len(list(scratch_root().glob("ekb-*")))
    servers = sum(resident(pid) for pid in judge.servers())
    return resident(os.getpid()), len(list(Path("/proc/self/fd").iterdir())), len(processes), folders, servers


def descendants(pid: int) -> set[int]:
    found: set[int] = set()
    waiting = [pid]
    while waiting:
        for path in Path(f"/proc/{waiting.pop()}/task").glob("*/children"):
            children = {int(child) for child in path.read_text(encoding="ascii").split()} - found
            found |= children
            waiting += children
    return found


def resident(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") >> 10


if __name__ == "__main__":
    main()
