"""Where an agent's program is, and which version it is."""

import os
import subprocess
import tempfile
from functools import cache
from pathlib import Path

from edgekernelbench.agents.proxy.upstream import SECRETS
from edgekernelbench.bench.visits.recipe import Recipe
from edgekernelbench.bench.visits.view import find_program

AGENTS = Path("~/.local/share/ekb/agents")
"""Where agents have environments of their own: their packages are not those of this product."""
PATIENCE_S = 60.0


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


def program_version(recipe: Recipe) -> str:
    """Ask an agent for its version.

    Returns:
        The first line that it says; empty when it says nothing.
    """
    if not recipe.version:
        return ""
    word, *rest = recipe.version
    return _said(str(program_of(recipe, word)), tuple(rest))


@cache
def _said(program: str, words: tuple[str, ...]) -> str:
    with tempfile.TemporaryDirectory(prefix="ekb-") as home:
        environment = {name: value for name, value in os.environ.items() if name not in SECRETS}
        try:
            done = subprocess.run(  # noqa: S603 - the program that is to be run anyway
                [program, *words],
                capture_output=True,
                stdin=subprocess.DEVNULL,
                timeout=PATIENCE_S,
                env={**environment, "HOME": home, "XDG_CONFIG_HOME": home},
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
    lines = (line.strip() for line in done.stdout.decode("utf-8", "replace").splitlines())
    return next((line[:200] for line in lines if line), "")
