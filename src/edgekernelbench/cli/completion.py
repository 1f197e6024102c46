"""`ekb completion`: the Tab key in a shell."""

import os
from enum import StrEnum
from typing import Annotated

import typer

from edgekernelbench.cli.completing import answer_shell
from edgekernelbench.cli.main import ASKED
from edgekernelbench.cli.options import command_app

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
    os.environ[ASKED] = f"source_{shell}"
    try:
        return answer_shell()
    finally:
        del os.environ[ASKED]
