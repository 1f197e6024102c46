"""`ekb completion`: the Tab key in a shell."""

from enum import StrEnum
from typing import Annotated

import typer
from typer.completion import get_completion_script

from edgekernelbench.cli.main import ASKED
from edgekernelbench.cli.options import command_app
from edgekernelbench.cli.output import print_lines
from edgekernelbench.cli.status import Status

app = command_app()


class Shell(StrEnum):
    """A shell that can ask."""

    BASH = "bash"
    ZSH = "zsh"
    FISH = "fish"
    POWERSHELL = "powershell"


@app.command()
def completion(
    shell: Annotated[Shell, typer.Argument(help="bash, zsh, fish or powershell.", metavar="SHELL")],
) -> int:
    """Print the script that lets a shell complete commands, options, workloads, suites and devices.

    For bash, put `eval "$(ekb completion bash)"` into .bashrc; for zsh the same into .zshrc, after compinit.
    For fish: `ekb completion fish > ~/.config/fish/completions/ekb.fish`.
    """
    script = get_completion_script(prog_name="ekb", complete_var=ASKED, shell=str(shell))
    print_lines(script.split("\n"))
    return Status.YES
