"""`ekb verify`: does an exported kernel compute what its text says?"""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.status import Status
from edgekernelbench.deploy.verifying import verify_export

app = command_app()


@app.command()
def verify(
    folder: Annotated[
        str, typer.Argument(help="What `ekb export` wrote.", metavar="DIR", show_default=False)
    ],
    *,
    cc: Annotated[
        str | None, typer.Option("--cc", help="The C compiler.", metavar="NAME", show_default="the system's")
    ] = None,
    flag: Annotated[
        list[str] | None, typer.Option("--flag", help="One more option for it; may be repeated.")
    ] = None,
    run_with: Annotated[
        str, typer.Option("--run-with", help="What runs the program, such as an emulator.", metavar="COMMAND")
    ] = "",
    as_json: Json = False,
) -> int:
    """Build what was exported, run it, and hold its outputs against the interpreter.

    The status is 0 when everything agrees, 1 when something does not.
    """
    found = verify_export(Path(folder), compiler=cc, flags=flag or (), runner=run_with)
    if as_json:
        print_json(
            {
                "agrees": not found.flaws,
                "flaws": list(found.flaws),
                "said": found.said,
                "against": found.against,
            }
        )
    else:
        lines = found.flaws or (f"the outputs are those of {found.against}",)
        print_lines([*lines, *([found.said] if found.said else [])])
    return Status.NO if found.flaws else Status.YES
