"""How busy boards are kept: `python benchmarks/scale.py [--k N] [--local]`; goal: 80 % of the time.

Two boards on the loopback, two endpoints, a whole run, its beginning and its end included. A board is busy
while it is asked something; that the host has taken it for a verdict, and compiles or compares meanwhile, is
printed and not enough. Both boards must last, and every kernel must be found correct.

The endpoints are servers of canned kernels that take as long as `--answer-s` says; with `--local` one more
lane asks the bundled model. Each text differs, so that each is compiled. Run it on an idle machine: boards,
compilers and writers share it. For the same reason the boards slow each other: verdicts take longer than on
boards of their own, which keeps them busy more easily; how many were disturbed is printed.
"""

import argparse
import json
import os
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from edgekernelbench.agents.models.endpoint import Endpoint, Endpoints
from edgekernelbench.bench.assembly import Rate
from edgekernelbench.bench.experiment import AgentSetting, Experiment
from edgekernelbench.bench.progress import Bar
from edgekernelbench.bench.run import Surroundings, continue_run, start_run
from edgekernelbench.compiler.tvm.rpc import ask_tracker
from edgekernelbench.evaluator.boards.address import LOOPBACK, BoardAddress
from edgekernelbench.evaluator.boards.describe import describe
from edgekernelbench.evaluator.boards.hosting import BoardPlan, Hosted
from edgekernelbench.evaluator.pool import Share
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue

GOAL = 0.8
BOARDS = 2
NO_STAGES = ("lanes", "dealing")
"""Whoever drives the others: what it takes is theirs."""
KEY = "scale"


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--suite", default="quick")
    options.add_argument("--workloads", type=int, default=0, help="only so many; 0 for all")
    options.add_argument("--k", type=int, default=5)
    options.add_argument("--answer-s", type=float, default=2.0)
    options.add_argument("--writers", type=int, default=4)
    options.add_argument("--timing", default="final")
    options.add_argument("--local", action="store_true", help="also ask the bundled model")
    given = options.parse_args()
    print(f"load {os.getloadavg()[0]:.1f} on {len(os.sched_getaffinity(0))} cores", flush=True)
    texts = right_texts(given.suite, given.workloads)
    with (
        tempfile.TemporaryDirectory(prefix="ekb-") as place,
        pair() as device,
        serving(texts, given.answer_s) as one,
        serving(texts, given.answer_s) as two,
    ):
        enough = measure(given, list(texts), device, (one, two), Path(place))
    sys.exit(0 if enough else 1)


def right_texts(suite: str, most: int) -> dict[str, str]:
    profile = load_profile("llvm")
    chosen = load_catalogue().select((), suite=suite)
    return {
        w.id: print_kernel(default_lowering(verify_compute(w.kernel()), "llvm", profile))
        for w in (chosen[:most] if most else chosen)
    }


@contextmanager
def pair() -> Iterator[str]:
    """Serve two boards; gives their name as a device."""
    with Hosted({"host": LOOPBACK, "port": 0}) as tracker:
        plan = BoardPlan(describe("llvm"), KEY, LOOPBACK, 0, (LOOPBACK, tracker.port))
        with Hosted(plan.settings()), Hosted(plan.settings()):
            while getattr(ask_tracker(LOOPBACK, tracker.port).get(KEY), "free", 0) < BOARDS:
                time.sleep(0.1)
            yield str(BoardAddress(KEY, LOOPBACK, tracker.port))


