"""`reference/catalogue.md`: all workloads, and what they cover."""

from collections import Counter
from collections.abc import Iterable

from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Domain, Level, Workload

HEAD = """\
# The catalogue

<!-- Made by tests/docs/test_generated.py from the catalogue: run `make golden` after a change. -->

{patterns} patterns, {workloads} workloads. `ekb catalogue list` filters them; `ekb catalogue show` prints
everything about one.
"""

PICTURES = """
## Coverage

![Workloads by domain and element type, for each level](../pictures/coverage-types.svg)

A group of types is that of a workload's main one. Operations a byte are derived from the canonical text:
what one run computes, over parameters that are read whole and outputs.

![Operations a byte by domain, for each group of element types](../pictures/coverage-intensity.svg)
"""


def catalogue_page() -> str:
    """Write the page."""
    catalogue = load_catalogue()
    found = catalogue.workloads
    parts = [HEAD.format(patterns=len(catalogue.patterns), workloads=len(found))]
    parts.append(PICTURES)
    parts.append("\nWorkloads by domain and level:\n\n")
    parts += _table("domain", Domain, Level, ((w.domain, w.level) for w in found))
    parts.append("\nWorkloads by main element type and level:\n\n")
    types = sorted({w.dtype for w in found}, key=lambda t: (not t.is_float, t.bits, str(t)))
    parts += _table("type", types, Level, ((w.dtype, w.level) for w in found))
    parts.append("\nWorkloads by suite:\n\n| suite | workloads |\n|---|--:|\n")
    suites = Counter(suite for w in found for suite in w.suites)
    parts += [f"| `{suite}` | {count} |\n" for suite, count in sorted(suites.items())]
    for family in sorted({w.pattern.family for w in found}):
        parts.append(
            f"\n## {family}\n\n| workload | domain | level | source of its sizes |\n|---|---|---|---|\n"
        )
        parts += [_row(w) for w in found if w.pattern.family == family]
    return "".join(parts)


def _row(workload: Workload) -> str:
    source = workload.source.replace("|", "\\|")
    return f"| `{workload.id.partition('/')[2]}` | {workload.domain} | {workload.level} | {source} |\n"


def _table(
    name: str, rows: Iterable[object], across: Iterable[object], pairs: Iterable[tuple[object, object]]
) -> list[str]:
    columns = [str(one) for one in across]
    counts = Counter((str(a), str(b)) for a, b in pairs)
    lines = [f"| {name} | {' | '.join(columns)} | all |\n", f"|---|{'--:|' * (len(columns) + 1)}\n"]
    for row in map(str, rows):
        cells = [counts[row, column] for column in columns]
        lines.append(f"| {row} | {' | '.join(map(str, cells))} | {sum(cells)} |\n")
    return lines
