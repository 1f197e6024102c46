"""Recipes: how a command-line agent is started and read, as data."""

import tomllib
from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Literal

from pydantic import Field

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.records.schema import Record

SHIPPED = files(__package__) / "data"
WORDS = (
    "model", "wire", "prompt", "task", "home", "model_url", "model_token", "mcp_url", "mcp_token",
)  # fmt: skip
"""What stands for `$NAME` in commands, environment and files of a recipe."""


class Reading(Record):
    """How the transcript of an agent is read."""

    form: Literal["none", "claude-stream-json", "mini-swe-agent"] = "none"
    """What it is written in."""
    file: str | None = None
    """Where it is; None for standard output."""


class Recipe(Record):
    """How one command-line agent is started, watched and read."""

    name: str = Field(min_length=1, pattern=r"^[^/\s]+$")
    """What `cli:NAME` names."""
    about: str = ""
    """One line for people."""
    install: str = ""
    """The command that brings the agent."""
    command: tuple[str, ...] = Field(min_length=1)
    """Its words; the first is looked for in `~/.local/share/ekb/agents/NAME/bin`, then on the path."""
    version: tuple[str, ...] = ()
    """The words that let it say its version."""
    wires: tuple[Literal["openai", "anthropic"], ...] = ()
    """Which API of models it speaks; empty for an agent that asks none."""
    mcp: bool = False
    """Whether it comes through MCP as well: then a server is there for it."""
    sees: tuple[str, ...] = ()
    """Further files and folders of this machine that it needs; `~` is the home folder."""
    environment: dict[str, str] = Field(default_factory=dict)
    """Its variables, besides those of every agent."""
    files: dict[str, str] = Field(default_factory=dict)
    """Files that it finds; `$task` and `$home` begin their paths."""
    reading: Reading = Reading()
    """How its transcript is read."""
    wall_s: float = Field(default=7200.0, gt=0)
    """It is ended after so long, whatever it does."""
    idle_s: float = Field(default=900.0, gt=0)
    """It is ended when nothing was heard of it for so long: no output, no call of a model, no door."""


def find_recipe(name: str) -> Recipe:
    """Find a recipe.

    Args:
        name: Name of one that comes with the package, or path of a TOML file.

    Raises:
        CatalogueError: When there is none, with the nearest, or it is no recipe.
    """
    if name.endswith(".toml"):
        path = Path(name).expanduser()
        if not path.is_file():
            raise CatalogueError(f"no recipe {name}: there is no such file")
        return read_recipe(path.read_text(encoding="utf-8"), path.name)
    known = shipped_recipes()
    if name not in known:
        close = nearest(name, known)
        guess = f"did you mean {close!r}?" if close else f"there are {', '.join(known)}"
        raise CatalogueError(
            f"no recipe {name!r}; {guess}; a recipe of your own is a TOML file: cli:FILE.toml"
        )
    return read_recipe((SHIPPED / f"{name}.toml").read_text(encoding="utf-8"), f"{name}.toml")


def shipped_recipes() -> tuple[str, ...]:
    """Give the names of the recipes that come with the package."""
    return tuple(sorted(f.name.removesuffix(".toml") for f in SHIPPED.iterdir() if f.name.endswith(".toml")))


def read_recipe(text: str, where: str) -> Recipe:
    """Read a recipe.

    Args:
        text: TOML.
        where: The file, for the message.

    Raises:
        CatalogueError: When it is no recipe, or asks for a word that there is not.
    """
    try:
        found = Recipe.model_validate(tomllib.loads(text), strict=False)
    except ValueError as error:
        said = str(error).replace("\n", "; ")
        raise CatalogueError(f"{where} is no recipe: {said}") from error
    for template in (*found.command, *found.environment.values(), *found.files, *found.files.values()):
        unknown = set(Template(template).get_identifiers()) - set(WORDS)
        if unknown or not Template(template).is_valid():
            named = ", ".join(f"${word}" for word in sorted(unknown)) or template
            raise CatalogueError(f"{where}: no word {named}; there are {', '.join(f'${w}' for w in WORDS)}")
    return found


def filled(template: str, words: Mapping[str, str]) -> str:
    """Fill in a text of a recipe.

    Args:
        template: The text, with `$NAME` in it; `$$` is a dollar sign.
        words: What stands for each of `WORDS`.
    """
    return Template(template).substitute(words)
