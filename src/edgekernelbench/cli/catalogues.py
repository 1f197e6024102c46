"""Which catalogue a command works on: ours, or another."""

from typing import Annotated

import typer

from edgekernelbench.workloads.catalogue import find_catalogue
from edgekernelbench.workloads.held_out import hold_out
from edgekernelbench.workloads.schema import Workload

Folder = Annotated[
    str | None,
    typer.Option(
        "--in",
        help="A catalogue of your own, or of a package by its name.",
        metavar="DIR",
        show_default="ours",
    ),
]

HeldOut = Annotated[
    int | None,
    typer.Option(
        "--held-out",
        help="Redraw sizes, constants and names by this seed.",
        metavar="SEED",
        min=0,
        max=10**9 - 1,
        show_default=False,
    ),
]


def find_workload(name: str, folder: str | None, held_out: int | None) -> Workload:
    """Find a workload, as it is or redrawn.

    Args:
        name: Its id.
        folder: The folder of a catalogue; None for ours.
        held_out: The seed; None for the row as it is.

    Raises:
        CatalogueError: When there is none, or its pattern's bounds are wrong.
    """
    found = find_catalogue(folder).workload(name)
    return found if held_out is None else hold_out(found, held_out)
