"""`ekb reproduce`: are the records what was written, and does judging once more give the same answer?"""

import random
from pathlib import Path
from typing import Annotated

import typer

from edgekernelbench.base.errors import RecordError
from edgekernelbench.bench.progress import Bar
from edgekernelbench.bench.reproduction import (
    Agreement,
    Plan,
    Repetition,
    other_versions,
    repeatable,
)
from edgekernelbench.bench.reproduction import (
    reproduce as judge_once_more,
)
from edgekernelbench.bench.several import run_folders
from edgekernelbench.cli.options import Json, command_app
from edgekernelbench.cli.output import print_json, print_lines
from edgekernelbench.cli.repetitions import repetition_lines, repetitions_as_json
from edgekernelbench.cli.run_options import Trust
from edgekernelbench.cli.status import Status
from edgekernelbench.records.integrity import UNSEALED, artifact_flaws, is_sealed, run_digest, run_flaws
from edgekernelbench.records.seals import Flaw
from edgekernelbench.records.store import RunFolder
from edgekernelbench.reports.text import wrapped

app = command_app()


@app.command()
def reproduce(
    run: Annotated[str, typer.Argument(help="A run folder; it is only read.", metavar="RUN")],
    attempts: Annotated[
        list[str] | None,
        typer.Argument(help="Attempts, workloads or agents; all when none is named.", metavar="ATTEMPT"),
    ] = None,
    *,
    sample: Annotated[
        int | None,
        typer.Option("--sample", help="Only so many of them, drawn by chance.", min=1, metavar="N"),
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="Of that draw.", metavar="N")] = 0,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="On inputs drawn anew, not those on record.")
    ] = False,
    timing: Annotated[
        bool, typer.Option("--timing/--no-timing", help="Whether speeds are measured again.")
    ] = True,
    records_only: Annotated[
        bool, typer.Option("--records-only", help="Look at the records alone; judge nothing.")
    ] = False,
    trust: Trust = False,
    as_json: Json = False,
) -> int:
    """Check the seals of a run's records, then judge its stored texts once more and compare.

    With the vendor's libraries on a catalogue from elsewhere, PyTorch functions are run: read them, then add
    --trust.

    The same inputs, release, compiler and timing are used. Outcomes must be the same, speeds within the
    interval that repetition shows anyway: of honest runs at most one in twenty disagrees anywhere.

    The status is 0 when all agrees, 1 when records were changed or an answer is another one, 3 when nothing
    could be learnt of an attempt.
    """
    folder, *others = run_folders(Path(run))
    if others:
        names = ", ".join(str(one.root) for one in (folder, *others))
        raise RecordError(f"{run} holds runs on several devices: name one of {names}")
    flaws = _all_flaws(folder)
    wanted: tuple[str, ...] = () if records_only else repeatable(folder, attempts or ())
    if sample is not None and sample < len(wanted):
        chosen = set(random.Random(seed).sample(wanted, sample))  # noqa: S311 - a reproducible draw
        wanted = tuple(name for name in wanted if name in chosen)
    if not as_json:
        print_lines(_record_lines(folder, flaws))
    repetitions: tuple[Repetition, ...] = ()
    if wanted:
        with Bar() as watcher:
            repetitions = judge_once_more(
                folder, Plan(wanted, fresh=fresh, timed=timing, trusted=trust), watcher
            )
    if as_json:
        print_json(_as_json(folder, flaws, repetitions, fresh=fresh))
    elif not records_only:
        print_lines(["", *_conditions(folder, fresh=fresh), *repetition_lines(repetitions)])
    kinds = {one.agreement for one in repetitions}
    if flaws or Agreement.DIFFERS in kinds:
        return Status.NO
    return Status.MISSING if Agreement.UNKNOWN in kinds else Status.YES


def _all_flaws(folder: RunFolder) -> tuple[Flaw, ...]:
    """Look at everything; of records that were changed until they are none, the seals are named first."""
    flaws = run_flaws(folder)
    try:
        return (*flaws, *artifact_flaws(folder))
    except RecordError as error:
        if flaws:
            raise RecordError("; ".join([*map(str, flaws), f"nothing more can be read: {error}"])) from None
        raise


def _record_lines(folder: RunFolder, flaws: tuple[Flaw, ...]) -> list[str]:
    attempts, judgements = len(folder.attempts()), len(folder.judgements())
    head = f"records: {attempts} attempts, {judgements} judgements, digest {run_digest(folder)}"
    if flaws:
        return [head, *(line for flaw in flaws for line in wrapped(str(flaw)))]
    if is_sealed(folder):
        return [head, "all seals hold: they are what was written"]
    return [head, UNSEALED]


def _conditions(folder: RunFolder, *, fresh: bool) -> list[str]:
    """Say on what the repetition rests."""
    how = "on inputs drawn anew" if fresh else "on the inputs on record"
    other = other_versions(folder.manifest())
    lines = [f"judged again {how}"]
    if other:
        named = ", ".join(f"{name} {then}, now {now}" for name, (then, now) in other.items())
        lines += wrapped(f"other versions than then: {named}")
    return [*lines, ""]


def _as_json(
    folder: RunFolder, flaws: tuple[Flaw, ...], repetitions: tuple[Repetition, ...], *, fresh: bool
) -> dict[str, object]:
    return {
        "folder": str(folder.root),
        "records": {
            "digest": run_digest(folder),
            "sealed": is_sealed(folder),
            "flaws": [str(flaw) for flaw in flaws],
        },
        "inputs": "fresh" if fresh else "stored",
        "other_versions": {
            name: {"then": then, "now": now}
            for name, (then, now) in other_versions(folder.manifest()).items()
        },
        "attempts": repetitions_as_json(repetitions),
    }
