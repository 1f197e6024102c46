"""Costs beside speed, for the terminal and as JSON."""

from collections.abc import Mapping
from dataclasses import asdict

from edgekernelbench.reports.costs import Costs, VendorSpeed
from edgekernelbench.reports.text import bytes_text, columns, duration_text, wrapped

HEADS = ("median of the correct", "workspace", "reference's", "code", "compile", "beside vendor")


def cost_lines(costs: Mapping[str, Costs], vendors: Mapping[str, VendorSpeed]) -> list[str]:
    """Write what correct kernels cost, a line an agent, and which libraries the vendor was.

    Args:
        costs: By agent.
        vendors: By agent; empty when the vendor was not timed.

    Returns:
        Lines of about 80 characters, an empty one last; none when nothing is known.
    """
    if not costs:
        return []
    width = len(HEADS) if vendors else len(HEADS) - 1
    cells = [list(HEADS[:width])]
    for agent, cost in costs.items():
        row = [
            f"{agent} ({cost.kernels})",
            bytes_text(cost.workspace_bytes),
            "–" if cost.reference_bytes is None else bytes_text(cost.reference_bytes),
            "–" if cost.code_bytes is None else bytes_text(cost.code_bytes),
            duration_text(cost.compile_ns),
        ]
        vendor = vendors.get(agent)
        cells.append([*row, "–" if vendor is None else f"{vendor.mean:.2f} times"][:width])
    lines = [*columns(cells, right=frozenset(range(1, width))), ""]
    for agent, vendor in vendors.items():
        lines += wrapped(f"{agent}: {_vendor_text(vendor)}")
    return lines


def _vendor_text(vendor: VendorSpeed) -> str:
    names = ", ".join(f"{name} {count}" for name, count in vendor.names.items())
    text = f"faster than the vendor on {vendor.faster} of {vendor.kernels} measured beside it ({names})"
    if vendor.loops:
        text += f"; {vendor.loops} of those are Python loops, which measure no library"
    return text


def costs_as_json(costs: Costs | None, vendor: VendorSpeed | None) -> dict[str, object]:
    """Give costs as plain values; None for what is not known."""
    return {
        "costs": None if costs is None else asdict(costs),
        "vendor": None if vendor is None else asdict(vendor),
    }
