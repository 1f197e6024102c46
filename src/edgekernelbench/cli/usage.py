"""What a nest costs, for people and as JSON."""

from collections import Counter
from collections.abc import Mapping

from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Buffer, Nest, workspace
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.reports.text import columns

BITS_PER_BYTE = 8


def bytes_of(buffer: Buffer) -> int:
    """Give the size of a buffer in bytes, copies included."""
    elements = buffer.copies
    for size in buffer.shape:
        elements *= size
    bits = BITS_PER_BYTE if buffer.dtype is DType.BOOL else buffer.dtype.bits
    return -(-elements * bits // BITS_PER_BYTE)


def workspace_by_scope(nest: Nest) -> Mapping[str, int]:
    """Add up what a run allocates in each scope, without regard to what can overlap."""
    total: Counter[str] = Counter()
    for buffer in workspace(nest):
        total[buffer.scope] += bytes_of(buffer)
    return dict(sorted(total.items()))


def cost_as_json(nest: Nest, profile: Profile) -> dict[str, object]:
    """Give what a nest costs as plain values."""
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
        "workspace_bytes": dict(workspace_by_scope(nest)),
        "prepared_bytes": sum(bytes_of(b) for b in nest.prepared),
        "advice": list(nest.advice),
    }


def cost_as_lines(nest: Nest, profile: Profile) -> list[str]:
    """Write what a nest costs, a line an entry."""
    rows = [["stage", "elements", "computed", "stored in", "loops"]]
    for u in nest.usage:
        times = "once" if u.computed == u.elements else f"{u.recompute:.2f} times"
        rows.append([u.stage, f"{u.elements:,}", times, u.buffer or "nothing", ", ".join(u.loops)])
    lines = [f"{nest.name}: accepted for {nest.target} ({profile.title})", ""]
    lines += columns(rows, right=frozenset({1}))
    held = [f"{size:,} B {scope}" for scope, size in workspace_by_scope(nest).items()]
    prepared = sum(bytes_of(b) for b in nest.prepared)
    lines += ["", f"workspace: {', '.join(held) or 'none'}"]
    if prepared:
        lines.append(f"prepared ahead of time: {prepared:,} B")
    lines += [f"advice: {sentence}" for sentence in nest.advice]
    return lines
