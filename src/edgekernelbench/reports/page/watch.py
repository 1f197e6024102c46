"""Keeping a page current while a run goes on."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.records.store import write_atomically
from edgekernelbench.reports.page.bundle import bundle_run, judged_count
from edgekernelbench.reports.page.document import write_page
from edgekernelbench.reports.page.facts import FactsBook
from edgekernelbench.workloads.catalogue import load_catalogue

RECORDS = ("manifest.json", "attempts.jsonl", "judgements.jsonl")


@dataclass(frozen=True, slots=True)
class Made:
    """What a page was made of.

    Attributes:
        judged: How many attempts have an outcome.
        planned: How many there are.
        changed: Folders whose records are not as they were written.
    """

    judged: int
    planned: int
    changed: tuple[str, ...]


def make_page(
    folders: Sequence[Path], file: Path, *, again_s: int | None = None, book: FactsBook | None = None
) -> Made:
    """Write the page of some runs to a file, whole or not at all.

    Args:
        folders: Run folders.
        file: The file; its folder exists.
        again_s: After how many seconds the page loads itself again; None for never.
        book: Where workloads are looked up; None for the catalogue that comes with the package.

    Returns:
        What it was made of.

    Raises:
        RecordError: When a folder is no run, or a record cannot be read.
    """
    bundles = [bundle_run(folder, book) for folder in folders]
    write_atomically(file, write_page(bundles, again_s=again_s).encode())
    judged, planned = judged_count(bundles)
    return Made(judged, planned, tuple(b.scores.folder for b in bundles if b.scores.flaws))


def watch_runs(
    folders: Sequence[Path],
    file: Path,
    *,
    every_s: int,
    told: Callable[[Made], None],
    pause: Callable[[float], None] = time.sleep,
) -> None:
    """Write the page again whenever a record was added, until every attempt has an outcome.

    The last page still loads itself again: `make_page` then writes one that does not.

    Args:
        folders: Run folders.
        file: The file.
        every_s: How long to wait between looks, and how often an open page loads itself again.
        told: Is given what each page was made of.
        pause: Waits for some seconds.
    """
    seen: object = None
    book = FactsBook(load_catalogue())
    while True:
        now = [_sizes(folder) for folder in folders]
        if now != seen:
            made = make_page(folders, file, again_s=every_s, book=book)
            told(made)
            if made.judged == made.planned:
                return
            seen = now
        pause(every_s)


def _sizes(folder: Path) -> list[int]:
    """Give the sizes of the records: they only grow."""
    return [path.stat().st_size if (path := folder / name).exists() else 0 for name in RECORDS]
