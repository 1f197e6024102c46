"""A report for people, and as JSON."""

from edgekernelbench.analysis.estimate import Estimate, Root
from edgekernelbench.analysis.inspection import Inspection
from edgekernelbench.analysis.report import Bottleneck, Finding, StaticReport

WORDS = {
    Bottleneck.ARITHMETIC: "arithmetic",
    Bottleneck.BANDWIDTH: "bytes from and to memory",
    Bottleneck.OVERHEAD: "overhead: the call itself counts",
}
"""What the class of a bound is called."""


SHOWN = 3
"""Nests that are shown with their working sets, the costliest."""


def render_report(report: StaticReport) -> tuple[str, ...]:
    """Write the findings, the costliest first: one a paragraph, its directive and its share with it.

    Args:
        report: The report.

    Returns:
        Lines; one that says so when nothing was found.
    """
    if not report.findings:
        return ("nothing stands out: what is left is measuring tiles, and another algorithm",)
    first, *others = report.findings
    lines = [f"bottleneck: {_line(first)}", *_directive(first)]
    for one in others:
        lines += [f"then: {_line(one)}", *_directive(one)]
    return tuple(lines)


def _line(one: Finding) -> str:
    return f"{one.message} ({one.layer}, about {one.share:.0%})"


def _directive(one: Finding) -> list[str]:
    return [f"  {one.directive}"] if one.directive else []


def render_inspection(found: Inspection) -> tuple[str, ...]:
    """Write the roofline, the estimate of each nest with its working sets, and the findings."""
    whole, report = found.estimate, found.report
    known = report.bound_ns
    bound = f"{whole.bound:,.0f} cycles" if known is None else f"{known / 1e3:,.1f} µs"
    lines = [
        f"bound of this variant: {WORDS[report.bound_class]}; {report.flops:,} operations, "
        f"{report.bytes_moved:,} bytes once, {report.intensity:.2f} operations a byte",
        f"roofline: {bound}, {whole.bound / whole.cycles:.0%} of the estimate of {whole.cycles:,.0f} cycles",
        "",
    ]
    ranked = sorted(range(len(whole.roots)), key=lambda place: -whole.roots[place].cycles)
    for place in sorted(ranked[:SHOWN]):
        lines += [*_nest(whole.roots[place], whole), ""]
    return (*lines, *render_report(report))


def _nest(root: Root, whole: Estimate) -> list[str]:
    site, price = root.sites[root.heaviest], root.prices[root.heaviest]
    share = f"{root.cycles / whole.cycles:.0%}"
    if root.machine.is_gpu:
        return [f"nest of {site.stage}: {share} of the estimate"]
    kind = "arithmetic" if root.core >= root.memory else "bytes"
    lines = [
        f"nest of {site.stage}: {share} of the estimate, by {kind}; {price.speedup:.1f} of "
        f"{root.machine.units} cores at work",
        f"  a tile: {price.vectors} vectors or numbers, {price.arithmetic:.1f} cycles of arithmetic, "
        f"{price.loads:.1f} loads and stores",
    ]
    for level in root.levels:
        where = f"a turn of {level.loop}" if level.loop else "the whole nest"
        largest = ", ".join(f"{name} {size:,}" for name, size in level.buffers[:3])
        lines.append(f"  {where}: {level.bytes:,} B, {_cache(level.bytes, root)} ({largest})")
    return lines


def _cache(size: int, root: Root) -> str:
    for number, cache in enumerate(root.machine.profile.cache_bytes, 1):
        if size <= cache:
            return f"fits cache {number} of {cache:,} B"
    return "fits no cache"


def report_as_json(report: StaticReport) -> dict[str, object]:
    """Give a report as plain values."""
    return {
        "operations": report.flops,
        "bytes_moved": report.bytes_moved,
        "intensity": round(report.intensity, 4),
        "bound_ns": report.bound_ns,
        "bound_class": str(report.bound_class),
        "findings": [
            {
                "layer": str(one.layer),
                "bottleneck": str(one.bottleneck),
                "message": one.message,
                "directive": one.directive or None,
                "share": round(one.share, 4),
            }
            for one in report.findings
        ],
    }


def inspection_as_json(found: Inspection) -> dict[str, object]:
    """Give a report with its estimate as plain values."""
    whole = found.estimate
    return {
        **report_as_json(found.report),
        "estimate_cycles": round(whole.cycles),
        "bound_cycles": round(whole.bound),
        "nests": [
            {
                "stage": root.sites[root.heaviest].stage,
                "cycles": round(root.cycles),
                "arithmetic_cycles": round(root.core),
                "memory_cycles": round(root.memory),
                "cores": round(root.prices[root.heaviest].speedup, 2),
                "levels": [
                    {"loop": level.loop or None, "runs": level.runs, "bytes": level.bytes}
                    for level in root.levels
                ],
            }
            for root in whole.roots
        ],
    }
