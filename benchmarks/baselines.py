"""How baselines compare: the default lowering, TVM's MetaSchedule, TVM out of the box, the vendor's library.

Reads what `ekb baseline tune --beside` stored; measures nothing itself.

    python benchmarks/baselines.py FOLDER [PROFILE]

Prints the distribution of the ratios per level and element type, and the ten workloads on which the reference
R1 (the faster of default and MetaSchedule) is slowest beside the vendor.
"""

import math
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from statistics import quantiles

from edgekernelbench.evaluator.references import baseline_path, read_tuned
from edgekernelbench.records.tuned import TunedRecord
from edgekernelbench.reports.text import columns
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Workload

WORST = 10
HALF = 0.5

Row = tuple[Workload, TunedRecord]
Ratio = Callable[[TunedRecord], float | None]


def default_ns(record: TunedRecord) -> float | None:
    return record.beside.default_ns if record.beside else record.default_ns


def reference_ns(record: TunedRecord) -> float | None:
    """What R1 takes, beside the vendor: the ratio of the final measurement carries over."""
    default = default_ns(record)
    if default is None:
        return None
    return default / record.ratio if record.choice == "metaschedule" and record.ratio else default


def tuned_over_default(record: TunedRecord) -> float | None:
    return record.ratio


def reference_over_vendor(record: TunedRecord) -> float | None:
    """How many times as fast as the vendor R1 is."""
    mine = reference_ns(record)
    theirs = record.beside.vendor_ns if record.beside else None
    return None if mine is None or theirs is None else theirs / mine


def default_over_plain(record: TunedRecord) -> float | None:
    """How many times as fast as TVM out of the box the default lowering is."""
    beside = record.beside
    return None if beside is None or beside.plain_ns is None else beside.plain_ns / beside.default_ns


RATIOS: dict[str, Ratio] = {
    "default/MetaSchedule": tuned_over_default,
    "vendor/R1": reference_over_vendor,
    "plain/default": default_over_plain,
}
"""Durations over durations: above 1 the second one is the faster."""


def spread(values: Sequence[float]) -> str:
    """Quartiles with least and greatest."""
    if len(values) < 2:
        return " ".join(f"{v:.2f}" for v in values) or "–"
    low, middle, high = quantiles(values, n=4, method="inclusive")
    return f"{min(values):.2f} [{low:.2f} {middle:.2f} {high:.2f}] {max(values):.2f}"


def geometric(values: Iterable[float]) -> str:
    logs = [math.log(v) for v in values]
    return f"{math.exp(sum(logs) / len(logs)):.2f}" if logs else "–"


def distribution(rows: Sequence[Row]) -> list[str]:
    groups: dict[str, list[Row]] = {"all": list(rows)}
    for workload, record in rows:
        groups.setdefault(f"level {workload.level}", []).append((workload, record))
    for workload, record in rows:
        groups.setdefault(f"type {workload.dtype}", []).append((workload, record))
    cells = [["", "ratio of durations", "n", "geomean", "least [quartiles] greatest"]]
    for name, members in groups.items():
        for title, ratio in RATIOS.items():
            values = [v for _, r in members if (v := ratio(r)) is not None]
            cells.append([name, title, str(len(values)), geometric(values), spread(values)])
    return columns(cells, right=frozenset({2, 3}))


def worst(rows: Sequence[Row]) -> list[str]:
    rated = sorted(
        ((v, w, r) for w, r in rows if (v := reference_over_vendor(r)) is not None), key=lambda row: row[0]
    )
    cells = [["workload", "vendor/R1", "vendor", "R1 is", "why not MetaSchedule"]]
    for value, workload, record in rated[:WORST]:
        library = record.beside.vendor if record.beside else None
        cells.append([workload.id, f"{value:.2f}", library or "–", record.choice, record.reason or "–"])
    slow = sum(value < HALF for value, _, _ in rated)
    return [
        *columns(cells, right=frozenset({1})),
        "",
        f"{slow} of {len(rated)} are slower than half the vendor",
    ]


def main() -> None:
    folder, profile = Path(sys.argv[1]), (sys.argv[2] if len(sys.argv) > 2 else "llvm")
    catalogue = load_catalogue()
    rows = [(catalogue.workload(name), r) for name, r in read_tuned(baseline_path(folder, profile)).items()]
    machines = {f"{r.device.cpu}, {r.device.threads} threads" for _, r in rows}
    versions = {f"TVM {r.versions.get('apache-tvm')}" for _, r in rows}
    print(f"{len(rows)} workloads on {', '.join(sorted(machines))}; {', '.join(sorted(versions))}")
    print(*["", *distribution(rows), "", *worst(rows)], sep="\n")


if __name__ == "__main__":
    main()
