"""A text that is refused: how a command answers."""

from collections.abc import Sequence

from edgekernelbench.base.diagnostics import Diagnostic
from edgekernelbench.cli.files import shown
from edgekernelbench.cli.output import diagnostics_as_json, print_json, print_lines
from edgekernelbench.cli.status import Status


def refuse(diagnostics: Sequence[Diagnostic], source: str, file: str, *, as_json: bool) -> int:
    """Print why a text is refused.

    Args:
        diagnostics: What is wrong.
        source: The text, its line ends normalised.
        file: Where it came from, as on the command line.
        as_json: Whether to print JSON.

    Returns:
        NO.
    """
    if as_json:
        print_json({"accepted": False, "diagnostics": diagnostics_as_json(diagnostics)})
    else:
        print_lines(d.render(source, shown(file)) for d in diagnostics)
    return Status.NO
