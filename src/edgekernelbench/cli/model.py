"""`ekb model`: list, fetch and serve language models."""

import sys
from typing import Annotated

import typer

from edgekernelbench.agents.models.bundled import (
    MODELS,
    SERVER,
    bundled,
    fetch,
    has_server,
    installed_version,
    weights,
)
from edgekernelbench.agents.models.endpoint import API_KEY, BASE_URL
from edgekernelbench.agents.models.local import Server, spare_threads
from edgekernelbench.cli.model_proxy import proxy
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.text import columns

app = command_app("List, fetch and serve language models; count what agents use.")
app.command(short_help="Count what an agent uses of a model, and keep the key.")(proxy)

Name = Annotated[str, typer.Argument(help="Name of a bundled model, such as smollm2.", metavar="NAME")]


@app.command("list")
def list_models(*, as_json: Json = False) -> int:
    """List the models that come in a package, and how others are named."""
    rows = [
        {
            "name": model.name,
            "title": model.title,
            "context": model.context,
            "licence": model.licence,
            "installed": weights(model) is not None and has_server(),
            "remedy": model.remedy,
        }
        for model in MODELS
    ]
    if as_json:
        print_json(rows)
        return Status.YES
    heads = [["name", "what it is", "context", "licence", "state"]]
    cells = [
        [m.name, m.title, f"{m.context:,}", m.licence, "ready" if r["installed"] else f"absent: {m.remedy}"]
        for m, r in zip(MODELS, rows, strict=True)
    ]
    print_lines(columns(heads + cells), fold=True)
    print_lines(
        [
            "",
            f"openai:NAME     any OpenAI-compatible endpoint; {BASE_URL} and {API_KEY} say where",
            f"anthropic:NAME  Anthropic's API; {API_KEY} or ANTHROPIC_API_KEY",
            "replay:NAME     stored answers of a model, with --answers FOLDER",
        ],
        fold=True,
    )
    return Status.YES


@app.command("fetch", short_help="Install a bundled model and its server.")
def fetch_model(name: Name, *, as_json: Json = False) -> int:
    """Install a bundled model and its server into this environment, and check its weights.

    It uses pip, and the package index that pip is set up for.
    """
    model = bundled(name)
    say(f"installing {SERVER} and {model.package}, about 130 MB, unless they are there")
    path = fetch(model)
    found = {"name": model.name, "weights": str(path), "bytes": path.stat().st_size, "sha256": model.sha256}
    if as_json:
        print_json({**found, "server": installed_version("xllamacpp")})
    else:
        print_lines([f"{model.name}: {model.title}, {found['bytes']:,} B, checked: {path}"])
    return Status.YES


@app.command(short_help="Serve a bundled model over HTTP.")
def serve(
    name: Name,
    *,
    port: Annotated[
        int,
        typer.Option("--port", metavar="N", help="Port on 127.0.0.1; 0 takes a free one.", min=0, max=65535),
    ] = 0,
    threads: Annotated[
        int | None,
        typer.Option(
            "--threads",
            metavar="N",
            help="Threads to compute with.",
            min=1,
            max=256,
            show_default="all cores but one",
        ),
    ] = None,
    parallel: Annotated[
        int, typer.Option("--parallel", metavar="N", help="Calls at one time.", min=1, max=64)
    ] = 1,
) -> int:
    """Serve a bundled model over HTTP until Ctrl-C or the end of standard input.

    Prints the address; it speaks OpenAI's and Anthropic's protocols.
    """
    server = Server(bundled(name), threads=threads or spare_threads(), parallel=parallel, port=port)
    print_lines([server.base_url])
    sys.stdout.flush()
    say(f"use it with: {BASE_URL}={server.base_url} ekb run --model openai:{name} ...; Ctrl-C ends it")
    sys.stdin.read()
    return Status.YES
