"""`ekb show`: walk through what an agent did, step by step."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.replaying import replay_file
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.records.trajectories import FOLDER, Trajectory, as_atif, read_trajectory
from edgekernelbench.reports.walk import overview_lines, step_lines

app = command_app()


@app.command()
def show(
    path: Annotated[
        str, typer.Argument(help="A file of RUN/trajectories, or a run folder.", metavar="TRAJECTORY")
    ],
    *,
    step: Annotated[
        int | None, typer.Option("--step", help="Show this line in full.", min=1, metavar="LINE")
    ] = None,
    prompts: Annotated[bool, typer.Option("--prompts", help="Also show what the model was asked.")] = False,
    walk: Annotated[bool, typer.Option("--walk", help="Show one line after another; Enter goes on.")] = False,
    replay: Annotated[
        bool, typer.Option("--replay", help="Do every step again from the file, and compare.")
    ] = False,
    as_json: Json = False,
) -> int:
    """Show a trajectory: a table of a line a candidate, or with --step one of them in full.

    A run folder lists its trajectories. --json prints the one document that ATIF v1.7 describes.
    With --replay the status is 1 when a step comes out differently.
    """
    place = Path(path)
    if place.is_dir():
        return _list(place, as_json=as_json)
    trajectory = read_trajectory(place)
    if step is not None and step > len(trajectory.steps):
        raise RecordError(f"{place.name} has {len(trajectory.steps)} lines, there is no line {step}")
    if replay:
        return _replay(trajectory)
    if as_json:
        document = as_atif(trajectory)
        steps = document["steps"]
        print_json(steps[step - 1] if step is not None and isinstance(steps, list) else document)
    elif step is not None:
        print_lines(step_lines(trajectory, step, prompts=prompts))
    elif walk:
        _walk(trajectory, prompts=prompts)
    else:
        print_lines(overview_lines(trajectory))
    return Status.YES


def _list(run: Path, *, as_json: bool) -> int:
    files = sorted((run / FOLDER).rglob("*.jsonl"))
    if not files:
        raise RecordError(f"{run} has no trajectories: expected files in {run / FOLDER}")
    names = [str(file) for file in files]
    if as_json:
        print_json(names)
    else:
        print_lines(names)
    return Status.YES


def _walk(trajectory: Trajectory, *, prompts: bool) -> None:
    """Show line after line; on a terminal wait for Enter in between, b goes back, q ends."""
    number, waits = 1, sys.stdin.isatty()
    while number <= len(trajectory.steps):
        print_lines(step_lines(trajectory, number, prompts=prompts))
        print_lines([""])
        word = ""
        if waits and number < len(trajectory.steps):
            say("Enter: next, b: back, q: end")
            word = sys.stdin.readline().strip().lower()
        if word == "q":
            return
        number = max(1, number - 1) if word == "b" else number + 1


def _replay(trajectory: Trajectory) -> int:
    differing = replay_file(trajectory)
    if differing:
        print_lines(differing)
        return Status.NO
    print_lines([f"all {len(trajectory.steps)} lines came out the same"])
    return Status.YES
