"""From the settings of an agent to an agent that can be asked."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.models.endpoint import Endpoint
from edgekernelbench.agents.models.protocol import ChatModel
from edgekernelbench.agents.models.registry import open_model, parse_spec
from edgekernelbench.agents.protocol import Agent, Task
from edgekernelbench.agents.scripted import Scripted
from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.experiment import AgentSetting, Experiment, script_path
from edgekernelbench.lang.grammar import gbnf
from edgekernelbench.lang.source import MAX_SOURCE_CHARS
from edgekernelbench.records.schema import storable

MOST_BYTES = 4 * MAX_SOURCE_CHARS + 4
"""More characters than a text may have, whatever they are in UTF-8."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """An agent with its model.

    Attributes:
        agent: Who answers.
        model: Whom it may ask; None for agents without a model.
        short: Whether its cards show the short language reference.
    """

    agent: Agent
    model: ChatModel | None = None
    short: bool = False


@contextmanager
def open_contestant(
    setting: AgentSetting, experiment: Experiment, endpoint: Endpoint, store: Path | None
) -> Iterator[Contestant]:
    """Make an agent that can be asked, and let go of its model afterwards.

    Args:
        setting: Which agent.
        experiment: The run, which says on which workloads.
        endpoint: Address and key, for models that have them.
        store: Folder of stored answers; None stores nothing.

    Yields:
        The agent.

    Raises:
        PrerequisiteError: When a folder, a package, a key or a model is missing.
    """
    match setting.kind:
        case "scripted":
            yield Contestant(Scripted(_script(setting, experiment), setting.name))
        case "direct":
            if setting.model is None:
                raise PrerequisiteError(f"agent {setting.name} has no model", "name one with --model")
            spec = parse_spec(setting.model)
            with open_model(spec, endpoint, store) as model:
                yield Contestant(direct_agent(setting), model, short=spec.is_small)


def direct_agent(setting: AgentSetting) -> Direct:
    """Make a direct agent of its settings."""
    return Direct(
        name=setting.name,
        max_tokens=setting.max_tokens,
        temperature=setting.temperature,
        grammar=task_grammar if setting.grammar else None,
        seed=setting.seed,
    )


def task_grammar(task: Task) -> str:
    """Give the grammar of a task's answers: its signature is fixed, and only its target has blocks."""
    return gbnf(task.signature or None, (task.target,))


def _script(setting: AgentSetting, experiment: Experiment) -> dict[str, tuple[str, ...]]:
    folder = Path(setting.texts or "")
    if setting.texts is None or not folder.is_dir():
        raise PrerequisiteError(
            f"agent {setting.name} has no folder of texts", "give one with FAMILY/WORKLOAD.kir in it"
        )
    paths = {workload: script_path(folder, workload) for workload in experiment.workloads}
    return {w: (_text(path),) for w, path in paths.items() if path.is_file()}


def _text(path: Path) -> str:
    """Read a text, whatever the file holds: the judge refuses it, with a place."""
    with path.open("rb") as stream:
        return storable(stream.read(MOST_BYTES).decode("utf-8", "surrogateescape"))
