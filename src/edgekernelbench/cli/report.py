"""`ekb report`: the scores of runs, as a table or as a page."""

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.several import run_folders
from edgekernelbench.cli.going import print_rows, show_runs
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.reports.page.watch import Made, make_page, watch_runs

app = command_app()

EVERY_S = 10
"""How often a watched run is looked at, and a watched page loads itself again."""


@app.command()
def report(
    runs: Annotated[list[str], typer.Argument(help="Run folders.", metavar="RUN...")],
    *,
    html: Annotated[
        str | None, typer.Option("--html", help="Write one page that needs nothing else.", metavar="FILE")
    ] = None,
    watch: Annotated[
        bool, typer.Option("--watch", help="With --html: write it again until all runs are done.")
    ] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the tables as Markdown.")] = False,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print one row an attempt, as CSV.")] = False,
    as_json: Json = False,
) -> int:
    """Show what each agent of a run scored, with intervals and what its failures were.

    With --html, one file holds tables, pictures, every text and how to repeat it; it opens without a network.

    The status is 1 when a run has attempts that are not judged: it has no score until it is resumed. It is
    also 1 when records were changed after they were written.
    """
    if watch and html is None:
        raise RecordError("--watch keeps a page current: name its file with --html")
    if markdown + as_csv + as_json > 1 or (html is not None and (markdown or as_csv)):
        raise RecordError("--markdown, --csv, --json and --html are different forms: name one")
    if html is not None:
        folders = [folder.root for run in runs for folder in run_folders(Path(run))]
        return _write_page(folders, Path(html), watch=watch, as_json=as_json)
    if as_csv:
        return print_rows(runs)
    return show_runs(runs, as_json=as_json, markdown=markdown)


def _tell(made: Made) -> None:
    say(f"{made.judged} of {made.planned} judged")


def _write_page(runs: list[Path], file: Path, *, watch: bool, as_json: bool) -> int:
    if not file.parent.is_dir():
        raise RecordError(f"{file}: its folder does not exist; make it first")
    if watch:
        say(f"{file} is written again every {EVERY_S} s while attempts come in; Ctrl-C ends that")
        watch_runs(runs, file, every_s=EVERY_S, told=_tell)
    made = make_page(runs, file)
    size = file.stat().st_size
    if as_json:
        print_json({"file": str(file), "bytes": size, **asdict(made)})
    else:
        print_lines([f"{file}: {made.judged} of {made.planned} attempts judged, {size / 1e6:.1f} MB"])
    for folder in made.changed:
        say(f"the records of {folder} were changed after they were written: no score of them can be believed")
    return Status.YES if made.judged == made.planned and not made.changed else Status.NO
