"""What a run is: its settings as a person gives them, and as the run has them, resolved."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, Self

from pydantic import Field, JsonValue, SerializerFunctionWrapHandler, model_serializer

from edgekernelbench.agents.ledger import Budget
from edgekernelbench.agents.prices import Price
from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.visits.recipe import Recipe
from edgekernelbench.records.attempt import attempt_id
from edgekernelbench.records.language import Language
from edgekernelbench.records.schema import Record
from edgekernelbench.workloads.catalogue import Catalogue
from edgekernelbench.workloads.held_out import hold_out
from edgekernelbench.workloads.schema import Workload

RESERVED = "/"
"""Not part of an agent's name: it separates the parts of an attempt's id."""


class PriceSetting(Record):
    """Money for a million tokens of a model."""

    input: float
    """For tokens read."""
    cached: float
    """For tokens read from a cache."""
    output: float
    """For tokens written, reasoning included."""

    def price(self) -> Price:
        """Give it as the ledger takes it."""
        return Price(self.input, self.cached, self.output)


SEARCHES = ("policy", "random", "metaschedule")
"""Kinds of agents without a model and without texts: they start from a given text, and spend submissions."""


class AgentSetting(Record):
    """One row of the table: an agent, with its model when it has one."""

    name: str = Field(min_length=1, pattern=r"^[^/\s]+$")
    """The name of the row."""
    kind: Literal[
        "direct",
        "scripted",
        "best-of",
        "repair",
        "leka",
        "policy",
        "random",
        "metaschedule",
        "mcp",
        "cli",
        "package",
    ]
    """Which agent."""
    model: str | None = None
    """`smollm2`, `openai:NAME`, `anthropic:NAME` or `replay:NAME`; None for agents without a model."""
    texts: str | None = None
    """For `scripted`: a folder with one `WORKLOAD.kir` a workload."""
    grammar: bool = False
    """Whether answers must follow the grammar of the language."""
    max_tokens: int = 4096
    """The most tokens of one answer."""
    temperature: float | None = None
    """Sampling temperature; None for the endpoint's default."""
    seed: int | None = 0
    """Base of the sampling seeds; None when the endpoint is told none."""
    without: Literal["layers", "freezing", "static"] | None = None
    """For `leka`: the ablation."""
    policy: bool = False
    """For `leka`: whether the built-in policy plans every other step."""
    one_call: bool = False
    """For `leka`: whether a plan and its layer are asked for in one call."""
    price: PriceSetting | None = None
    """Money for its tokens; None when it is not known."""
    recipe: Recipe | None = None
    """For `cli`: how it is started and read; left out for others."""
    confined: bool = True
    """For `cli`: whether it sees only what it is shown; left out where it is so."""
    entry: str | None = None
    """For `package`: the name of the entry point; left out for others."""

    @model_serializer(mode="wrap")
    def _leave_out_what_others_have_not(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Write what some agents alone have only for them: other manifests stay what they were."""
        fields: dict[str, Any] = write(self)
        unused = {"recipe": None, "confined": True, "entry": None}
        return {name: value for name, value in fields.items() if name not in unused or value != unused[name]}

    @classmethod
    def from_json(cls, values: Mapping[str, object], where: str) -> Self:
        """Read the settings of an agent back.

        Args:
            values: What a manifest or a trajectory has.
            where: Whose they are, for the message.

        Raises:
            RecordError: When they are no settings of an agent.
        """
        return cls.read(json.dumps(values), where)


class BudgetSetting(Record):
    """Limits of one attempt. None is "no limit", 0 is none at all."""

    submissions: int | None = 0
    """Measurements before the final verdict."""
    tokens: int | None = None
    """Tokens read and written."""
    money: float | None = None
    """In the currency of the price table."""
    seconds: float | None = None
    """Time of the agent, without waiting for the device."""
    calls: int | None = None
    """Calls of the model."""

    def budget(self) -> Budget:
        """Give the limits as the ledger takes them."""
        return Budget(self.submissions, self.tokens, self.money, self.seconds, self.calls)


class Experiment(Record):
    """The settings of a run, resolved: what the manifest holds, and all that a resumed run needs."""

    agents: tuple[AgentSetting, ...] = Field(min_length=1)
    """Who writes kernels."""
    suite: str
    """The suite that the workloads were taken from."""
    workloads: tuple[str, ...] = Field(min_length=1)
    """Ids, in order."""
    held_out: int | None = None
    """Seed that redrew sizes, constants and names, which the ids have too; None for rows as they are."""
    track: Literal["write", "optimise"] = "write"
    """Which question is asked."""
    language: Language = "kernel"
    """What is written: kernel texts, or plain C as a control."""
    k: int = Field(default=1, ge=1)
    """Attempts of each agent on each workload."""
    profile: str = "llvm"
    """Name of the device profile, or `rpc:KEY` for boards."""
    also: tuple[str, ...] = ()
    """Other devices on which the same answers are judged, in runs of their own; cards name them."""
    answers_of: str | None = None
    """Folder beside this run's with the run whose answers are judged; None asks the agents."""
    compiler: str = "tvm"
    """Name of the compiler."""
    timing: Literal["none", "one-child", "final"] = "one-child"
    """Whether correct kernels are timed, and on how many sets of processes."""
    vendor: bool = False
    """Whether kernels are also timed beside the fastest correct vendor library."""
    reference: Literal["R0", "R1"] = "R0"
    """What speed is counted against: the default lowering, or the faster of it and TVM's tuner."""
    baselines: str | None = None
    """For R1: a folder of tuned references; None for those of the release."""
    budget: BudgetSetting = BudgetSetting()
    """Limits of each attempt."""
    concurrency: int = Field(default=1, ge=1)
    """Attempts that are generated at one time."""
    catalogue: str | None = None
    """A catalogue of one's own, as a folder or the name of an entry point; None for ours."""

    def settings(self) -> dict[str, JsonValue]:
        """Give the settings as the manifest stores them."""
        values: dict[str, JsonValue] = self.model_dump(mode="json", by_alias=True)
        # What only some runs have stands in no other manifest.
        rare = ("also", "answers_of", "catalogue", "held_out")
        unused = [name for name in rare if values[name] in (None, [], "")]
        unused += ["language"] if self.language == "kernel" else []
        return {name: value for name, value in values.items() if name not in unused}

    @classmethod
    def from_settings(cls, settings: Mapping[str, object], where: str) -> Self:
        """Read the settings of a manifest.

        Args:
            settings: What `settings` gave.
            where: The run, for the message.

        Raises:
            RecordError: When they are no settings of a run.
        """
        return cls.read(json.dumps(settings), f"{where}: settings")

    def planned(self) -> tuple[str, ...]:
        """List the ids of all attempts, workload by workload: the fixed denominator."""
        return tuple(
            attempt_id(agent.name, workload, number)
            for workload in self.workloads
            for agent in self.agents
            for number in range(self.k)
        )


def resolve_workloads(
    catalogue: Catalogue, names: tuple[str, ...] = (), *, suite: str = "full", held_out: int | None = None
) -> tuple[Workload, ...]:
    """Find the workloads of a run.

    Args:
        catalogue: Where to look.
        names: Workload, pattern or family names; empty means the whole suite.
        suite: The suite.
        held_out: Redraw sizes, constants and names by this seed; None for rows as they are.

    Raises:
        CatalogueError: When a name or the suite is unknown, or the suite has nothing of a name.
    """
    # Name by name: one that was asked for and is not in the suite is not left out in silence.
    absent = [name for name in names if not catalogue.select((name,), suite=suite)]
    if absent:
        raise CatalogueError(f"suite {suite} has no workload of {', '.join(absent)}; take --suite full")
    found = catalogue.select(names, suite=suite)
    return found if held_out is None else tuple(hold_out(w, held_out) for w in found)


WRITES_C = ("direct", "scripted", "best-of", "repair", "cli")
"""Kinds of agents that can be asked for plain C: the others work on the layers of our language."""


def check_control(experiment: Experiment) -> None:
    """Refuse a run in plain C that would ask for what there is not.

    Raises:
        CatalogueError: When an agent, the track, a grammar or a device is not for plain C.
    """
    for agent in experiment.agents:
        if agent.kind not in WRITES_C:
            raise CatalogueError(f"agent {agent.name} writes no plain C; {', '.join(WRITES_C)} do")
        if agent.grammar:
            raise CatalogueError("the grammar is that of kernel texts: take --grammar off for plain C")
    if experiment.track != "write":
        raise CatalogueError("plain C is written from the PyTorch function: take --track write")
    if experiment.profile != "llvm" or experiment.also:
        raise CatalogueError("plain C runs on the CPU of this machine alone: take --device llvm")


def script_path(folder: Path, workload: str, language: Language = "kernel") -> Path:
    """Say where a folder has the text of a workload: `FAMILY/PATTERN@SIZES-DTYPE.kir`, or `.c`."""
    return folder / f"{workload}.{'c' if language == 'c' else 'kir'}"
