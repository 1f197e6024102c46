"""What can be told apart: the two tables of docs/explanation/power.md.

    python benchmarks/power.py            # prints them
    python benchmarks/power.py --write    # and writes them into the page

The first is about agents. They are made up: on each workload an agent has a chance of success, which depends
on the pattern and on the workload in the same way for both, and on how well this agent does this pattern.
Both make their attempts, and the test of `ekb compare` is asked. A cell says in how many of the repetitions
it sees a difference (p < 0.05).

The second is about one kernel that is truly faster: how often is it *sure* to be?
"""

import argparse
import math
import sys
from collections import Counter
from functools import cache
from pathlib import Path

import numpy as np

from edgekernelbench.metrics.speed import CONFIDENCE, PROCESS_SPREAD
from edgekernelbench.metrics.student import t_quantile
from edgekernelbench.workloads.catalogue import load_catalogue

PAGE = Path(__file__).parents[1] / "docs" / "explanation" / "power.md"

PATTERN_SD, WORKLOAD_SD, AGENT_SD = 1.5, 0.7, 0.7
"""Spread of the logits: between patterns, between workloads of one pattern, and of one agent's own."""
POINTS = (0, 5, 10, 20)
ATTEMPTS = (1, 3, 10)
SUBSETS = (("quick", 0), ("agent", 0), ("", 100), ("", 200), ("full", 0))
"""Suites of the catalogue, and parts of the whole of some size."""
AIM = 80
"""Percent of cases in which a difference should be seen."""
REPETITIONS, FLIPS = 1000, 999
GAINS = (1.0, 1.01, 1.02, 1.05, 1.1)
SPREADS = (0.007, PROCESS_SPREAD)
SETS = (1, 2, 3, 5, 10)
SPEED_REPETITIONS = 20_000
SEED = 20261130


def generator(*what):
    """Make the random numbers of one cell: no cell depends on another."""
    return np.random.default_rng([SEED, *(round(1000 * number) for number in what)])


def clusters(suite, size):
    """Give the number of workloads of each pattern."""
    workloads = load_catalogue().select(suite=suite or "full")
    if size:
        places = generator(size).choice(len(workloads), size, replace=False)
        workloads = [workloads[n] for n in places]
    return np.array(sorted(Counter(w.pattern.id for w in workloads).values()))


@cache
def shift_for(points):
    """Find how far apart two agents' logits lie when their mean chances differ by some points, about 50 %."""
    spread = math.sqrt(PATTERN_SD**2 + WORKLOAD_SD**2 + AGENT_SD**2)
    draws = spread * generator().standard_normal(200_000)
    low, high = 0.0, 8.0
    for _ in range(30):
        middle = (low + high) / 2
        gap = _chance(draws + middle / 2).mean() - _chance(draws - middle / 2).mean()
        low, high = (middle, high) if gap < points / 100 else (low, middle)
    return low


def _chance(logits):
    return 1 / (1 + np.exp(-logits))


def differences(sizes, attempts, shift, random):
    """Draw two agents, some times: the difference of their successes, by pattern."""
    count, total = len(sizes), int(sizes.sum())
    owner = np.repeat(np.arange(count), sizes)
    common = PATTERN_SD * random.standard_normal((REPETITIONS, count))[:, owner]
    common += WORKLOAD_SD * random.standard_normal((REPETITIONS, total))
    wins = []
    for side in (-0.5, 0.5):
        own = AGENT_SD * random.standard_normal((REPETITIONS, count))[:, owner]
        wins.append(random.binomial(attempts, _chance(common + own + side * shift)))
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    return np.add.reduceat(wins[1] - wins[0], starts, axis=1)


def p_values(by_pattern, random):
    """Do what `metrics.randomization.flip_p_value` does, for many repetitions at once."""
    signs = random.choice((-1.0, 1.0), (FLIPS, by_pattern.shape[1]))
    seen = np.abs(by_pattern.sum(axis=1))
    extreme = (np.abs(by_pattern.astype(float) @ signs.T) >= seen[:, None] - 1e-9).sum(axis=1)
    return (1 + extreme) / (1 + FLIPS)


