"""What an agent finds in its folder, and the words that its recipe is filled in with."""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files

from edgekernelbench.agents.card import render
from edgekernelbench.agents.protocol import Task
from edgekernelbench.bench.visits.recipe import Recipe, filled
from edgekernelbench.bench.visits.view import interpreter

PROMPT = "visit_prompt"


@dataclass(frozen=True, slots=True)
class Grounds:
    """Where things are for the agent.

    Attributes:
        task: Its working folder.
        home: Its home folder.
        tools: Where the command `ekb` is.
        temporary: Where it may write what it forgets.
    """

    task: str
    home: str
    tools: str
    temporary: str


def task_files(task: Task, recipe: Recipe, at: Grounds) -> dict[str, str]:
    """Write the files that every agent finds, by path.

    Args:
        task: The task.
        recipe: The agent.
        at: Where things are.
    """
    client = (files(__package__) / "client.py").read_text(encoding="utf-8")
    words = {
        "goal": render("visit_c" if task.written_in == "c" else f"visit_{task.track}", {}),
        "mcp": render("visit_mcp", {}) if recipe.mcp else "",
        "card": task.prompt,
    }
    found = {
        f"{at.task}/TASK.md": render("visit", words) + "\n",
        f"{at.task}/LANGUAGE.md": (task.language or task.system) + "\n",
        f"{at.tools}/client.py": client,
        f"{at.tools}/bin/ekb": f"#!/bin/sh\nexec '{interpreter()}' -I '{at.tools}/client.py' \"$@\"\n",
    }
    if task.start is not None:
        found[f"{at.task}/kernel.kir"] = task.start.strip() + "\n"
    return found


def recipe_files(recipe: Recipe, words: Mapping[str, str]) -> dict[str, str]:
    """Write the files of a recipe, by path."""
    return {filled(name, words): filled(text, words).lstrip("\n") for name, text in recipe.files.items()}


def agent_environment(recipe: Recipe, at: Grounds, words: Mapping[str, str], path: str) -> dict[str, str]:
    """Write all of an agent's environment.

    Args:
        recipe: The agent.
        at: Where things are.
        words: What its templates are filled in with.
        path: Where programs are looked for, after the tools.
    """
    own = {
        "HOME": at.home,
        "USER": "agent",
        "LANG": "C.UTF-8",
        "PATH": f"{at.tools}/bin:{path}",
        "TMPDIR": at.temporary,
        "SHELL": "/bin/sh",
        "NO_COLOR": "1",
        "NO_PROXY": "*",
        "EKB_DOOR": words["door_url"],
        "EKB_TOKEN": words["door_token"],
    }
    return {**own, **{name: filled(text, words) for name, text in recipe.environment.items()}}
