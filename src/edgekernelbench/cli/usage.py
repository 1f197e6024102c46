"""What a nest costs, for people and as JSON."""

from dataclasses import asdict

from edgekernelbench.compiler.cost import Report, report_nest
from edgekernelbench.nest.footprint import launches
from edgekernelbench.nest.tree import Nest
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.reports.text import columns


def cost_as_json(nest: Nest, profile: Profile) -> dict[str, object]:
    """Give what a nest costs as plain values."""
    report = report_nest(nest, profile)
    return {
        "kernel": nest.name,
        "target": nest.target,
        "profile": profile.name,
        "stages": [
            {
                "stage": u.stage,
                "elements": u.elements,
                "computed": u.computed,
                "recompute": round(u.recompute, 4),
                "loops": list(u.loops),
                "buffer": u.buffer or None,
            }
            for u in nest.usage
        ],
        "launches": [
            {"loop": one.loop.var, "blocks": one.blocks, "threads": one.threads}
            for one in launches(nest.body)
        ],
        "workspace_bytes": dict(report.workspace),
        "prepared_bytes": report.prepared_bytes,
        "input_bytes": report.input_bytes,
        "output_bytes": report.output_bytes,
        "vector_lanes": report.vector_lanes,
        "parallel_extent": report.parallel_extent,
        "operations": asdict(report.count),
        "advice": list(nest.advice),
    }


def headline(nest: Nest, profile: Profile) -> str:
    """Say that a nest was accepted, and where."""
    return f"{nest.name}: accepted for {nest.target} ({profile.title})"


def cost_as_lines(nest: Nest, profile: Profile) -> list[str]:
    """Write what a nest costs, a line an entry."""
    rows = [["stage", "elements", "computed", "stored in", "loops"]]
    for u in nest.usage:
        times = "once" if u.computed == u.elements else f"{u.recompute:.2f} times"
        times = times if u.computed else "ahead of time"
        rows.append([u.stage, f"{u.elements:,}", times, u.buffer or "nothing", ", ".join(u.loops)])
    lines = [*columns(rows, right=frozenset({1})), "", *_totals(report_nest(nest, profile), nest.target)]
    for one in launches(nest.body):
        blocks, threads = (" x ".join(map(str, dims)) for dims in (one.blocks, one.threads))
        lines.append(f"launch of {one.loop.var}: blocks {blocks}, threads {threads}")
    return [*lines, *(f"advice: {sentence}" for sentence in nest.advice)]


def _totals(report: Report, target: str) -> list[str]:
    count = report.count
    held = [f"{size:,} B {scope}" for scope, size in report.workspace.items() if size]
    vectors = f"{100 * report.vector_share:.0f} % in vectors of up to {report.vector_lanes}"
    moved = f"{report.input_bytes:,} read, {report.output_bytes:,} written"
    lines = [
        f"operations: {count.flops + count.integer_ops:,}"
        + (f", {vectors}" if report.vector_lanes > 1 else ""),
        f"bytes: {moved}; {report.intensity:.2f} operations a byte",
    ]
    if target == "llvm":
        lines.append(f"iterations in parallel: {report.parallel_extent:,}")
    lines.append(f"workspace: {', '.join(held) or 'none'}")
    if report.prepared_bytes:
        lines.append(f"prepared ahead of time: {report.prepared_bytes:,} B")
    return lines
