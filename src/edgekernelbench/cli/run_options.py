"""The options of `ekb run`."""

from typing import Annotated

import typer

from edgekernelbench.cli import catalogues
from edgekernelbench.cli.known_words import suites, workloads

Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help="A model, see `ekb model list`; may be repeated.", metavar="NAME"),
]
Texts = Annotated[
    list[str] | None,
    typer.Option("--texts", help="A folder of kernels, FAMILY/WORKLOAD.kir each.", metavar="FOLDER"),
]
Again = Annotated[
    str | None,
    typer.Option("--again", help="Judge the answers of this run again; ask nobody.", metavar="RUN"),
]
AgentKind = Annotated[
    str | None,
    typer.Option(
        "--agents",
        "--agent",
        "-a",
        help="Who writes, a list with commas: direct, best-of, repair, leka, policy, cli:NAME, ...",
        metavar="LIST",
        show_default="direct",
    ),
]
Unconfined = Annotated[
    bool,
    typer.Option(
        "--unconfined", help="Let command-line agents see this machine; no comparison has such rows."
    ),
]
Suite = Annotated[
    str | None,
    typer.Option(
        "--suite",
        help="The suite of workloads.",
        metavar="NAME",
        autocompletion=suites,
        show_default="quick, with --in: full",
    ),
]
Workloads = Annotated[
    list[str] | None,
    typer.Option(
        "--workload",
        "-w",
        help="Only this workload, pattern or family; may be repeated.",
        metavar="NAME",
        autocompletion=workloads,
    ),
]
HeldOut = catalogues.HeldOut
Attempts = Annotated[
    int, typer.Option("--k", "-k", "--seeds", help="Attempts on each workload.", min=1, metavar="N")
]
Out = Annotated[
    str | None,
    typer.Option("--out", "-o", help="The run folder.", show_default="runs/TIME", metavar="DIR"),
]
Grammar = Annotated[
    str, typer.Option("--grammar", help="Hold answers to the grammar: off, on or both.", metavar="WAY")
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", help="The most tokens of an answer.", min=1, metavar="N")
]
Temperature = Annotated[
    float | None, typer.Option("--temperature", help="Of the sampling.", min=0, metavar="X")
]
Seed = Annotated[int, typer.Option("--seed", help="Base of the sampling seeds.", metavar="N")]
Tokens = Annotated[
    int | None,
    typer.Option("--tokens", help="Budget of an attempt: tokens read and written.", min=0, metavar="N"),
]
Submissions = Annotated[
    int | None,
    typer.Option(
        "--submissions",
        help="Budget of an attempt: measurements.",
        min=0,
        metavar="N",
        show_default="16, direct: 0",
    ),
]
Calls = Annotated[
    int | None,
    typer.Option(
        "--calls",
        help="Budget of an attempt: calls of the model.",
        min=0,
        metavar="N",
        show_default="4 a submission",
    ),
]
Money = Annotated[
    float | None,
    typer.Option("--money", help="Budget of an attempt: money; needs --prices.", min=0, metavar="X"),
]
Seconds = Annotated[
    float | None,
    typer.Option("--seconds", help="Budget of an attempt: time, device not counted.", min=0, metavar="X"),
]
Timing = Annotated[
    str | None,
    typer.Option("--timing", help="none, one-child or final.", metavar="HOW", show_default="one-child"),
]
Vendor = Annotated[
    bool, typer.Option("--vendor", help="Also time the fastest correct of ONNX Runtime and PyTorch.")
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust", help="Run PyTorch functions of DIR and other programs that a run names: they were read."
    ),
]
Device = Annotated[
    str | None,
    typer.Option(
        "--device",
        "-d",
        help="Profiles or rpc:KEY, with commas: agents work with the first.",
        metavar="NAMES",
        show_default="llvm",
    ),
]
CompilerName = Annotated[
    str | None, typer.Option("--compiler", help="tvm or c.", metavar="NAME", show_default="tvm")
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", help="Attempts written at one time.", min=1, metavar="N")
]
Prices = Annotated[
    str | None, typer.Option("--prices", help="A price table of models, TOML.", metavar="FILE")
]
DryRun = Annotated[
    bool, typer.Option("--dry-run", help="Say what it would take, and show a prompt; ask nobody.")
]
