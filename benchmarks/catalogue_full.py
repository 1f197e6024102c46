"""Check or lint every workload at full size, with a log that is gone on with.

    python benchmarks/catalogue_full.py check [--minutes 60] [--first PATTERN,PATTERN]
    python benchmarks/catalogue_full.py lint  [--minutes 60] [--first PATTERN,PATTERN]
    python benchmarks/catalogue_full.py report

`check` does for a workload what `ekb catalogue check` does, `lint` what `ekb catalogue lint` does. Each
writes a line to `catalogue-check.tsv` or `catalogue-lint.tsv` in `benchmarks/results`: id, a key of
everything that the result hangs on in the catalogue, the day, what was found, seconds of CPU. A workload
whose key stands there is not done again; one whose row or text has changed is. Short ones come first, so
that a run that is ended early has many. `report` says what is done and what is not.
"""

import argparse
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from edgekernelbench.base.hashing import hash_text
from edgekernelbench.battery.lint import Fate, null_battery
from edgekernelbench.cli.shown_workload import counts_of
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.check import check_held_out, check_text, check_values, check_variation
from edgekernelbench.workloads.schema import Workload

RESULTS = Path(__file__).parent / "results"
DONE = "in order"


def key_of(workload: Workload) -> str:
    """Hash the text, the program and the row: what a result is about."""
    pattern = workload.pattern
    inputs = {name: draw.model_dump(exclude_defaults=True) for name, draw in workload.inputs.items()}
    row = f"{dict(workload.sizes)} {inputs} {workload.accumulate} {workload.tolerance_lsb}"
    return hash_text(f"{pattern.source_text}\n{pattern.torch_text}\n{row}")[:10]


def check(workload: Workload) -> str:
    """Check one workload at full size."""
    findings = list(check_text(workload))
    if not findings:
        findings = [*check_values(workload), *check_variation(workload), *check_held_out(workload)]
    return "; ".join(f.message for f in findings) or DONE


def lint(workload: Workload) -> str:
    """Put mistakes of one workload before the judge."""
    battery = null_battery(workload)
    alive = [f"{v.stage}: {v.change}" for v in battery.of(Fate.ALIVE)]
    counts = f"{len(battery.of(Fate.KILLED))} killed, {len(battery.of(Fate.EQUIVALENT))} equivalent"
    return f"{DONE}: {counts}" if not alive else f"{counts}, {len(alive)} alive: {'; '.join(alive)}"


JOBS = {"check": check, "lint": lint}


def read_log(path: Path) -> dict[tuple[str, str], str]:
    """Read what is done: the last result by id and key."""
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    rows = [line.split("\t") for line in lines if line and not line.startswith("#")]
    return {(row[0], row[1]): row[3] for row in rows}


def main() -> int:
    """Go on with a log, or report on both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("job", choices=[*JOBS, "report"])
    parser.add_argument("--minutes", type=float, default=600.0)
    parser.add_argument("--first", default="")
    parser.add_argument("--log", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    catalogue = load_catalogue()
    if arguments.job == "report":
        return report(arguments.log)
    path = arguments.log / f"catalogue-{arguments.job}.tsv"
    done = read_log(path)
    profile, first = load_profile("llvm"), set(arguments.first.split(","))
    waiting = [w for w in catalogue.workloads if (w.id, key_of(w)) not in done]
    waiting.sort(key=lambda w: (w.pattern.id not in first, counts_of(w, profile).operations))
    end = time.monotonic() + 60 * arguments.minutes
    for number, workload in enumerate(waiting):
        if time.monotonic() > end:
            break
        started = time.process_time()
        found = JOBS[arguments.job](workload).replace("\t", " ").replace("\n", " ")
        row = [workload.id, key_of(workload), f"{datetime.now(UTC):%Y-%m-%d}", found]
        with path.open("a", encoding="utf-8") as log:
            log.write("\t".join([*row, f"{time.process_time() - started:.1f}"]) + "\n")
        if DONE not in found:
            print(f"{workload.id}: {found}", flush=True)
        if number % 20 == 0:
            print(f"{len(waiting) - number} to go", file=sys.stderr, flush=True)
    return report(arguments.log)


def report(folder: Path) -> int:
    """Say how far both jobs are with the catalogue as it is."""
    status = 0
    for job in JOBS:
        done = read_log(folder / f"catalogue-{job}.tsv")
        workloads = load_catalogue().workloads
        results = {w.id: done.get((w.id, key_of(w))) for w in workloads}
        bad = {name: found for name, found in results.items() if found is not None and DONE not in found}
        missing = [name for name, found in results.items() if found is None]
        print(f"{job}: {len(workloads) - len(missing)} of {len(workloads)} done, {len(bad)} with findings")
        for name, found in bad.items():
            print(f"  {name}: {found}")
        if missing:
            print(f"  not reached: {len(missing)}, the first {', '.join(missing[:3])}")
        status |= int(bool(bad or missing))
    return status


if __name__ == "__main__":
    sys.exit(main())
