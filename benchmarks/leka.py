"""The built-in policy against the default lowering, the vendor's library, and TVM's MetaSchedule.

    python benchmarks/leka.py run FOLDER [--suite agent] [--timing final] [--workload NAME …]
    python benchmarks/leka.py table FOLDER

`run` makes three runs of the *optimise* track in FOLDER, equal threads, no model: `policy` at 16 submissions,
`metaschedule` at 16 and at 64. Each can be interrupted; the same command goes on. It wants an idle machine.
`table` prints what their records say: a row a workload, geometric means by group, and the bars of issue 7.
"""

import argparse
import math
import subprocess
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import geometric_mean, median

from edgekernelbench.metrics.speed import log_speedup
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct
from edgekernelbench.reports.runs import RunAttempts, read_attempts
from edgekernelbench.reports.text import columns
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Level

ARMS = {
    "policy-16": ("policy", 16),
    "metaschedule-16": ("metaschedule", 16),
    "metaschedule-64": ("metaschedule", 64),
}
"""The runs: who, and how many submissions."""
GROUPS = ("conv", "linear", "attention")
"""Families that have a bar of their own against the vendor."""


def main() -> None:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("what", choices=["run", "table"])
    options.add_argument("folder", type=Path)
    options.add_argument("--suite", default="agent")
    options.add_argument("--timing", default="final")
    options.add_argument("--workload", action="append", default=[])
    options.add_argument("--arm", action="append", choices=list(ARMS), default=[])
    given = options.parse_args()
    if given.what == "run":
        for arm in given.arm or ARMS:
            run(given.folder, arm, given)
    print_table(given.folder)


def run(folder: Path, arm: str, given: argparse.Namespace) -> None:
    """Make one run, or go on with it."""
    agent, submissions = ARMS[arm]
    root = folder / arm
    command = [sys.executable, "-m", "edgekernelbench", "--plain"]
    if (root / "manifest.json").is_file():
        command += ["resume", str(root)]
    else:
        command += ["run", "--track", "optimise", "--agents", agent, "--submissions", str(submissions)]
        command += ["--suite", given.suite, "--timing", given.timing, "--vendor", "--out", str(root)]
        command += [word for name in given.workload for word in ("--workload", name)]
    subprocess.run(command, check=False)


@dataclass(frozen=True)
class Row:
    """What an arm came to on one workload.

    Attributes:
        workload: Its id.
        fast: How many times as fast as the default lowering; 1 when there is no correct answer.
        vendor: The same beside the vendor's library; None when that is a loop, or was not timed.
        peak: Share of the roofline that was reached; None when it is not known.
        memory: Whether the bound is made of bytes.
        wall_s: Time that the attempt took.
        correct: Whether the answer was correct.
    """

    workload: str
    fast: float
    vendor: float | None
    peak: float | None
    memory: bool
    wall_s: float
    correct: bool

    @property
    def group(self) -> str:
        """The group whose mean it counts in."""
        family = self.workload.partition("/")[0]
        return family if family in GROUPS else "others"


def rows_of(found: RunAttempts) -> dict[str, Row]:
    """Read a run: one row a workload."""
    rows = {}
    for name, attempt in found.attempts.items():
        judged = found.judgements.get(name)
        wall = attempt.usage.wall_ms / 1e3
        rows[attempt.workload] = row_of(attempt.workload, judged, wall)
    return rows


def row_of(workload: str, judged: Judgement | None, wall_s: float) -> Row:
    outcome = None if judged is None else judged.outcome
    if judged is None or not isinstance(outcome, Correct) or not outcome.rings:
        return Row(workload, 1.0, None, None, memory=False, wall_s=wall_s, correct=False)
    fast = log_speedup(outcome.rings, "default")
    beside = log_speedup(outcome.rings, "vendor")
    is_loop = judged.vendor is not None and judged.vendor.loop
    line, taken = judged.roofline, median(ring.kernel.per_run for ring in outcome.rings)
    return Row(
        workload,
        1.0 if fast is None else math.exp(fast),
        None if beside is None or is_loop else math.exp(beside),
        None if line is None else max(line.memory_ns, line.compute_ns) / taken,
        memory=line is not None and line.memory_ns > line.compute_ns,
        wall_s=wall_s,
        correct=True,
    )


