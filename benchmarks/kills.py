"""Kill a real run ten times, go on with it each time, and compare it with an undisturbed one.

    python benchmarks/kills.py            # two runs of the quick suite, compiled by C: 2 min
    python benchmarks/kills.py --kills 3

Everything goes through the command line, as a person would: `ekb run`, SIGKILL somewhere, `ekb resume`. The
moment is drawn by chance, in records and then in fractions of a second, so that it falls into all stages.
"""

import argparse
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.metrics.failures import failure_kind
from edgekernelbench.records.integrity import artifact_flaws, run_flaws
from edgekernelbench.records.store import RunFolder
from edgekernelbench.workloads.catalogue import load_catalogue

EKB = [sys.executable, "-m", "edgekernelbench"]
ATTEMPTS = 3
FILES = ("attempts.jsonl", "judgements.jsonl")
SEED = 11
PATIENCE_S = 600


def write_texts(folder):
    """Write a right, a wrong and a refused text in turn, for each workload of the quick suite."""
    for number, workload in enumerate(load_catalogue().select(suite="quick")):
        text = print_kernel(workload.kernel())
        match number % 4:
            case 1:
                text = text.replace("return ", "return no")
            case 2:
                text = text.replace("sum(", "max(", 1)
        path = folder / f"{workload.id}.kir"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def records(run):
    """Count the whole lines of a run."""
    return sum((run / name).read_bytes().count(b"\n") for name in FILES if (run / name).exists())


def kill_after(words, run, wanted, jitter):
    """Start a process, kill it some records and a moment later; say whether it was still at work."""
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        deadline = time.monotonic() + PATIENCE_S
        while records(run) < wanted and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        time.sleep(jitter)
        working = process.poll() is None
        process.send_signal(signal.SIGKILL)
    return working


def summary(run):
    """Give what came of each attempt, without what differs between any two runs."""
    folder = RunFolder(run)
    judgements = folder.judgements()
    return {
        name: (attempt.text, attempt.ending, failure_kind(judgements[name].outcome))
        for name, attempt in folder.attempts().items()
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--kills", type=int, default=10)
    kills = parser.parse_args().kills
    chance = random.Random(SEED)  # noqa: S311 - moments, no secrets
    with tempfile.TemporaryDirectory() as name:
        root = Path(name)
        write_texts(root / "texts")
        options = ["--texts", str(root / "texts"), "--suite", "quick", "--compiler", "c", "--timing", "none"]
        command = [*EKB, "run", *options, "-k", str(ATTEMPTS), "-o"]
        subprocess.run([*command, str(root / "whole")], check=True, capture_output=True)
        killed = root / "killed"
        working = 0
        total = 2 * len(RunFolder(root / "whole").manifest().planned)
        for number in range(kills):
            words = [*EKB, "resume", str(killed)] if number else [*command, str(killed)]
            wanted = round(total * (number + chance.random()) / kills)
            working += kill_after(words, killed, wanted, chance.uniform(0, 0.4))
            print(f"kill {number + 1}: {records(killed)} of {total} records stored")
            if not killed.joinpath("manifest.json").exists():
                raise SystemExit("it was killed before it had begun: nothing to go on with")
        subprocess.run([*EKB, "resume", str(killed)], check=True, capture_output=True)
        folder = RunFolder(killed)
        print(f"killed at work: {working} of {kills}")
        print(
            f"records: {records(killed)}, planned {total}: none lost, none twice: {records(killed) == total}"
        )
        same = summary(killed) == summary(root / "whole")
        print(f"attempts and outcomes are those of the undisturbed run: {same}")
        print(f"records that do not hold: {len(run_flaws(folder)) + len(artifact_flaws(folder))}")


if __name__ == "__main__":
    main()
