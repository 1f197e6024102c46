"""Where an agent's program is, and which version it is."""

import tempfile
from pathlib import Path
from threading import Lock

from edgekernelbench.bench.visits.cell import Cell
from edgekernelbench.bench.visits.listening import Ear
from edgekernelbench.bench.visits.orders import Place, Work
from edgekernelbench.bench.visits.recipe import Recipe
from edgekernelbench.bench.visits.view import find_program

AGENTS = Path("~/.local/share/ekb/agents")
"""Where agents have environments of their own: their packages are not those of this product."""
PATIENCE_S = 60.0
MOST_CHARS = 200
NO_OTHER = "/usr/local/bin:/usr/bin:/bin"

_known: dict[tuple[Path, tuple[str, ...], bool], str] = {}
_asking = Lock()


def program_of(recipe: Recipe, word: str = "") -> Path:
    """Find the program of a recipe.

    Args:
        recipe: The agent.
        word: Its name; empty for the first word of the command.

    Raises:
        PrerequisiteError: When it is not here, with the command that brings it.
    """
    own = AGENTS.expanduser() / recipe.name / "bin"
    return find_program(word or recipe.command[0], recipe.install, (own,))


def program_version(recipe: Recipe, place: Place) -> str:
    """Ask an agent for its version, once in a process.

    Args:
        recipe: The agent.
        place: Where it works: it is not trusted more with this than with a task.

    Returns:
        The first line that it says; empty when it says nothing.

    Raises:
        CannotConfine: When this machine does not allow the place.
    """
    if not recipe.version:
        return ""
    word, *rest = recipe.version
    program = program_of(recipe, word)
    asked = program, tuple(rest), place.confined
    with _asking:
        if asked not in _known:
            _known[asked] = _said(program, tuple(rest), place)
        return _known[asked]


def _said(program: Path, words: tuple[str, ...], place: Place) -> str:
    with (
        tempfile.TemporaryDirectory(prefix="ekb-", ignore_cleanup_errors=True) as folder,
        Cell(place) as cell,
    ):
        home = next(iter(place.rooms), folder)
        environment = {
            "PATH": f"{program.parent}:{NO_OTHER}",
            "HOME": home,
            "LANG": "C.UTF-8",
            "NO_COLOR": "1",
        }
        cell.start(Work((str(program), *words), environment, home))
        ears = [Ear(stream) for stream in cell.output]
        if not cell.wait(PATIENCE_S):
            cell.end()
        lines = (line.strip() for line in ears[0].text().splitlines())
        return next((line[:MOST_CHARS] for line in lines if line), "")
