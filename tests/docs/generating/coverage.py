"""`pictures/coverage-*.svg`: what the catalogue covers, drawn from the catalogue.

Colours are those of Okabe and Ito, which people with any kind of colour vision tell apart, and shapes say the
same again; numbers stand in the cells. Texts stay texts, so that pages can be searched.
"""

import io
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import matplotlib as mpl
from matplotlib.figure import Figure

from edgekernelbench.cli.shown_workload import counts_of
from edgekernelbench.ir.dtype import DType
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.workloads.catalogue import load_catalogue
from edgekernelbench.workloads.schema import Domain, Level, Workload
from edgekernelbench.workloads.stream import Stream

CLASSES = {
    "f32": (DType.F32, DType.F64),
    "f16, bf16": (DType.F16, DType.BF16),
    "8 bits": (DType.I8, DType.U8),
    "4 bits": (DType.I4, DType.U4),
    "16 bits and more": (DType.I16, DType.U16, DType.I32, DType.U32, DType.I64),
}
"""Element types in five groups: the main one of a workload."""

MARKS = {
    Level.OPERATOR: ("#0072B2", "o"),
    Level.FUSED: ("#E69F00", "s"),
    Level.GRAPH: ("#009E73", "^"),
}
"""Colour and shape of a level."""

SETTINGS: dict[Any, Any] = {
    "svg.hashsalt": "coverage",
    "svg.fonttype": "none",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans", "Verdana", "sans-serif"],
    "font.size": 9.0,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
WIDTH = 10.0
"""Inches; a page shows it at about a hundred pixels each."""


def types_picture() -> str:
    """Draw how many workloads each domain has of each type, level by level."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, 4.6), layout="constrained")
        panels = figure.subplots(1, len(Level), sharey=True)
        found = Counter((w.level, w.domain, _class(w)) for w in load_catalogue().workloads)
        most = max(found.values())
        for axes, level in zip(panels, Level, strict=True):
            cells = [[found[level, domain, kind] for kind in CLASSES] for domain in Domain]
            axes.imshow(cells, cmap="Blues", vmin=0, vmax=most, aspect="auto")
            axes.set_title(f"{level}, {sum(map(sum, cells))} workloads")
            axes.set_xticks(range(len(CLASSES)), list(CLASSES), rotation=35, ha="right")
            axes.set_yticks(range(len(Domain)), [str(domain) for domain in Domain])
            axes.tick_params(length=0)
            for row, counts in enumerate(cells):
                for column, count in enumerate(counts):
                    dark = count > most / 2
                    text = str(count) if count else "\N{MIDDLE DOT}"
                    axes.text(column, row, text, ha="center", va="center", color="white" if dark else "black")
        return _svg(figure)


def intensity_picture() -> str:
    """Draw operations a byte of every workload, domain by domain, a panel for each group of types."""
    with mpl.rc_context(SETTINGS):
        figure = Figure(figsize=(WIDTH, 7.0), layout="constrained")
        panels = figure.subplots(1, len(CLASSES), sharey=True, sharex=True)
        for axes, kind in zip(panels, CLASSES, strict=True):
            members = [(w, a) for w, a in _intensities() if _class(w) == kind]
            _scatter(axes, members)
            axes.set_title(f"{kind}, {len(members)}")
        panels[0].set_yticks(range(len(Domain)), [str(domain) for domain in Domain])
        panels[0].invert_yaxis()
        figure.supxlabel("operations a byte of parameters and outputs")
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="outside upper center", ncols=len(Level), frameon=False)
        return _svg(figure)


def _scatter(axes: Any, members: Sequence[tuple[Workload, float]]) -> None:
    places = list(Domain)
    for level, (colour, shape) in MARKS.items():
        chosen = [(w, a) for w, a in members if w.level is level]
        x = [a for _, a in chosen]
        y = [places.index(w.domain) + 0.6 * (float(Stream("place", w.id).unit(())) - 0.5) for w, _ in chosen]
        axes.scatter(x, y, s=16, c=colour, marker=shape, alpha=0.75, linewidths=0.0, label=str(level))
    axes.set_xscale("log")
    axes.grid(axis="x", color="#dddddd", linewidth=0.6)
    axes.set_axisbelow(True)
    for line in range(1, len(places)):
        axes.axhline(line - 0.5, color="#eeeeee", linewidth=0.8, zorder=0)
    axes.tick_params(axis="y", length=0)


@cache
def _intensities() -> tuple[tuple[Workload, float], ...]:
    profile = load_profile("llvm")
    return tuple((w, max(0.05, counts_of(w, profile).intensity)) for w in load_catalogue().workloads)


def _class(workload: Workload) -> str:
    return next(name for name, types in CLASSES.items() if workload.dtype in types)


def _svg(figure: Figure) -> str:
    written = io.StringIO()
    figure.savefig(written, format="svg", metadata={"Date": None, "Creator": None})
    lines = written.getvalue().split("\n")
    return "\n".join(line.rstrip() for line in lines).strip("\n") + "\n"
