"""From the options of `ekb run` to the rows of its table."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeVar

from edgekernelbench.agents.models.registry import parse_spec
from edgekernelbench.agents.packaged import Options, make_packaged
from edgekernelbench.agents.prices import Price, load_prices
from edgekernelbench.base.errors import CatalogueError, PrerequisiteError
from edgekernelbench.base.names import nearest
from edgekernelbench.base.plugins import Group, plugin_names
from edgekernelbench.bench.experiment import (
    SEARCHES,
    AgentSetting,
    BudgetSetting,
    PriceSetting,
    resolve_workloads,
)
from edgekernelbench.bench.visits.recipe import find_recipe
from edgekernelbench.evaluator.boards.address import is_board, parse_address
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.language import LANGUAGES, Language
from edgekernelbench.workloads.catalogue import find_catalogue

Word = TypeVar("Word", bound=str)
AGENTS: dict[str, dict[str, Any]] = {
    "direct": {"kind": "direct"},
    "best-of": {"kind": "best-of"},
    "repair": {"kind": "repair"},
    "leka": {"kind": "leka"},
    "leka-one-call": {"kind": "leka", "one_call": True},
    "leka-no-layers": {"kind": "leka", "without": "layers"},
    "leka-no-freezing": {"kind": "leka", "without": "freezing"},
    "leka-no-static": {"kind": "leka", "without": "static"},
    "leka+policy": {"kind": "leka", "policy": True},
    "policy": {"kind": "policy"},
    "random": {"kind": "random"},
    "metaschedule": {"kind": "metaschedule"},
    "scripted": {"kind": "scripted"},
}
"""The agents by their words, with the settings of each."""
VISITING = "cli:"
"""Begins the word of a command-line agent; its recipe follows."""
ONCE = ("direct", "scripted")
"""Agents that answer once; all others go on while there is budget."""
SUBMISSIONS = 16
"""Measurements of an attempt, unless the command line says otherwise."""
CALLS_A_SUBMISSION = 4
"""Calls of a model for each of them, likewise: a plan, a layer and two repairs."""
TRACKS: tuple[Literal["write", "optimise"], ...] = ("write", "optimise")
TIMINGS: tuple[Literal["none", "one-child", "final"], ...] = ("none", "one-child", "final")
GRAMMAR = {"off": (False,), "on": (True,), "both": (False, True)}
SMALL_ANSWER = 512
"""Tokens of an answer of a model with little context, unless the command line says otherwise."""
LARGE_ANSWER = 8192
"""The same for other models: room to think and a kernel."""


def choice(kind: str, word: str, known: tuple[Word, ...]) -> Word:
    """Let a word through that is known.

    Raises:
        CatalogueError: When it is not, with the nearest.
    """
    for one in known:
        if one == word:
            return one
    close = nearest(word, known)
    guess = f"did you mean {close!r}?" if close else f"there are {', '.join(known)}"
    raise CatalogueError(f"no {kind} {word!r}; {guess}")


def read_language(word: str) -> Language:
    """Read the word after `--language`.

    Raises:
        CatalogueError: When there is no such language.
    """
    return choice("language", word, LANGUAGES)


@dataclass(frozen=True, slots=True)
class Asking:
    """How the models of a run are asked.

    Attributes:
        grammar: `off`, `on` or `both`.
        max_tokens: The most tokens of an answer; None goes by the model.
        temperature: Sampling temperature; None for the endpoint's default.
        seed: Base of the sampling seeds.
        prices: What models cost, by name.
        language: What they are to write; rows of plain C are named so.
    """

    grammar: str = "off"
    max_tokens: int | None = None
    temperature: float | None = None
    seed: int = 0
    prices: Mapping[str, Price] = field(default_factory=dict)
    language: Language = "kernel"

    @property
    def mark(self) -> str:
        """What names of rows end with."""
        return "" if self.language == "kernel" else f"+{self.language}"

    def price_of(self, model: str) -> PriceSetting | None:
        """Find the price of a model by its name, with or without the kind."""
        name = model.removeprefix("replay:")
        found = self.prices.get(name, self.prices.get(name.partition(":")[2]))
        return None if found is None else PriceSetting(**asdict(found))


def price_table(file: str | None) -> Mapping[str, Price]:
    """Read the price table that an option names; without one no price is known.

    Raises:
        RecordError: When the file is none.
    """
    return {} if file is None else load_prices(Path(file))


def agent_words(text: str | None) -> tuple[str, ...] | None:
    """Read the words after `--agents`: a list with commas.

    Raises:
        CatalogueError: When a word is no agent.
    """
    if text is None:
        return None
    words = (word.strip() for word in text.split(",") if word.strip())
    known = (*AGENTS, *plugin_names(Group.AGENTS, AGENTS))
    return tuple(w if w.startswith(VISITING) else choice("agent", w, known) for w in words)


def agent_rows(
    agents: tuple[str, ...] | None,
    models: list[str],
    texts: list[str],
    asking: Asking,
    *,
    confined: bool = True,
) -> tuple[AgentSetting, ...]:
    """Make one row an agent and model (two for both ways of the grammar), and one a folder of texts.

    Args:
        agents: Words of `AGENTS`; None for `direct` and whatever texts ask for.
        models: Names of models.
        texts: Folders of kernel texts.
        asking: How models are asked.
        confined: Whether command-line agents see only what they are shown.

    Raises:
        CatalogueError: When a word is not known, or there is no row.
        PrerequisiteError: When a model is not known.
    """
    wanted = ("direct", "scripted") if agents is None else agents
    ways = GRAMMAR[choice("way of the grammar", asking.grammar, tuple(GRAMMAR))]
    rows = [
        _row(word, model, asking, held=held)
        for word in wanted
        for model in (models if asks_us(word) else ())
        for held in ways
    ]
    rows += [AgentSetting(name=w, seed=asking.seed, **AGENTS[w]) for w in wanted if w in SEARCHES]
    rows += [
        row
        for w in wanted
        if w.startswith(VISITING)
        for row in _visiting_rows(w, models, asking, confined=confined)
    ]
    rows += [row for w in wanted if is_packaged(w) for row in _packaged_rows(w, models, asking)]
    for folder in texts if "scripted" in wanted else ():
        if not Path(folder).is_dir():
            raise CatalogueError(f"no folder {folder}: texts stand in one, as FAMILY/WORKLOAD.kir")
        name = row_name(f"scripted-{Path(folder).resolve().name}{asking.mark}")
        rows.append(AgentSetting(name=name, kind="scripted", texts=str(Path(folder).resolve())))
    if not rows:
        raise CatalogueError("nobody is to write kernels: give --model NAME, or --texts FOLDER")
    return tuple(rows)


def asks_us(word: str) -> bool:
    """Whether an agent asks its model through our client."""
    return word in AGENTS and word not in ("scripted", *SEARCHES)


def is_packaged(word: str) -> bool:
    """Whether another package brings an agent."""
    return word not in AGENTS and not word.startswith(VISITING)


def _visiting_rows(word: str, models: list[str], asking: Asking, *, confined: bool) -> Iterator[AgentSetting]:
    """Make one row of a command-line agent for each model, and one row where it asks none."""
    recipe = find_recipe(word.removeprefix(VISITING))
    name = f"{VISITING}{recipe.name}"
    if not recipe.wires:
        yield AgentSetting(
            name=row_name(f"{name}{asking.mark}"), kind="cli", recipe=recipe, confined=confined
        )
        return
    if not models:
        raise PrerequisiteError(f"agent {name} asks a model", "name one with --model")
    for model in models:
        spec = parse_spec(model)
        wire = "anthropic" if spec.kind == "anthropic" else "openai"
        if spec.kind != "local" and wire not in recipe.wires:
            raise CatalogueError(f"{name} speaks {' and '.join(recipe.wires)}, the model {model} {wire}")
        yield AgentSetting(
            name=row_name(f"{name}-{model}{asking.mark}"),
            kind="cli",
            model=model,
            recipe=recipe,
            confined=confined,
            price=asking.price_of(model),
        )


def _packaged_rows(word: str, models: list[str], asking: Asking) -> Iterator[AgentSetting]:
    """Make one row of an agent of another package for each model, or one without a model.

    Raises:
        PrerequisiteError: When it cannot be made: sooner said than after a run has begun.
    """
    make_packaged(word, Options(word, load_profile("llvm")))
    named: list[str | None] = [*models] or [None]
    for model in named:
        row = AgentSetting(
            name=row_name(f"{word}-{model}" if model else word),
            kind="package",
            entry=word,
            temperature=asking.temperature,
            seed=asking.seed,
        )
        if model is None:
            yield row
            continue
        spec = parse_spec(model)
        most = asking.max_tokens or (SMALL_ANSWER if spec.is_small else LARGE_ANSWER)
        yield row.model_copy(update={"model": model, "max_tokens": most, "price": asking.price_of(model)})


def _row(word: str, model: str, asking: Asking, *, held: bool) -> AgentSetting:
    spec = parse_spec(model)
    return AgentSetting(
        name=row_name(f"{word}-{model}" + ("+grammar" if held else "") + asking.mark),
        model=model,
        grammar=held,
        max_tokens=asking.max_tokens or (SMALL_ANSWER if spec.is_small else LARGE_ANSWER),
        temperature=asking.temperature,
        seed=asking.seed,
        price=asking.price_of(model),
        **AGENTS[word],
    )


def budget_of(
    agents: tuple[str, ...] | None,
    submissions: int | None,
    tokens: int | None,
    calls: int | None,
    *,
    money: float | None = None,
    seconds: float | None = None,
) -> BudgetSetting:
    """Fill in the budget of an attempt.

    Args:
        agents: Words of `AGENTS`; None for direct answers.
        submissions: Measurements; None for 16 where an agent can use them, else none.
        tokens: Tokens; None for no limit.
        calls: Calls of the model; None for four a submission where an agent of ours can use them.
        money: In the currency of the price table; None for no limit.
        seconds: Time of the agent; None for no limit.
    """
    visiting = [word.startswith(VISITING) for word in agents or ()]
    goes_on = any(word not in ONCE for word in agents or ())
    if submissions is None:
        submissions = SUBMISSIONS if goes_on else 0
    # A command-line agent asks its model for every command of the shell; where it is alone, nothing is spent
    # unequally without a limit.
    if calls is None and goes_on and not (visiting and all(visiting)):
        calls = CALLS_A_SUBMISSION * max(1, submissions)
    return BudgetSetting(submissions=submissions, tokens=tokens, calls=calls, money=money, seconds=seconds)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The workloads of a run.

    Attributes:
        suite: The suite.
        workloads: Their ids.
        catalogue: A word for the catalogue that means the same from wherever it is resumed; None for ours.
        held_out: The seed that redrew them; None for rows as they are.
    """

    suite: str
    workloads: tuple[str, ...]
    catalogue: str | None
    held_out: int | None = None


