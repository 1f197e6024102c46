"""Which catalogue a command works on: ours, or another."""

from typing import Annotated

import typer

Folder = Annotated[
    str | None,
    typer.Option(
        "--in",
        help="A catalogue of your own, or of a package by its name.",
        metavar="DIR",
        show_default="ours",
    ),
]
