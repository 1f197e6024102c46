"""From the settings of an agent to an agent that can be asked."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import assert_never

from pydantic import JsonValue

from edgekernelbench.agents.direct import Direct
from edgekernelbench.agents.hosted import Host, Hosted
from edgekernelbench.agents.leka.both import Both
from edgekernelbench.agents.leka.controller import Leka
from edgekernelbench.agents.leka.model.mind import ModelMind
from edgekernelbench.agents.leka.model.style import Style
from edgekernelbench.agents.leka.settings import Settings
from edgekernelbench.agents.models.bundled import bundled
from edgekernelbench.agents.models.endpoint import Endpoint, Endpoints
from edgekernelbench.agents.models.local import require
from edgekernelbench.agents.models.protocol import ChatModel
from edgekernelbench.agents.models.registry import open_model, parse_spec
from edgekernelbench.agents.packaged import Options, Packaged, make_packaged
from edgekernelbench.agents.policy.agent import policy_agent
from edgekernelbench.agents.policy.knobs import halving
from edgekernelbench.agents.policy.mind import PolicyMind
from edgekernelbench.agents.prices import Price
from edgekernelbench.agents.protocol import Agent, Task
from edgekernelbench.agents.proxy.upstream import open_upstream
from edgekernelbench.agents.repeated import BestOf, Repair
from edgekernelbench.agents.scripted import Scripted
from edgekernelbench.agents.search import Proposer, Search
from edgekernelbench.base.errors import InternalError, PrerequisiteError
from edgekernelbench.bench.experiment import SEARCHES, AgentSetting, Experiment, script_path
from edgekernelbench.lang.grammar import gbnf
from edgekernelbench.lang.source import MAX_SOURCE_CHARS
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.schema import storable
from edgekernelbench.workloads.catalogue import DATA

MOST_BYTES = 4 * MAX_SOURCE_CHARS + 4
"""More characters than a text may have, whatever they are in UTF-8."""


@dataclass(frozen=True, slots=True)
class Contestant:
    """An agent with its model.

    Attributes:
        agent: Who answers.
        model: Whom it may ask; None for agents without a model.
        short: Whether its cards show the short language reference.
        settings: What a replay needs to make the agent again.
        price: Money for its tokens; None when it is not known.
        traces: Whether it submits kernels that TVM scheduled.
        asks: Name of the model that it asks with a client of its own; None for agents that ask through us.
        stop: Ends attempts that may go on for hours, when the run is interrupted.
    """

    agent: Agent
    model: ChatModel | None = None
    short: bool = False
    settings: Mapping[str, JsonValue] = field(default_factory=dict)
    price: Price | None = None
    traces: bool = False
    asks: str | None = None
    stop: Callable[[], None] = lambda: None

    @property
    def model_name(self) -> str | None:
        """Name of its model; None for agents without one."""
        return self.asks if self.model is None else self.model.name


OpenSearch = Callable[[AgentSetting, Task], AbstractContextManager[Proposer]]
"""Starts the search of an agent on one task."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What arms without a model search with; they may not see where it comes from.

    Attributes:
        random: Draws texts of our language.
        metaschedule: Proposes TVM's schedules.
        host: Lets an agent from elsewhere come; None where none can.
        run: The run folder, for command-line agents, which must not see it; None where there are none.
    """

    random: OpenSearch
    metaschedule: OpenSearch
    host: Host | None = None
    run: Path | None = None


@contextmanager
def open_contestant(
    setting: AgentSetting,
    experiment: Experiment,
    profile: Profile,
    endpoint: Endpoint,
    store: Path | None,
    tools: Tools | None = None,
) -> Iterator[Contestant]:
    """Make an agent that can be asked, and let go of its model afterwards.

    Args:
        setting: Which agent.
        experiment: The run, which says on which workloads.
        profile: The device.
        endpoint: Address and key, for models that have them.
        store: Folder of stored answers; None stores nothing.
        tools: What arms without a model search with; None where there are no such arms.

    Yields:
        The agent.

    Raises:
        PrerequisiteError: When a folder, a package, a key or a model is missing.
    """
    if setting.kind == "scripted":
        yield Contestant(Scripted(_script(setting, experiment), setting.name))
        return
    if setting.kind == "policy":
        agent = model_agent(setting, profile)
        yield Contestant(agent, settings=setting.model_dump(mode="json"))
        return
    if setting.kind in SEARCHES:
        yield _searching(setting, tools)
        return
    if setting.kind == "mcp":
        yield Contestant(Hosted(_host(tools), setting.name), settings=setting.model_dump(mode="json"))
        return
    if setting.kind == "cli":
        with _visiting(setting, endpoint, tools) as visiting:
            yield visiting
        return
    if setting.kind == "package" and setting.model is None:
        yield Contestant(packaged_agent(setting, profile), settings=setting.model_dump(mode="json"))
        return
    if setting.model is None:
        raise PrerequisiteError(f"agent {setting.name} has no model", "name one with --model")
    spec = parse_spec(setting.model)
    agent = model_agent(setting, profile)
    with open_model(spec, endpoint, store) as model:
        yield Contestant(
            agent,
            model,
            short=spec.is_small,
            settings=setting.model_dump(mode="json"),
            price=None if setting.price is None else setting.price.price(),
        )


def check_models(settings: Iterable[AgentSetting], endpoints: Endpoints, store: Path | None) -> None:
    """Find out before a run begins whether its models can be asked; a local one is not started yet.

    Args:
        settings: The agents.
        endpoints: Addresses and key, for models that have them.
        store: Folder of stored answers; None stores nothing.

    Raises:
        PrerequisiteError: When a package, a key or a store is missing, or an address is of no model.
    """
    rows = [setting for setting in settings if setting.model is not None]
    for strange in endpoints.named.keys() - {setting.model for setting in rows}:
        raise PrerequisiteError(
            f"no model {strange!r} in this run, and an address for it", "name it with --model"
        )
    for model, visiting in {(str(setting.model), setting.kind == "cli") for setting in rows}:
        spec, endpoint = parse_spec(model), endpoints.of(model)
        if spec.kind == "local":
            require(bundled(spec.model))
        elif visiting:
            with open_upstream(spec, endpoint):
                pass
        else:
            with open_model(spec, endpoint, store):
                pass


@contextmanager
def _visiting(setting: AgentSetting, endpoint: Endpoint, tools: Tools | None) -> Iterator[Contestant]:
    """Make a command-line agent, with its way to the model that it asks."""
    recipe = setting.recipe
    if recipe is None or tools is None or tools.run is None:
        raise InternalError(f"expected a recipe and a run folder for agent {setting.name}, found none")
    # Imported when such an agent comes: its doors need packages that others do without.
    from edgekernelbench.bench.visits.visit import Visitor, check_here  # noqa: PLC0415

    check_here([recipe])
    visitor = Visitor(setting.name, recipe, confined=setting.confined, run=tools.run, data=DATA)
    settings = setting.model_dump(mode="json")
    if setting.model is None:
        yield Contestant(visitor, settings=settings, stop=visitor.stopping.set)
        return
    with open_upstream(parse_spec(setting.model), endpoint) as upstream:
        price = None if setting.price is None else setting.price.price()
        asking = replace(visitor, upstream=upstream)
        yield Contestant(
            asking, settings=settings, price=price, asks=setting.model, stop=visitor.stopping.set
        )


def _host(tools: Tools | None) -> Host:
    if tools is None or tools.host is None:
        raise PrerequisiteError(
            "the answers of this run come from an agent that is not here", "start a new run with `ekb mcp`"
        )
    return tools.host


def _searching(setting: AgentSetting, tools: Tools | None) -> Contestant:
    if tools is None:
        raise InternalError(f"expected something to search with for agent {setting.name}, found nothing")
    opened = tools.random if setting.kind == "random" else tools.metaschedule
    return Contestant(
        Search(setting.name, partial(opened, setting)),
        settings=setting.model_dump(mode="json"),
        traces=setting.kind == "metaschedule",
    )


def model_agent(setting: AgentSetting, profile: Profile) -> Agent:
    """Make an agent of its settings that asks a model, or the built-in policy; no model is opened.

    Args:
        setting: Which agent.
        profile: The device.
    """
    match setting.kind:
        case "direct":
            return direct_agent(setting)
        case "best-of":
            return BestOf(direct_agent(setting), setting.name)
        case "repair":
            return Repair(direct_agent(setting), setting.name)
        case "leka":
            return leka_agent(setting, profile)
        case "policy":
            return policy_agent(profile, name=setting.name, seed=setting.seed or 0)
        case "package":
            return packaged_agent(setting, profile)
        case "scripted" | "random" | "metaschedule" | "mcp" | "cli":
            raise InternalError(f"agent {setting.kind} asks no model")
        case _:
            assert_never(setting.kind)


def packaged_agent(setting: AgentSetting, profile: Profile) -> Packaged:
    """Make an agent of another package of its settings.

    Raises:
        PrerequisiteError: When no package brings it, or it cannot be made.
    """
    options = Options(setting.name, profile, setting.seed or 0, setting.max_tokens, setting.temperature)
    return make_packaged(setting.entry or setting.name, options)


def leka_agent(setting: AgentSetting, profile: Profile) -> Leka:
    """Make LEKA of its settings, ablations included."""
    style = Style(
        max_tokens=setting.max_tokens,
        temperature=setting.temperature,
        planning=setting.temperature,
        seed=setting.seed,
        grammar=setting.grammar,
        one_call=setting.one_call,
        free=setting.without == "freezing",
    )
    settings = Settings(
        layered=setting.without != "layers",
        freezing=setting.without != "freezing",
        static=setting.without != "static",
    )
    model = ModelMind(style)
    mind = Both(PolicyMind(), model) if setting.policy else model
    return Leka(mind, profile, name=setting.name, settings=settings, search=halving, seed=setting.seed or 0)


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
    paths = {
        workload: script_path(folder, workload, experiment.language) for workload in experiment.workloads
    }
    return {w: (_text(path),) for w, path in paths.items() if path.is_file()}


def _text(path: Path) -> str:
    """Read a text, whatever the file holds: the judge refuses it, with a place."""
    with path.open("rb") as stream:
        return storable(stream.read(MOST_BYTES).decode("utf-8", "surrogateescape"))
