"""`ekb explain`: what a refusal means."""

from typing import Annotated

import typer

from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, reading_width
from edgekernelbench.cli.pages import all_codes, find_page, page_as_lines
from edgekernelbench.cli.status import Status

app = command_app()


@app.command()
def explain(
    code: Annotated[
        str | None,
        typer.Argument(
            help="A code such as C14; without one, all are listed.", metavar="CODE", show_default=False
        ),
    ] = None,
    *,
    as_json: Json = False,
) -> int:
    """Say what the code of a refusal means, with a text that has it and one that has not."""
    if code is None:
        if as_json:
            print_json(dict(all_codes()))
        else:
            print_lines((f"{name}  {meaning}" for name, meaning in all_codes().items()), fold=True)
        return Status.YES
    page = find_page(code)
    if as_json:
        print_json(
            {
                "code": page.code,
                "meaning": page.meaning,
                "text": page.text,
                "wrong": page.wrong,
                "right": page.right,
            }
        )
    else:
        print_lines(page_as_lines(page, reading_width()))
    return Status.YES
