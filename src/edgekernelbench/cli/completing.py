"""What a shell asks when somebody presses Tab, and the script that makes it ask."""

import importlib
import os

from typer.completion import get_completion_inspect_parameters
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from edgekernelbench.cli.main import ASKED, COMMANDS, module_of
from edgekernelbench.cli.status import Status

WORDS = ("COMP_WORDS", "_TYPER_COMPLETE_ARGS")
"""Environment variables in which shells give the line so far."""


def answer_shell() -> int:
    """Answer the shell: print what the word at the cursor may become.

    Returns:
        The exit status; the words are on standard output, one a line or as the shell wants them.
    """
    get_completion_inspect_parameters()  # it registers typer's shells, which click does not know
    typed = " ".join(os.environ.get(name, "") for name in WORDS).split()
    # Only the command that is being written is loaded: all of them take a second or two.
    commands = [
        get_command(importlib.import_module(module_of(name)).app)
        if name in typed[1:]
        else TyperCommand(name=name, help=about)
        for name, about in COMMANDS.items()
    ]
    named = dict(zip(COMMANDS, commands, strict=True))
    try:
        TyperGroup(name="ekb", commands=named).main(args=[], prog_name="ekb", complete_var=ASKED)
    except SystemExit as ended:
        return ended.code if isinstance(ended.code, int) else Status.YES
    return Status.YES
