"""The command `ekb`: its commands, and what happens when one of them fails."""

import importlib
import os
import sys
from importlib.metadata import version

import typer
from typer.main import get_command

from edgekernelbench.base.errors import EkbError, SourceError
from edgekernelbench.base.names import nearest
from edgekernelbench.cli.output import print_lines
from edgekernelbench.cli.status import Status, report_bug, status_of

COMMANDS = {
    "check": "Is a kernel text legal on a target? What will it cost?",
    "lower": "Show what becomes of a text: nest, TIR, LLVM IR, assembly, C.",
    "judge": "Is a kernel correct for a workload, and how fast?",
    "explain": "Say what a refusal such as C14 means, with an example.",
    "run": "Let a model or an agent write kernels for a suite; judge them all.",
    "resume": "Go on with a run that was interrupted.",
    "report": "Show the scores of one or more runs.",
    "show": "Walk through what an agent did, step by step.",
    "catalogue": "List, show and check patterns and workloads.",
    "model": "List, fetch and serve language models.",
    "batch": "Write prompts to files, read answers back.",
    "doctor": "Say what this machine has, what is missing, and what brings it.",
}
"""Each is a module of this package, loaded when it is asked for: some need half a second of imports."""


ABOUT = """\
Usage: ekb COMMAND [OPTIONS] [ARGUMENTS]

Measure and improve compute kernels that language models write for edge
devices.

Commands:
{commands}

`ekb COMMAND --help` says more; `ekb --version` prints the version.

Results go to standard output, progress to standard error; --json gives the
record. The exit status is 0 for yes, 1 for no, 2 for a wrong command line,
3 when something is missing, 70 for a bug of ours.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run one command line and exit.

    Args:
        arguments: The words after `ekb`; None takes those of this process.
    """
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run one command line.

    Args:
        arguments: The words after `ekb`.

    Returns:
        The exit status.
    """
    try:
        return _dispatch(arguments)
    except typer.TyperException as error:
        message = error.format_message()
        sys.stderr.write(message if message.startswith("Usage:") else f"ekb: {message}")
        sys.stderr.write("\n")
        return Status.USAGE
    except (KeyboardInterrupt, typer.Abort):
        sys.stderr.write("interrupted\n")
        return Status.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough, such as `head`. Standard output is closed here, where that
        # cannot fail any more, instead of at the end of the process, where it would.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Status.YES
    except EkbError as error:
        return _refuse(error)
    except OSError as error:
        sys.stderr.write(f"ekb: {error}\n")
        return Status.MISSING
    except Exception as error:
        # The top of the program: whatever comes here is a bug of ours.
        report_bug(error)
        return Status.BUG


def _dispatch(arguments: list[str]) -> int:
    """Find the command and give it the rest of the words."""
    name, rest = (arguments[0], arguments[1:]) if arguments else ("--help", [])
    if name in ("-h", "--help", "help"):
        sys.stdout.write(
            ABOUT.format(commands="\n".join(f"  {n:<10} {about}" for n, about in COMMANDS.items()))
        )
        return Status.YES if arguments else Status.USAGE
    if name in ("-V", "--version"):
        sys.stdout.write(f"ekb {version('edgekernelbench')}\n")
        return Status.YES
    if name not in COMMANDS:
        close = nearest(name, COMMANDS)
        guess = f"did you mean {close!r}?" if close else f"there are {', '.join(COMMANDS)}"
        sys.stderr.write(f"ekb: no command {name!r}; {guess}\n")
        return Status.USAGE
    command = get_command(importlib.import_module(f"{__package__}.{name}").app)
    result = command.main(args=rest, prog_name=f"ekb {name}", standalone_mode=False)
    sys.stdout.flush()
    if result == Status.INTERRUPTED and not isinstance(result, Status):
        raise KeyboardInterrupt  # the library took it, and said nothing
    return result if isinstance(result, int) else Status.YES


def _refuse(error: EkbError) -> int:
    status = status_of(error)
    if status is Status.BUG:
        report_bug(error)
    elif isinstance(error, SourceError):
        print_lines(str(error).split("\n"))
    else:
        sys.stderr.write(f"ekb: {error}\n")
    return status
