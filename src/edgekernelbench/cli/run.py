"""`ekb run`: agents write kernels for a suite, and all are judged."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.bench.experiment import BudgetSetting, Experiment
from edgekernelbench.bench.run import start_run
from edgekernelbench.cli.going import finish_run
from edgekernelbench.cli.options import Answers, BaseUrl, Compiler, Json, Track, command_app, find_profile
from edgekernelbench.cli.planning import print_plan
from edgekernelbench.cli.rows import TIMINGS, TRACKS, agent_rows, choice, workload_ids
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.compilers import COMPILERS

app = command_app()


@app.command()
def run(
    *,
    model: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", help="A model, see `ekb model list`; may be repeated.", metavar="NAME"),
    ] = None,
    texts: Annotated[
        list[str] | None,
        typer.Option("--texts", help="A folder of kernels, FAMILY/WORKLOAD.kir each.", metavar="FOLDER"),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", "-a", help="Only direct, or only scripted.", metavar="KIND")
    ] = None,
    suite: Annotated[str, typer.Option("--suite", help="The suite of workloads.", metavar="NAME")] = "quick",
    workload: Annotated[
        list[str] | None,
        typer.Option(
            "--workload", "-w", help="Only this workload, pattern or family; may be repeated.", metavar="NAME"
        ),
    ] = None,
    track: Track = "write",
    k: Annotated[int, typer.Option("--k", "-k", help="Attempts on each workload.", min=1, metavar="N")] = 1,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", help="The run folder.", show_default="runs/TIME", metavar="DIR"),
    ] = None,
    grammar: Annotated[
        str, typer.Option("--grammar", help="Hold answers to the grammar: off, on or both.", metavar="WAY")
    ] = "off",
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", help="The most tokens of an answer.", min=1, metavar="N")
    ] = None,
    temperature: Annotated[
        float | None, typer.Option("--temperature", help="Of the sampling.", min=0, metavar="X")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Base of the sampling seeds.", metavar="N")] = 0,
    tokens: Annotated[
        int | None,
        typer.Option("--tokens", help="Budget of an attempt: tokens read and written.", min=0, metavar="N"),
    ] = None,
    submissions: Annotated[
        int, typer.Option("--submissions", help="Budget of an attempt: measurements.", min=0, metavar="N")
    ] = 0,
    timing: Annotated[
        str, typer.Option("--timing", help="none, one-child or final.", metavar="HOW")
    ] = "one-child",
    device: Annotated[
        str, typer.Option("--device", "-d", help="Profile of the device.", metavar="NAME")
    ] = "llvm",
    compiler: Compiler = "tvm",
    concurrency: Annotated[
        int, typer.Option("--concurrency", help="Attempts written at one time.", min=1, metavar="N")
    ] = 1,
    base_url: BaseUrl = None,
    answers: Answers = None,
    prices: Annotated[
        str | None, typer.Option("--prices", help="A price table for --dry-run, TOML.", metavar="FILE")
    ] = None,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what it would take, and show a prompt; ask nobody.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Let models or folders of texts write kernels for a suite, judge them all, and print the table.

    Every attempt is stored as it ends: after Ctrl-C, or a crash, `ekb resume` goes on.
    """
    experiment = Experiment(
        agents=agent_rows(
            agent=agent,
            models=model or [],
            texts=texts or [],
            grammar=grammar,
            max_tokens=max_tokens,
            temperature=temperature,
            seed=seed,
        ),
        suite=suite,
        workloads=workload_ids(workload, suite),
        track=choice("track", track, TRACKS),
        k=k,
        profile=find_profile(None, device).name,
        compiler=choice("compiler", compiler, COMPILERS),
        timing=choice("timing", timing, TIMINGS),
        budget=BudgetSetting(submissions=submissions, tokens=tokens),
        concurrency=concurrency,
    )
    if dry_run:
        print_plan(experiment, prices=prices, as_json=as_json)
        return Status.YES
    root = Path(out or f"runs/{datetime.now(UTC):%Y%m%d-%H%M%S}")
    folder = start_run(root, experiment)
    return finish_run(folder, base_url=base_url, answers=answers, as_json=as_json)
