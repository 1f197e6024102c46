"""Finding the command that a line asks for, and what happens when it fails."""

import importlib
import os
import signal
import sys
from importlib.metadata import version

import typer
from typer.main import get_command

from edgekernelbench.base.errors import EkbError, SourceError
from edgekernelbench.base.names import nearest
from edgekernelbench.cli.main import ABOUT, ASKED, COMMANDS, PLAIN, leave, module_of
from edgekernelbench.cli.output import print_lines, say
from edgekernelbench.cli.status import Status, report_bug, status_of


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
        say(_usage_text(error.format_message(), arguments))
        return Status.USAGE
    except (KeyboardInterrupt, typer.Abort):
        say("interrupted")
        return Status.INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has had enough, such as `head`. Standard output is closed here, where that
        # cannot fail any more, instead of at the end of the process, where it would.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return Status.YES
    except EkbError as error:
        return _refuse(error)
    except OSError as error:
        say(f"ekb: {error}")
        return Status.MISSING
    except Exception as error:
        # The top of the program: whatever comes here is a bug of ours.
        report_bug(error)
        return Status.BUG


def _usage_text(message: str, arguments: list[str]) -> str:
    """Say what is wrong with a command line as our own messages are: lower case, no full stop, what to do."""
    if message.startswith("Usage:"):
        return message
    # The library lists choices a line each, and says where in itself a value was refused.
    message = " ".join(message.replace("Value error, ", "").split())
    name = next((word for word in arguments if word in COMMANDS), "COMMAND")
    return f"ekb: {message[:1].lower()}{message[1:].rstrip('.')}; `ekb {name} --help` shows the options"


def _dispatch(arguments: list[str]) -> int:
    """Find the command and give it the rest of the words."""
    if arguments[:1] == ["--plain"]:
        os.environ[PLAIN] = "1"
        return _dispatch(arguments[1:])
    if ASKED in os.environ:
        answer: int = importlib.import_module(f"{__package__}.completing").answer_shell()
        return answer
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
        say(f"ekb: no command {name!r}; {guess}")
        return Status.USAGE
    command = get_command(importlib.import_module(module_of(name)).app)
    if signal.getsignal(signal.SIGINT) is leave:
        # From here on there may be something to put away.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        result = command.main(args=rest, prog_name=f"ekb {name}", standalone_mode=False)
    except SystemExit as left:
        if isinstance(left.__context__, BrokenPipeError):
            raise left.__context__ from None  # the library ends with 1 then, which is our no
        raise
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
        say(f"ekb: {error}")
    return status
