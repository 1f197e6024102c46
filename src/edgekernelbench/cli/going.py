"""Going on with a run until it is done, and showing its table."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from edgekernelbench.agents.models.endpoint import endpoints_from
from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.bench.progress import Bar
from edgekernelbench.bench.run import Surroundings, continue_run
from edgekernelbench.bench.several import run_folders
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.status import Status
from edgekernelbench.metrics.headline import Withheld
from edgekernelbench.records.attempt import Ending
from edgekernelbench.records.outcome import Unjudged
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.attempt_rows import attempts_as_csv
from edgekernelbench.reports.course_tables import course_lines, courses_as_json
from edgekernelbench.reports.courses import read_courses
from edgekernelbench.reports.markdown import runs_as_markdown
from edgekernelbench.reports.portable import portable_scores
from edgekernelbench.reports.portable_tables import add_portable, portable_lines
from edgekernelbench.reports.runs import RunAttempts, RunScores, read_attempts, score_run
from edgekernelbench.reports.tables import flaw_lines, runs_as_json, table_lines

MOST_REASONS = 3
"""Reasons of lost attempts that are named."""


def finish_runs(
    folders: Sequence[RunFolder],
    *,
    base_url: Sequence[str] | None,
    answers: str | None,
    trusted: bool,
    as_json: bool,
) -> int:
    """Do what is left of runs and print their tables.

    Args:
        folders: One run, or those of several devices, the one that asks the agents first.
        base_url: Addresses of the models; None takes the environment's.
        answers: Folder of stored answers; None stores none.
        trusted: Whether programs of others that the settings name were read.
        as_json: Whether to print JSON.

    Returns:
        YES when every attempt has an outcome, NO when some are unjudged, INTERRUPTED after Ctrl-C.
    """
    endpoints = endpoints_from(base_url)
    root = folders[0].root if len(folders) == 1 else folders[0].root.parent
    say(f"run folder: {root}")
    try:
        for folder in folders:
            with Bar() as watcher:
                stored = Path(answers) if answers else None
                continue_run(folder, Surroundings(endpoints, stored, watcher, trusted=trusted))
    except KeyboardInterrupt:
        say(f"interrupted; nothing is lost: `ekb resume {root}` goes on")
        return Status.INTERRUPTED
    except (OSError, PrerequisiteError):
        say(f"what is stored is not lost: `ekb resume {root}` goes on when this is put right")
        raise
    for folder in folders:
        _say_what_is_missing(folder)
    return show_runs([str(folder.root) for folder in folders], as_json=as_json)


def read_all(folders: Sequence[str]) -> list[RunAttempts]:
    """Read runs, and of a run on several devices each."""
    return [read_attempts(run.root) for folder in folders for run in run_folders(Path(folder))]


def _say_what_is_missing(folder: RunFolder) -> None:
    """Say why attempts were lost, such as a question that waits for its answer, or were not judged."""
    lost = {a.id: a.detail for a in folder.attempts().values() if a.ending is Ending.LOST}
    unjudged = {
        attempt: judgement.outcome.detail
        for attempt, judgement in folder.judgements().items()
        if isinstance(judgement.outcome, Unjudged) and attempt not in lost
    }
    for what, reasons in (("lost for now", lost), ("not judged yet", unjudged)):
        for reason, count in Counter(reasons.values()).most_common(MOST_REASONS):
            say(f"{count} attempt{'' if count == 1 else 's'} {what}: {reason}")


def show_runs(folders: list[str], *, as_json: bool, markdown: bool = False) -> int:
    """Print the tables of runs.

    Returns:
        YES, or NO when a run has attempts that are not judged, or records that were changed.
    """
    read = read_all(folders)
    scored = [score_run(run) for run in read]
    courses = [read_courses(run) for run in read]
    portable = portable_scores(read)
    if as_json:
        values = zip(add_portable(runs_as_json(scored), portable), courses, strict=True)
        print_json([{**run, "courses": courses_as_json(own)} if own else run for run, own in values])
    elif markdown:
        print_lines([*runs_as_markdown(scored), *portable_lines(portable)])
        _say_flaws(scored)
    else:
        print_lines(table_lines(scored))
        for own in courses:
            lines = course_lines(own)
            print_lines(["", *lines] if lines else [])
        print_lines(portable_lines(portable))
    return _status(scored)


def print_rows(folders: list[str]) -> int:
    """Print one row for each planned attempt of some runs, as CSV.

    Returns:
        As `show_runs`.
    """
    read = read_all(folders)
    print_lines(attempts_as_csv(read).split("\r\n")[:-1])
    scored = [score_run(run) for run in read]
    _say_flaws(scored)
    return _status(scored)


def _say_flaws(scored: Sequence[RunScores]) -> None:
    """Name changed records, where the form of the result has no place for them."""
    for run in scored:
        for line in flaw_lines(run.flaws, run.folder):
            say(line)


def _status(scored: Sequence[RunScores]) -> Status:
    withheld = any(isinstance(row, Withheld) and not row.barred for run in scored for row in run.rows)
    return Status.NO if withheld or any(run.flaws for run in scored) else Status.YES
