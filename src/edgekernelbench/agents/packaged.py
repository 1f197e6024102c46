"""Agents of other packages: `pip install` brings them, and `ekb run --agent NAME` asks them."""

from collections.abc import Callable
from dataclasses import dataclass, replace

from edgekernelbench.agents.protocol import Agent, Answer, Doors, Task
from edgekernelbench.base.errors import ForeignError
from edgekernelbench.base.plugins import (
    Group,
    Plugin,
    call_plugin,
    load_plugin,
    need_plugin,
    refuse_plugin,
)
from edgekernelbench.profiles.profile import Profile


@dataclass(frozen=True, slots=True)
class Options:
    """What an agent is made with.

    Attributes:
        name: The name of its row.
        profile: The device that it writes for.
        seed: Base of what it draws.
        max_tokens: The most tokens of one answer of its model.
        temperature: Sampling temperature; None for the endpoint's default.
    """

    name: str
    profile: Profile
    seed: int = 0
    max_tokens: int = 4096
    temperature: float | None = None


Make = Callable[[Options], Agent]
"""What an entry point of the group `edgekernelbench.agents` names: a class or a function."""


@dataclass(frozen=True, slots=True)
class Packaged:
    """An agent of another package, as a run sees it.

    Attributes:
        plugin: Where it comes from.
        agent: What the package made.
        name: The name of its row.
    """

    plugin: Plugin
    agent: Agent
    name: str

    def solve(self, task: Task, doors: Doors) -> Answer:
        """Let it answer; what it raises is its own failure, and the best that it measured still counts."""
        try:
            answer: object = call_plugin(self.plugin, "failed", lambda: self.agent.solve(task, doors))
        except ForeignError as error:
            return Answer("", str(error))
        if not isinstance(answer, Answer) or not isinstance(answer.source, str):
            return Answer("", str(refuse_plugin(self.plugin, "an Answer with a text", answer)))
        return replace(answer, note=str(answer.note))


def make_packaged(entry: str, options: Options) -> Packaged:
    """Make an agent of another package.

    Args:
        entry: The name of its entry point.
        options: What it is made with.

    Raises:
        PrerequisiteError: When no package brings it, or two do.
        ForeignError: When it cannot be loaded or made.
    """
    plugin = need_plugin(Group.AGENTS, entry)
    make = load_plugin(plugin)
    if not callable(make):
        raise refuse_plugin(plugin, "a class or function that makes an agent of Options", make)
    agent = call_plugin(plugin, "cannot be made", lambda: make(options))
    if not callable(getattr(agent, "solve", None)):
        raise refuse_plugin(plugin, "something with a method solve", agent)
    return Packaged(plugin, agent, options.name)