def choose_workloads(
    names: list[str] | None, suite: str | None, folder: str | None = None, held_out: int | None = None
) -> Chosen:
    """Find the workloads that the options name.

    Args:
        names: Workloads, patterns or families; empty for the whole suite.
        suite: The suite; None for `quick`, and for all of a catalogue that is not ours.
        folder: A catalogue, by its folder or the name of an entry point; None for ours.
        held_out: Redraw sizes, constants and names by this seed; None for rows as they are.

    Raises:
        CatalogueError: When a name or the suite is unknown.
    """
    place = str(Path(folder).resolve()) if folder is not None and Path(folder).is_dir() else folder
    wanted = suite or ("quick" if place is None else "full")
    found = resolve_workloads(find_catalogue(place), tuple(names or ()), suite=wanted, held_out=held_out)
    return Chosen(wanted, tuple(w.id for w in found), place, held_out)


def row_name(text: str) -> str:
    """Make the name of a row of any text: it is a part of ids, so it has no slash and no space."""
    return re.sub(r"[/\s]+", "-", text)


def device_names(text: str | None, *, again: str | None = None) -> tuple[str, ...]:
    """Read the names of devices, separated by commas.

    Args:
        text: The names; None for none.
        again: The run whose answers are judged again, which takes one device; None where there is none.

    Raises:
        CatalogueError: When one is neither a profile nor a board, or twice there, or there are too many.
    """
    names = tuple(name.strip() for name in text.split(",")) if text is not None else ()
    for name in names:
        if is_board(name):
            parse_address(name)
        else:
            load_profile(name)
    if len(set(names)) < len(names):
        raise CatalogueError(f"a device stands twice in {text}")
    if again is not None and len(names) > 1:
        raise CatalogueError(f"expected one device with --again, found {text}; judge again once for each")
    return names
