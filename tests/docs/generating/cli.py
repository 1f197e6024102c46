"""`reference/cli.md`: what `--help` says, of every command."""

import contextlib
import importlib
import io
from collections.abc import Iterator

from typer.main import get_command

from edgekernelbench.cli.main import COMMANDS, module_of, run

HEAD = """\
# The command line

<!-- Made by tests/docs/test_generated.py from --help: run `make golden` after a change. -->

`ekb` has one word for each job. Results go to standard output, progress to standard error.
With `--json` they are records instead of text for people.
On a terminal sentences are broken at its width; in a pipe or a file each stays on one line.
Progress is a bar on a terminal and lines elsewhere; `ekb --plain COMMAND`, or `EKB_PLAIN=1`, asks for lines
everywhere, and `NO_COLOR` for no colours.
For the Tab key, put `eval "$(ekb completion bash)"` into `.bashrc`; [other shells](#ekb-completion) can too.

| exit status | means |
|---|---|
| 0 | yes: accepted, correct, complete |
| 1 | no: refused, not correct, or attempts that are not judged |
| 2 | the command line, a name or a file is wrong |
| 3 | something is missing on this machine; the message says what brings it |
| 70 | a bug of ours |
| 130 | interrupted with Ctrl-C; a run can be resumed |
"""


def cli_page() -> str:
    """Write the page; the terminal must be 80 columns wide."""
    parts = [HEAD, f"\n```text\n{_help(())}```\n"]
    for words in _commands():
        level = "#" * (len(words) + 1)
        parts.append(f"\n{level} ekb {' '.join(words)}\n\n```text\n{_help(words)}```\n")
    return "".join(parts)


def _commands() -> Iterator[tuple[str, ...]]:
    for name in COMMANDS:
        yield (name,)
        command = get_command(importlib.import_module(module_of(name)).app)
        for inner in getattr(command, "commands", {}):
            yield name, inner


def _help(words: tuple[str, ...]) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        run([*words, "--help"])
    lines = [line.rstrip() for line in printed.getvalue().strip("\n").split("\n")]
    return "\n".join(lines) + "\n"
