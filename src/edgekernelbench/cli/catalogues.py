"""Which catalogue a command works on: ours, or one of the user's own."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.workloads.catalogue import Catalogue, load_catalogue

Folder = Annotated[
    str | None, typer.Option("--in", help="A catalogue of your own.", metavar="DIR", show_default="ours")
]


def find_catalogue(folder: str | None) -> Catalogue:
    """Load a catalogue.

    Args:
        folder: Its folder; None for the one that comes with the package.

    Raises:
        CatalogueError: When there is none, or a file in it is wrong.
    """
    if folder is None:
        return load_catalogue()
    if not Path(folder).is_dir():
        raise CatalogueError(f"no folder {folder}; `ekb catalogue new {folder} FAMILY/NAME` makes one")
    return load_catalogue(Path(folder).resolve())
