"""The command `ekb`: its commands, and how a process of it begins.

Nothing but the standard library is imported before `main` begins: Ctrl-C is then answered from the start.
"""

import importlib
import keyword
import os
import signal
import sys
from types import FrameType

INTERRUPTED = 130
"""What a command ends with after Ctrl-C: 128 and the number of the signal."""

PLAIN = "EKB_PLAIN"
"""What `--plain` sets, for `bench.progress`; it can be set in the environment as well."""

ASKED = "_EKB_COMPLETE"
"""What a shell sets when it asks how a word may go on, see `cli.completing`."""

COMMANDS = {
    "check": "Is a kernel text legal on a target? What will it cost?",
    "lower": "Show what becomes of a text: nest, TIR, LLVM IR, assembly, C.",
    "judge": "Is a kernel correct for a workload, and how fast?",
    "explain": "Say what a refusal such as C14 means, with an example.",
    "run": "Let a model or an agent write kernels for a suite; judge them all.",
    "resume": "Go on with a run that was interrupted.",
    "report": "Show the scores of one or more runs.",
    "show": "Walk through what an agent did, step by step.",
    "compare": "Is one agent better than another, or is it chance?",
    "reproduce": "Are records as they were written; is the answer the same again?",
    "catalogue": "List, show and check patterns and workloads.",
    "baseline": "Tune references with TVM's MetaSchedule; show what came of it.",
    "import": "Take a model apart into workloads: ONNX, PyTorch, problem files.",
    "profile": "Where do time and memory of a model go? What could be gained?",
    "release": "Show, verify and freeze what scores rest on.",
    "optimise": "Make the kernels of a model faster; prove it is still the model.",
    "export": "Write a kernel as files that a program can be linked with.",
    "verify": "Does an exported kernel compute what its text says?",
    "mcp": "Let an agent of yours work on one task, through MCP.",
    "device": "List devices; serve a board, keep the queue of boards.",
    "model": "List, fetch and serve language models.",
    "batch": "Write prompts to files, read answers back.",
    "peaks": "Measure what a device reaches, for the judge to compare with.",
    "completion": "Print the script that lets a shell complete what you type.",
    "doctor": "Say what this machine has, what is missing, and what brings it.",
}
"""Each is a module of this package, loaded when it is asked for: some need half a second of imports."""


def module_of(command: str) -> str:
    """Give the full name of a command's module; words of Python have an underscore behind them there."""
    return f"{__package__}.{command}{'_' if keyword.iskeyword(command) else ''}"


ABOUT = """\
Usage: ekb COMMAND [OPTIONS] [ARGUMENTS]

Measure and improve compute kernels that language models write for edge
devices.

Commands:
{commands}

`ekb COMMAND --help` says more; `ekb --version` prints the version.
`ekb --plain COMMAND` shows progress as lines of text, without a bar or colours.

Results go to standard output, progress to standard error; --json gives the
record. The exit status is 0 for yes, 1 for no, 2 for a wrong command line,
3 when something is missing, 70 for a bug of ours.
"""


def main(arguments: list[str] | None = None) -> None:
    """Run one command line and exit.

    Args:
        arguments: The words after `ekb`; None takes those of this process.
    """
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, leave)
    sys.exit(run(sys.argv[1:] if arguments is None else arguments))


def run(arguments: list[str]) -> int:
    """Run one command line.

    Args:
        arguments: The words after `ekb`.

    Returns:
        The exit status.
    """
    status: int = importlib.import_module(f"{__package__}.dispatch").run(arguments)
    return status


def leave(number: int, frame: FrameType | None) -> None:
    """Answer Ctrl-C while modules are loaded: nothing has begun, and there is nothing to put away.

    An exception would come out of the middle of somebody's import, as a traceback or as another error.
    """
    os.write(2, b"interrupted\n")
    os._exit(INTERRUPTED)
