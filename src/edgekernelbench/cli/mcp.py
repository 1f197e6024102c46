"""`ekb mcp`: an agent from elsewhere works on one task, at the same budget as every other."""

import os
import secrets
import signal
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.bench.experiment import AgentSetting, BudgetSetting, Experiment
from edgekernelbench.bench.hosting import host_run
from edgekernelbench.bench.mcp_server import LOOPBACK, serve_http, serve_stdio
from edgekernelbench.bench.run import Surroundings, start_run
from edgekernelbench.cli import run_options as o
from edgekernelbench.cli.options import Compiler, Track, command_app, find_profile
from edgekernelbench.cli.output import say
from edgekernelbench.cli.rows import SUBMISSIONS, TIMINGS, TRACKS, choice, row_name
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.runs import read_run
from edgekernelbench.reports.tables import table_lines

TOKEN = "EKB_MCP_TOKEN"  # noqa: S105 - the name of a variable

app = command_app()


@app.command()
def mcp(
    *,
    workload: Annotated[str, typer.Option("--workload", "-w", help="Id of the workload.", metavar="ID")],
    name: Annotated[
        str, typer.Option("--name", help="What the agent's row is called.", metavar="NAME")
    ] = "mcp",
    track: Track = "write",
    submissions: Annotated[
        int, typer.Option("--submissions", help="Measurements that it may make.", min=0, metavar="N")
    ] = SUBMISSIONS,
    seconds: o.Seconds = None,
    timing: o.Timing = None,
    device: Annotated[
        str, typer.Option("--device", "-d", help="Profile of the device.", metavar="NAME")
    ] = "llvm",
    compiler: Compiler = "tvm",
    out: o.Out = None,
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP on this machine, until Ctrl-C.")
    ] = False,
    port: Annotated[int, typer.Option("--port", help="Its port.", min=1, max=65535, metavar="N")] = 8765,
) -> int:
    """Serve one task to an agent through the Model Context Protocol, then judge what it leaves.

    On standard input and output, it ends when the client leaves; over HTTP, at Ctrl-C. The agent has five
    tools (task, check, measure, best, budget) and three resources. The best text that it measured is its
    answer; should the client end this process before it is judged, `ekb resume` does that. Over HTTP,
    clients send `Authorization: Bearer TOKEN`, from EKB_MCP_TOKEN or as printed.
    """
    budget = BudgetSetting(submissions=submissions, seconds=seconds)
    experiment = Experiment(
        agents=(AgentSetting(name=row_name(name), kind="mcp"),),
        suite="full",
        workloads=(workload,),
        track=choice("track", track, TRACKS),
        profile=find_profile(None, device).name,
        compiler=compiler,
        timing=choice("timing", timing, TIMINGS) if timing else "one-child",
        budget=budget,
    )
    folder = start_run(Path(out or f"runs/{datetime.now(UTC):%Y%m%d-%H%M%S}-mcp"), experiment)
    say(f"run folder: {folder.root}")
    serve = serve_stdio
    if http:
        token = os.environ.get(TOKEN) or secrets.token_urlsafe(24)
        say(f"serving http://{LOOPBACK}:{port}/mcp, token {token}")
        serve = partial(serve_http, port=port, token=token)
        # The server hears of Ctrl-C itself; what comes after it is judging, which goes on.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    host_run(folder, serve, Surroundings())
    for line in table_lines([read_run(folder.root)]):
        say(line)
    return Status.YES