@contextmanager
def serving(texts: dict[str, str], answer_s: float) -> Iterator[str]:
    """Serve an endpoint that finds the workload in its prompt and answers with a kernel that nobody had."""
    heads = {text.partition("\n")[0]: text for text in texts.values()}

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = self.rfile.read(int(self.headers["content-length"])).decode()
            prompt = json.loads(asked)["messages"][-1]["content"]
            text = next(t for head, t in heads.items() if head in prompt)
            time.sleep(answer_s)
            message = {"role": "assistant", "content": f"```python\n{another(text)}```"}
            row = {"id": "1", "object": "chat.completion", "created": 1, "model": "canned"}
            choices = [{"index": 0, "finish_reason": "stop", "message": message}]
            body = json.dumps({**row, "choices": choices}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer((LOOPBACK, 0), Handler)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://{LOOPBACK}:{server.server_port}/v1"
    server.shutdown()


def another(text: str) -> str:
    """Give the same kernel as a text that nobody had."""
    if '"""' not in text:
        raise ValueError(f"there is no docstring to change in {text.partition(chr(10))[0]}")
    return text.replace('"""', f'"""{random.random()}: ', 1)  # noqa: S311 - nobody's secret


def measure(
    given: argparse.Namespace, workloads: list[str], device: str, urls: tuple[str, str], place: Path
) -> bool:
    """Run it; whether the boards were busy enough."""
    models = ["openai:one", "openai:two", *(["smollm2"] if given.local else [])]
    agents = tuple(
        AgentSetting(name=m.replace(":", "-"), kind="direct", model=m, max_tokens=256) for m in models
    )
    experiment = Experiment(
        agents=agents,
        suite=given.suite,
        workloads=tuple(workloads),
        k=given.k,
        profile=device,
        timing=given.timing,
        concurrency=given.writers,
    )
    clocks: list[tuple[tuple[Rate, ...], tuple[Share, ...]]] = []
    folder = start_run(place / "run", experiment)
    endpoints = Endpoints(Endpoint(), dict(zip(models, ((url,) for url in urls), strict=False)))
    start = time.monotonic()
    with Bar() as watcher:
        around = Surroundings(endpoints, watcher=watcher, clocked=lambda *found: clocks.append(found))
        continue_run(folder, around)
    took = time.monotonic() - start
    judgements = folder.judgements().values()
    correct = sum(j.outcome.kind == "correct" for j in judgements)
    rate = 60 * len(judgements) / took
    print(f"{len(judgements)} judgements, {correct} correct, in {took:.0f} s, {rate:.1f} a minute")
    for flag, count in sorted(Counter(flag for j in judgements for flag in j.flags).items()):
        print(f"{count} of them: {flag}")
    size = sum(f.stat().st_size for f in folder.root.rglob("*") if f.is_file())
    print(
        f"the run folder has {size / 1e6:.2f} MB, {size / max(1, len(judgements)) / 1e3:.1f} kB a judgement"
    )
    # SmolLM2's kernels are not right; those of the two endpoints all are.
    asked = [j for j in judgements if not j.attempt.startswith("smollm2")]
    whole = sum(j.outcome.kind == "correct" for j in asked) == len(workloads) * given.k * len(urls)
    if not whole:
        print("not every kernel of the two endpoints was found correct")
    return report(*clocks[0]) and whole


def report(rates: tuple[Rate, ...], shares: tuple[Share, ...]) -> bool:
    for rate in rates:
        if rate.done and rate.name not in NO_STAGES:
            each = rate.busy_ns / rate.done / 1e9
            most = 60 * rate.threads / each if each else 0.0
            how = f"{rate.done} done, {each:.2f} s each, {rate.threads} at a time"
            print(f"{rate.name}: {how}: at most {most:.0f} a minute")
    enough = len(shares) == BOARDS
    if not enough:
        print(f"{len(shares)} of {BOARDS} boards are left")
    for number, share in enumerate(shares):
        judging, asked = share.judging_ns / share.whole_ns, share.asked_ns / share.whole_ns
        print(
            f"board {number}: busy {100 * asked:.0f} % of the time, taken for a verdict {100 * judging:.0f} %"
        )
        enough = enough and asked >= GOAL
    print(f"goal {100 * GOAL:.0f} %: {'reached' if enough else 'missed'}")
    return enough


if __name__ == "__main__":
    main()
