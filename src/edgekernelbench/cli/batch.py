"""`ekb batch`: prompts out, answers in, for models that no program can call."""

from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.agents.batch import check_asked, export_batch, read_answers, read_batch, store_answers
from edgekernelbench.bench.experiment import Experiment
from edgekernelbench.bench.requests import planned_requests
from edgekernelbench.cli.options import Json, Track, command_app, find_profile
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.rows import TRACKS, Asking, agent_rows, choice, choose_workloads
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.text import counted

app = command_app("Write prompts to files, read answers back.")


@app.command("export", short_help="Write the prompts of a run to files.")
def export_prompts(
    *,
    out: Annotated[str, typer.Option("--out", "-o", help="The batch folder.", metavar="DIR")],
    model: Annotated[
        str, typer.Option("--model", "-m", help="Name of the model that will answer.", metavar="NAME")
    ],
    suite: Annotated[str, typer.Option("--suite", help="The suite of workloads.", metavar="NAME")] = "quick",
    workload: Annotated[
        list[str] | None,
        typer.Option("--workload", "-w", help="Only this workload, pattern or family.", metavar="NAME"),
    ] = None,
    track: Track = "write",
    k: Annotated[int, typer.Option("--k", "-k", help="Attempts on each workload.", min=1, metavar="N")] = 1,
    device: Annotated[
        str, typer.Option("--device", "-d", help="Profile of the device.", metavar="NAME")
    ] = "llvm",
    files: Annotated[bool, typer.Option("--files", help="Also write one text file a prompt.")] = False,
    as_json: Json = False,
) -> int:
    """Write the prompts of a run to DIR/requests.jsonl, and to DIR/prompts/*.txt with --files.

    Answers belong into DIR/answers.jsonl, a line {"id": ..., "answer": ...} each, or into
    DIR/answers/, a file with the name of its prompt each.
    """
    rows = agent_rows(("direct",), [f"replay:{model}"], [], Asking())
    experiment = Experiment(
        agents=rows,
        suite=suite,
        workloads=choose_workloads(workload, suite).workloads,
        track=choice("track", track, TRACKS),
        k=k,
        profile=find_profile(None, device).name,
    )
    items = planned_requests(experiment, rows[0])
    export_batch(items, Path(out), as_folder=files)
    if as_json:
        print_json({"folder": out, "requests": [item.id for item in items]})
    else:
        print_lines([f"{counted(len(items), 'prompt')} in {out}"])
    return Status.YES


@app.command("import", short_help="Keep answers, so that a run can judge them.")
def import_answers(
    folder: Annotated[str, typer.Argument(help="The batch folder.", metavar="DIR")],
    *,
    model: Annotated[
        str, typer.Option("--model", "-m", help="Name of the model that answered, without `batch:`.")
    ],
    answers: Annotated[str, typer.Option("--answers", help="Folder to keep them in.", metavar="FOLDER")],
    as_json: Json = False,
) -> int:
    """Keep the answers of a batch, so that `ekb run --model replay:NAME --answers FOLDER` judges them.

    The status is 1 when an answer is missing, double or of no prompt; the others are kept all the same.
    """
    items = read_batch(Path(folder))
    check_asked(items, model)
    found = read_answers(Path(folder), items)
    fresh = store_answers(items, found.answers, model=model, store=Path(answers))
    problems = {"missing": found.missing, "double": found.double, "unknown": found.unknown}
    if as_json:
        print_json({"prompts": len(items), "answers": len(found.answers), "new": fresh, **problems})
    else:
        print_lines(f"{kind}: {name}" for kind, names in problems.items() for name in names)
        kept = f"{len(found.answers)} of {len(items)} answers are kept in {answers}"
        print_lines([f"{kept}, {fresh} of them new"])
    return Status.YES if found.is_complete else Status.NO