def print_table(folder: Path) -> None:
    arms = {
        arm: rows_of(read_attempts(folder / arm))
        for arm in ARMS
        if (folder / arm / "manifest.json").is_file()
    }
    policy = arms.get("policy-16", {})
    if not policy:
        raise SystemExit(f"{folder} has no run policy-16: make one with `run`")
    heads = [
        "workload",
        "policy/default",
        "policy/vendor",
        "of roofline",
        *(f"{arm}/default" for arm in arms if arm != "policy-16"),
    ]
    table = [heads]
    for workload, row in sorted(policy.items()):
        others = [shown(arms[arm].get(workload)) for arm in arms if arm != "policy-16"]
        cells = [f"{row.fast:.2f}" if row.correct else "wrong", number(row.vendor), number(row.peak)]
        table.append([workload, *cells, *others])
    print("\n".join(columns(table, right=frozenset(range(1, len(heads))))))
    print()
    print("\n".join(summary(arms)))


def shown(row: Row | None) -> str:
    return "" if row is None else f"{row.fast:.2f}" if row.correct else "wrong"


def number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def mean(values: Iterable[float | None]) -> str:
    """Give a geometric mean with how many it is of."""
    known = [value for value in values if value is not None]
    return f"{geometric_mean(known):.3f} (of {len(known)})" if known else "–"


def summary(arms: Mapping[str, Mapping[str, Row]]) -> list[str]:
    """Write the means that issue 7 has bars for."""
    policy = arms["policy-16"]
    levels = {w.id: w.level for w in load_catalogue().workloads}
    lines = [f"policy / default (R0): {mean(r.fast for r in policy.values())}; bar 1.15"]
    lines += [
        f"  {group}: {mean(r.fast for r in policy.values() if r.group == group)}"
        for group in (*GROUPS, "others")
    ]
    lines.append(f"policy / vendor: {mean(r.vendor for r in policy.values())}; bar 1.0")
    lines += [
        f"  {group}: {mean(r.vendor for r in policy.values() if r.group == group)}; bar 0.9"
        for group in GROUPS
    ]
    fused = [r for w, r in policy.items() if r.memory and levels.get(w) is not Level.OPERATOR]
    lines.append(f"  fused, bound by memory: {mean(r.vendor for r in fused)}; bar 1.5")
    for arm, rows in arms.items():
        if arm == "policy-16":
            continue
        both = [(policy[w], rows[w]) for w in policy if w in rows]
        bar = "1.25" if arm.endswith("16") else "1.0"
        lines.append(f"policy / {arm}: {mean(a.fast / b.fast for a, b in both)}; bar {bar}")
        lines.append(
            f"  its wall time over that of {arm}: {mean(a.wall_s / b.wall_s for a, b in both)}; bar 0.2 of 64"
        )
    best = [
        max(1.0, *(rows[w].fast for arm, rows in arms.items() if arm != "policy-16" and w in rows), 1.0)
        for w in policy
    ]
    ratios = [policy[w].fast / one for w, one in zip(policy, best, strict=True)]
    lines.append(f"policy / R1 (the faster of default and MetaSchedule): {mean(ratios)}; bar 1.15")
    operators = [r.peak for w, r in policy.items() if levels.get(w) is Level.OPERATOR and r.peak is not None]
    reached = sum(peak >= 0.7 for peak in operators)
    lines.append(f"70 % of the roofline: {reached} of {len(operators)} operators; bar half")
    wrong = sorted(w for w, r in policy.items() if not r.correct)
    slower = sorted(w for w, r in policy.items() if r.correct and r.fast < 0.97)
    lines.append(
        f"not correct: {', '.join(wrong) or 'none'}; slower than the default: {', '.join(slower) or 'none'}"
    )
    return lines


if __name__ == "__main__":
    main()