def power(sizes, attempts, points, shift):
    """Give the share of repetitions in which the test sees a difference."""
    random = generator(len(sizes), attempts, points)
    return float(np.mean(p_values(differences(sizes, attempts, shift, random), random) < 0.05))


def agent_row(suite, size, attempts):
    """Make one row of the first table."""
    sizes = clusters(suite, size)
    name = f"{int(sizes.sum())} (`{suite}`)" if suite else str(size)
    cells = [f"{100 * power(sizes, attempts, p, shift_for(p)):.0f} %" for p in POINTS]
    return f"| {name} | {len(sizes)} | {attempts} | {' | '.join(cells)} |"


def agent_table():
    """Make the first table."""
    heads = ["no difference" if not p else f"{p} points" for p in POINTS]
    rows = [
        f"| workloads | patterns | attempts each | {' | '.join(heads)} |",
        "|---" * (3 + len(POINTS)) + "|",
    ]
    rows += [agent_row(*subset, attempts) for subset in SUBSETS for attempts in ATTEMPTS]
    return [*rows, "", *least(rows[2:])]


def least(rows):
    """Say with how few workloads a difference is seen in 80 % of cases, for each number of attempts."""
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    lines = []
    for place, points in enumerate(POINTS):
        enough = [row for row in cells if points and int(row[3 + place].split()[0]) >= AIM]
        first = {row[2]: row[0].split()[0] for row in reversed(enough)}
        ways = [f"{first[k]} workloads × {k}" for k in map(str, ATTEMPTS) if k in first]
        if points:
            lines.append(f"- {points} points: {', or '.join(ways) or 'no row'}")
    return lines


def sure_share(gain, spread, sets):
    """Give the share of final verdicts in which the lower bound of the ratio is above 1."""
    random = generator(gain, spread, sets)
    logs = math.log(gain) + math.sqrt(2) * spread * random.standard_normal((SPEED_REPETITIONS, sets))
    if sets == 1:
        half = t_quantile(CONFIDENCE, 100_000) * PROCESS_SPREAD * math.sqrt(2)
    else:
        half = t_quantile(CONFIDENCE, sets - 1) * logs.std(axis=1, ddof=1) / math.sqrt(sets)
    return float(np.mean(logs.mean(axis=1) - half > 0))


def speed_row(spread, sets):
    """Make one row of the second table."""
    cells = [f"{100 * sure_share(gain, spread, sets):.0f} %" for gain in GAINS]
    return f"| {100 * spread:.1f} % | {sets} | {' | '.join(cells)} |"


def speed_table():
    """Make the second table."""
    heads = ["no faster" if g == 1 else f"{100 * (g - 1):.0f} % faster" for g in GAINS]
    rows = [
        f"| spread between processes | sets of processes | {' | '.join(heads)} |",
        "|---" * (2 + len(GAINS)) + "|",
    ]
    return rows + [speed_row(spread, sets) for spread in SPREADS for sets in SETS]


TABLES = {"agents": agent_table, "speed": speed_table}


def place(text, name, rows):
    """Put a table between its marks."""
    begin, end = f"<!-- table {name}: benchmarks/power.py -->\n", f"<!-- end of table {name} -->"
    before, rest = text.split(begin)
    table = "\n".join(rows)
    return f"{before}{begin}{table}\n{end}{rest.split(end)[1]}"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--write", action="store_true", help="write the tables into the page")
    write = parser.parse_args().write
    for name, make in TABLES.items():
        rows = make()
        sys.stdout.write("\n".join(rows) + "\n\n")
        if write:
            PAGE.write_text(place(PAGE.read_text(encoding="utf-8"), name, rows), encoding="utf-8")


if __name__ == "__main__":
    main()
