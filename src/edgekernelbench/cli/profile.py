"""`ekb profile`: where the time and the memory of a model go on a device."""

import tempfile
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.progress import Bar
from edgekernelbench.cli.import_ import Sizes, Trust, parse_sizes
from edgekernelbench.cli.options import Compiler, Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.imports.importing import Request, import_model
from edgekernelbench.imports.measuring import measure
from edgekernelbench.imports.profiling import ModelProfile, Part, advice, profile_model
from edgekernelbench.imports.record import load_model
from edgekernelbench.reports.page.model import write_model_page
from edgekernelbench.reports.text import columns

app = command_app()


@app.command()
def profile(
    model: Annotated[
        str,
        typer.Argument(help="A model as `ekb import` takes it, or the folder that it made.", metavar="MODEL"),
    ],
    *,
    device: Annotated[
        str, typer.Option("--device", "-d", help="A profile, or rpc:KEY for a board.", metavar="NAME")
    ] = "llvm",
    out: Annotated[
        str | None, typer.Option("--out", "-o", help="Keep the imported model there.", metavar="DIR")
    ] = None,
    size: Sizes = None,
    trust: Trust = False,
    again: Annotated[bool, typer.Option("--again", help="Measure even when times are kept.")] = False,
    html: Annotated[
        str | None, typer.Option("--html", help="Write a page with pictures, too.", metavar="FILE")
    ] = None,
    compiler: Compiler = "tvm",
    as_json: Json = False,
) -> int:
    """Judge and time every function of a model on a device, and say where a budget would pay.

    Times are those of the default lowering. Beside them stands the least time that the device needs.
    The status is 1 when a function is not correct.
    """
    if html is not None and not Path(html).parent.is_dir():
        raise CatalogueError(f"{html}: its folder does not exist; make it first")
    if Path(model).is_dir() and (out is not None or size or trust):
        raise CatalogueError(f"{model} is imported already: --out, --size and --trust are for `ekb import`")
    with tempfile.TemporaryDirectory(prefix="ekb-profile-") as scratch:
        folder = Path(model)
        if not folder.is_dir():
            folder = Path(out) if out is not None else Path(scratch) / "model"
            import_model(Request(model, parse_sizes(size or []), trust), folder)
        found = _measured(folder, device, compiler, again=again)
    if html is not None:
        Path(html).write_text(write_model_page(found), encoding="utf-8")
    if as_json:
        print_json(as_record(found))
    else:
        print_lines(profile_lines(found), fold=True)
    wrong = [p for p in found.parts if p.function.workload is not None and p.function.verdict != "correct"]
    return Status.NO if wrong else Status.YES


def _measured(folder: Path, device: str, compiler: str, *, again: bool) -> ModelProfile:
    model = load_model(folder)
    if again or model.device != device:
        with Bar() as bar:
            bar.begin("measuring", len(model.functions), 0)
            model = measure(folder, device, compiler=compiler, progress=lambda *_: bar.advance("functions"))
    else:
        say(f"times measured before, on {device}; --again measures them anew")
    return profile_model(model, folder)


def as_record(profile: ModelProfile) -> dict[str, object]:
    """Write a profile as JSON holds it."""
    return {
        "model": profile.model.name,
        "device": profile.model.device,
        "total_ns": profile.total_ns,
        "weights_bytes": profile.weights_bytes,
        "peak_bytes": profile.peak_bytes,
        "raised_share": profile.raised_share,
        "gain": profile.gain,
        "parts": [
            {
                **part.function.model_dump(mode="json"),
                "total_ns": part.total_ns,
                "kind": part.kind,
                "gain": part.gain,
                "weights_bytes": part.weights_bytes,
                "worth": part.is_worth,
            }
            for part in profile.parts
        ],
        "advice": list(advice(profile)),
    }


def profile_lines(profile: ModelProfile) -> list[str]:
    """Write a profile as a table with what to do next."""
    weights, values = _kibi(profile.weights_bytes), _kibi(profile.peak_bytes)
    head = ["function", "runs", "time", "share", "least", "to gain", "moved", "bound by", "operators"]
    rows = [_row(part) for part in profile.parts]
    return [
        f"{profile.model.source} on {profile.model.device}: {_micro(profile.total_ns)} in functions, "
        f"{weights} of weights, at most {values} of values between calls",
        "",
        *columns([head, *rows], right=frozenset({1, 2, 3, 4, 5, 6})),
        "",
        f"{profile.raised_share:.1%} of the time is in functions that were raised and judged correct; "
        f"perfect kernels would save {profile.gain:.0%}",
        *advice(profile),
    ]


def _row(part: Part) -> list[str]:
    function, needs = part.function, part.function.needs
    return [
        function.name,
        str(function.runs),
        _micro(part.total_ns),
        "" if function.share is None else f"{function.share:.1%}",
        "" if needs is None else _micro(needs.bound_ns * function.runs),
        "" if part.gain is None else f"{part.gain:.1%}",
        "" if needs is None else _kibi(needs.moved_bytes * function.runs),
        part.kind,
        " ".join(function.operators[:5]) + (" …" if len(function.operators) > 5 else ""),
    ]


def _micro(ns: float | None) -> str:
    return "" if ns is None else f"{ns / 1000:,.2f} us"


def _kibi(count: int) -> str:
    return f"{count / 1024:,.1f} KiB"
