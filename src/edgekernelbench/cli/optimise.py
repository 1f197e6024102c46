"""`ekb optimise`: make the kernels of a model faster, and prove that it is still the model."""

import re
import shutil
from pathlib import Path
from typing import Annotated, Literal

import typer

from edgekernelbench.agents.models.endpoint import endpoint_from
from edgekernelbench.base.errors import CatalogueError, EkbError, PrerequisiteError
from edgekernelbench.bench.optimising.plan import shares, worthwhile
from edgekernelbench.bench.optimising.record import ABOUT, MODEL, Optimisation, Part, load_optimisation
from edgekernelbench.bench.optimising.session import go_on
from edgekernelbench.cli.import_ import Sizes, Trust, parse_sizes
from edgekernelbench.cli.options import BaseUrl, Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.devices import find_device
from edgekernelbench.imports.importing import Request, import_model
from edgekernelbench.imports.record import load_model
from edgekernelbench.reports.text import columns

app = command_app()

Duration = Annotated[
    str | None,
    typer.Option(
        "--budget",
        help="Time for all searches, such as 90s, 20min, 2h; more of it lets a finished one go on.",
        metavar="TIME",
        show_default="20min",
    ),
]

_DURATION = re.compile(r"(\d+(?:\.\d+)?)\s*(s|min|h)?")
_SECONDS = {"s": 1, "min": 60, "h": 3600, None: 1}


@app.command()
def optimise(
    model: Annotated[
        str,
        typer.Argument(help="A model as `ekb import` takes it, or the folder that it made.", metavar="MODEL"),
    ],
    *,
    out: Annotated[
        str, typer.Option("--out", "-o", help="The result folder; one that was begun goes on.", metavar="DIR")
    ],
    device: Annotated[
        str, typer.Option("--device", "-d", help="A profile of a CPU of this machine.", metavar="NAME")
    ] = "llvm",
    agent: Annotated[
        str, typer.Option("--agent", help="policy (asks nobody), or leka (asks --model).", metavar="NAME")
    ] = "policy",
    language_model: Annotated[
        str | None, typer.Option("--model", help="Whom leka asks, such as smollm2.", metavar="NAME")
    ] = None,
    budget: Duration = None,
    size: Sizes = None,
    trust: Trust = False,
    base_url: BaseUrl = None,
    as_json: Json = False,
) -> int:
    """Search for faster kernels of a model where a budget pays, and keep those that help.

    Every function is timed; the time goes to each by what a perfect kernel of it would save. A kernel is
    kept when a final verdict on fresh inputs says that it is correct and surely faster; the whole model is
    then run beside what its own framework gave. `ekb export DIR --to PROGRAM` makes a C program of it.
    """
    folder = Path(out)
    if (folder / ABOUT).is_file():
        found = _again(load_optimisation(folder), model, device, agent, budget)
        say(f"{out}: {found.spent_s:.0f} of {found.budget_s:.0f} s were spent before")
    else:
        settings = Optimisation(
            source=model,
            device=device,
            agent=_agent(agent, language_model),
            model=language_model,
            budget_s=parse_duration(budget or "20min"),
        )
        found = _begin(settings, Request(model, parse_sizes(size or []), trust), folder)
    try:
        found = go_on(folder, found, say, endpoint_from(base_url=base_url))
    except KeyboardInterrupt:
        say(f"interrupted; what is stored is not lost: the same command goes on in {out}")
        return Status.INTERRUPTED
    if as_json:
        print_json(found.model_dump(mode="json", by_alias=True))
    else:
        print_lines(_lines(found))
        say(f"`ekb export {out} --to PROGRAM` writes the model as a C program")
    return Status.YES


