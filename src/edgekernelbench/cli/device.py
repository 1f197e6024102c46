"""`ekb device`: which devices there are, and boards."""

from dataclasses import asdict
from typing import Annotated

import typer

from edgekernelbench.cli.boards import LISTEN, plan_board, serve_board, serve_tracker
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.status import Status
from edgekernelbench.compiler.tvm.rpc import Queue, ask_tracker
from edgekernelbench.evaluator.boards.address import LOOPBACK, TRACKER_PORT, parse_tracker
from edgekernelbench.evaluator.whereabouts import Availability, find_availability
from edgekernelbench.reports.text import columns

app = command_app("List devices, and reach boards of other machines.")

HERE = f"{LOOPBACK}:{TRACKER_PORT}"
Tracker = Annotated[str, typer.Option("--tracker", help="Where the tracker is.", metavar="HOST[:PORT]")]
Host = Annotated[str, typer.Option("--host", help="Address to listen on.", metavar="ADDRESS")]
Network = Annotated[
    bool,
    typer.Option("--open-to-network", help="Listen beyond this machine: whoever connects can run programs."),
]


@app.command("list")
def list_devices(*, as_json: Json = False) -> int:
    """List all profiles: class, target, and whether kernels can be run on the device from here.

    A kernel is run on every device that this machine could have.
    """
    found = find_availability()
    if as_json:
        print_json([{"name": one.profile.name, **_row(one)} for one in found])
        return Status.YES
    heads = ["profile", "class", "target", "runs here", ""]
    cells = [[a.profile.name, a.profile.device_class, a.profile.target, _word(a), a.why] for a in found]
    print_lines(columns([heads, *cells]))
    return Status.YES


@app.command()
def boards(*, tracker: Tracker = HERE, as_json: Json = False) -> int:
    """List the boards that are registered with a tracker, by kind; the status is 1 when there is none."""
    found = {key: queue for key, queue in ask_tracker(*parse_tracker(tracker)).items() if queue.boards}
    if as_json:
        print_json({key: asdict(queue) for key, queue in found.items()})
    else:
        print_lines(_boards(found) or ["no board is registered"])
    return Status.YES if found else Status.NO


def _row(one: Availability) -> dict[str, object]:
    profile = one.profile
    return {
        "class": str(profile.device_class),
        "target": profile.target,
        "runs_here": one.here,
        "why": one.why,
        "title": profile.title,
    }


def _word(one: Availability) -> str:
    return "yes" if one.here else "no"


def _boards(boards: dict[str, Queue]) -> list[str]:
    return [
        f"rpc:{key}: {len(queue.boards)} registered, {queue.free} free, {queue.waiting} waited for"
        for key, queue in boards.items()
    ]


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="A profile.", metavar="PROFILE")], *, as_json: Json = False
) -> int:
    """Show what a profile says of its device, where its numbers come from, and whether it is here."""
    (found,) = find_availability((name,))
    if as_json:
        print_json({**asdict(found.profile), "runs_here": found.here, "why": found.why})
        return Status.YES
    fields = asdict(found.profile)
    plain = {k: v for k, v in fields.items() if k not in ("sources", "quirks") and v not in ("", (), 0)}
    print_lines(columns([[key, _value(value)] for key, value in plain.items()]))
    print_lines(["", f"runs here: {_word(found)}; {found.why}"])
    print_lines(f"quirk: {quirk}" for quirk in found.profile.quirks)
    print_lines(f"source: {source}" for source in found.profile.sources)
    return Status.YES


def _value(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(map(_value, value))
    return f"{value:,}" if isinstance(value, int) else str(value)


@app.command()
def serve(
    *,
    profile: Annotated[
        str, typer.Option("--profile", "-p", help="What this machine's device is.", metavar="NAME")
    ] = "llvm",
    key: Annotated[
        str | None,
        typer.Option(
            "--key", help="Kind of board, as runs name it.", metavar="KEY", show_default="the profile"
        ),
    ] = None,
    tracker: Tracker = HERE,
    host: Host = LISTEN,
    port: Annotated[int, typer.Option("--port", help="Port to listen on; 0 for any.", metavar="PORT")] = 0,
    open_to_network: Network = False,
) -> int:
    """Make this machine a board: run kernels for those who ask the tracker for one, until Ctrl-C.

    A kernel is run first; the board is registered when its result is right.
    """
    plan = plan_board(profile, key, parse_tracker(tracker), host, port, network=open_to_network)
    return serve_board(plan)


@app.command()
def tracker(
    *,
    host: Host = LISTEN,
    port: Annotated[
        int, typer.Option("--port", help="Port to listen on; 0 for any.", metavar="PORT")
    ] = TRACKER_PORT,
    open_to_network: Network = False,
) -> int:
    """Keep the queue of boards: they register here, and runs ask for them here, until Ctrl-C."""
    return serve_tracker(host, port, network=open_to_network)
