"""Exit statuses, and what every exception of ours comes to."""

import sys
import traceback
from enum import IntEnum

from edgekernelbench.base.errors import (
    BudgetExceeded,
    CatalogueError,
    EkbError,
    ModelError,
    PrerequisiteError,
    RecordError,
    SourceError,
)
from edgekernelbench.evaluator.supervisor import ServerLost


class Status(IntEnum):
    """What a command ends with."""

    YES = 0
    NO = 1
    USAGE = 2
    MISSING = 3
    BUG = 70
    INTERRUPTED = 130


def status_of(error: EkbError) -> Status:
    """Say what an exception comes to.

    Args:
        error: What a command raised.

    Returns:
        NO when the text of a kernel is wrong or a limit was reached; USAGE when a name or a file given
        is wrong; MISSING when this machine lacks something; BUG for the rest.
    """
    match error:
        case SourceError() | BudgetExceeded():
            return Status.NO
        case CatalogueError() | RecordError():
            return Status.USAGE
        case PrerequisiteError() | ModelError() | ServerLost():
            return Status.MISSING
        case _:
            return Status.BUG


def report_bug(error: BaseException) -> None:
    """Print what a bug report needs."""
    traceback.print_exception(error)
    sys.stderr.write("this is a bug of ekb; please report it with the lines above and `ekb doctor --json`\n")
