"""From the options of `ekb run` to the rows of its table."""

import re
from pathlib import Path
from typing import Literal, TypeVar

from edgekernelbench.agents.models.registry import parse_spec
from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.base.names import nearest
from edgekernelbench.bench.experiment import AgentSetting, resolve_workloads
from edgekernelbench.workloads.catalogue import load_catalogue

Word = TypeVar("Word", bound=str)
KINDS = ("direct", "scripted")
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


def agent_rows(
    *,
    agent: str | None,
    models: list[str],
    texts: list[str],
    grammar: str,
    max_tokens: int | None,
    temperature: float | None,
    seed: int,
) -> tuple[AgentSetting, ...]:
    """Make one row a model (two for both ways of the grammar), and one a folder of texts.

    Args:
        agent: `direct` or `scripted` for these alone; None for whatever models and texts ask for.
        models: Names of models.
        texts: Folders of kernel texts.
        grammar: `off`, `on` or `both`.
        max_tokens: The most tokens of an answer; None goes by the model.
        temperature: Sampling temperature; None for the endpoint's default.
        seed: Base of the sampling seeds.

    Raises:
        CatalogueError: When a word is not known, or there is no row.
        PrerequisiteError: When a model is not known.
    """
    wanted = KINDS if agent is None else (choice("agent", agent, KINDS),)
    ways = GRAMMAR[choice("way of the grammar", grammar, tuple(GRAMMAR))]
    rows = []
    for model in models if "direct" in wanted else ():
        spec = parse_spec(model)
        limit = max_tokens or (SMALL_ANSWER if spec.is_small else LARGE_ANSWER)
        rows += [
            AgentSetting(
                name=row_name(f"direct-{model}" + ("+grammar" if held else "")),
                kind="direct",
                model=model,
                grammar=held,
                max_tokens=limit,
                temperature=temperature,
                seed=seed,
            )
            for held in ways
        ]
    for folder in texts if "scripted" in wanted else ():
        if not Path(folder).is_dir():
            raise CatalogueError(f"no folder {folder}: texts stand in one, as FAMILY/WORKLOAD.kir")
        name = row_name(f"scripted-{Path(folder).resolve().name}")
        rows.append(AgentSetting(name=name, kind="scripted", texts=str(Path(folder).resolve())))
    if not rows:
        raise CatalogueError("nobody is to write kernels: give --model NAME, or --texts FOLDER")
    return tuple(rows)


def workload_ids(names: list[str] | None, suite: str) -> tuple[str, ...]:
    """Find the workloads that the options name.

    Raises:
        CatalogueError: When a name or the suite is unknown.
    """
    return tuple(w.id for w in resolve_workloads(load_catalogue(), tuple(names or ()), suite=suite))


def row_name(text: str) -> str:
    """Make the name of a row of any text: it is a part of ids, so it has no slash and no space."""
    return re.sub(r"[/\s]+", "-", text)