def _again(found: Optimisation, model: str, device: str, agent: str, budget: str | None) -> Optimisation:
    """Take an optimisation up again, with more time where that was asked for."""
    now = (model, device, agent)
    before = (found.source, found.device, found.agent)
    if now != before:
        raise CatalogueError(
            f"expected {' on '.join(before[:2])} by {before[2]}, as the folder was begun, "
            f"found {' on '.join(now[:2])} by {now[2]}; name another folder with --out"
        )
    seconds = found.budget_s if budget is None else parse_duration(budget)
    if seconds == found.budget_s:
        return found
    # The whole is proven again: kernels may change.
    return found.model_copy(update={"budget_s": seconds, "whole": None})


def _begin(settings: Optimisation, request: Request, folder: Path) -> Optimisation:
    """Look at what was asked for, and bring the model."""
    target = find_device(settings.device).profile.target
    if target != "llvm":
        raise PrerequisiteError(
            f"models are optimised for CPUs, {settings.device} is for {target}", "name a CPU"
        )
    _bring(request, folder)
    return settings


def _bring(request: Request, folder: Path) -> None:
    """Import a model into a result folder, or copy one that was imported before."""
    if folder.exists() and any(folder.iterdir()):
        raise CatalogueError(
            f"{folder} holds something that `ekb optimise` did not begin; name another --out"
        )
    if Path(request.source).is_dir():
        load_model(Path(request.source))
        shutil.copytree(request.source, folder / MODEL)
        return
    say(f"importing {request.source}")
    began = not folder.exists()
    try:
        import_model(request, folder / MODEL)
    except EkbError:
        if began and folder.is_dir():
            folder.rmdir()
        raise


def parse_duration(text: str) -> float:
    """Read `90s`, `20min` or `2h` as seconds.

    Raises:
        CatalogueError: When it is no duration.
    """
    found = _DURATION.fullmatch(text.strip())
    seconds = float(found[1]) * _SECONDS[found[2]] if found else 0.0
    if seconds <= 0:
        raise CatalogueError(f"expected a duration such as 90s, 20min or 2h, found {text!r}")
    return seconds


def _agent(word: str, model: str | None) -> Literal["policy", "leka"]:
    match word:
        case "policy" if model is None:
            return "policy"
        case "policy":
            raise CatalogueError("policy asks no model; leave --model out, or take --agent leka")
        case "leka" if model is None:
            raise PrerequisiteError("leka asks a language model", "give --model, such as --model smollm2")
        case "leka":
            return "leka"
        case _:
            raise CatalogueError(f"no agent {word!r} for models; there are policy and leka")


def _lines(found: Optimisation) -> list[str]:
    part_of = shares(found.parts)
    heads = ["function", "share", "runs", "default us", "now us", "faster", "least us", "measured", ""]
    ordered = sorted(found.parts, key=lambda part: -part_of[part.name])
    worth = {part.name for part in worthwhile(found.parts)}
    why = {part.name: "no time left" if part.name in worth else "too little to gain" for part in ordered}
    rows = [_row(part, part_of[part.name], why[part.name]) for part in ordered]
    lines = columns([heads, *rows], right=frozenset(range(1, 8)))
    whole = found.whole
    if whole is None:
        return lines
    lines += ["", f"the whole model: {whole.apart:.1e} of its size from what {whole.against} gave"]
    if whole.start_ns is not None and whole.now_ns is not None:
        before, now = whole.start_ns / 1000, whole.now_ns / 1000
        lines.append(
            f"a run: {now:,.1f} us, by the default lowering {before:,.1f}: {before / now:.2f} times as fast"
        )
    if whole.dropped:
        lines.append(
            f"taken out again, since the model was wrong or slower with them: {', '.join(whole.dropped)}"
        )
    return lines


def _row(part: Part, share: float, why_not: str) -> list[str]:
    least = "" if part.perfect_ns is None else f"{part.perfect_ns / 1000:,.1f}"
    return [
        part.name,
        f"{share:.1%}",
        str(part.runs),
        f"{part.start_ns / 1000:,.1f}",
        f"{part.now_ns / 1000:,.1f}",
        f"{part.speedup:.2f}",
        least,
        str(part.measured),
        part.note if part.searched else why_not,
    ]
