"""`ekb judge`: is one kernel correct for a workload, and how fast?"""

import math
import secrets
from collections.abc import Sequence
from typing import Annotated

import typer

from edgekernelbench.bench.beside import reference_baselines
from edgekernelbench.bench.feedback import feedback_of
from edgekernelbench.bench.release import release_name
from edgekernelbench.cli.catalogues import Folder, HeldOut, find_workload
from edgekernelbench.cli.files import read_text, shown
from edgekernelbench.cli.known_words import workload_ids
from edgekernelbench.cli.lasting import Sustained, lasting_lines, parse_seconds
from edgekernelbench.cli.options import (
    Compiler,
    File,
    Json,
    LanguageName,
    Reference,
    command_app,
    read_reference,
)
from edgekernelbench.cli.output import print_json, print_lines, say
from edgekernelbench.cli.rows import read_language
from edgekernelbench.cli.status import Status
from edgekernelbench.evaluator.baselines import Baseline
from edgekernelbench.evaluator.devices import open_judges
from edgekernelbench.evaluator.exam import choose_inputs
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.evaluator.ring import TimingPlan
from edgekernelbench.evaluator.submission import Submission
from edgekernelbench.lang.source import line_ends
from edgekernelbench.metrics.speed import log_speedup
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.records.judgement import Judgement
from edgekernelbench.records.outcome import Correct, Rejected, Unjudged
from edgekernelbench.records.reference import BASELINE_OF
from edgekernelbench.records.schema import storable
from edgekernelbench.reports.tables import FLAGS

app = command_app()


@app.command()
def judge(
    file: File,
    *,
    workload: Annotated[
        str,
        typer.Option(
            "--workload", "-w", help="Id of the workload.", metavar="ID", autocompletion=workload_ids
        ),
    ],
    timing: Annotated[
        bool, typer.Option("--timing/--no-timing", help="Whether a correct kernel is timed.")
    ] = True,
    sets: Annotated[
        int,
        typer.Option(
            "--sets", help="Sets of fresh processes to time in; a final verdict has 5.", min=1, metavar="N"
        ),
    ] = 1,
    device: Annotated[
        str,
        typer.Option("--device", "-d", help="A profile, or rpc:KEY for a board.", metavar="NAME"),
    ] = "llvm",
    sustained: Sustained = None,
    compiler: Compiler = "tvm",
    language: LanguageName = "kernel",
    reference: Reference = None,
    held_out: HeldOut = None,
    folder: Folder = None,
    as_json: Json = False,
) -> int:
    """Judge one kernel on fresh inputs: refused, crashed, wrong or correct, and how fast beside the default.

    The status is 0 for a correct kernel, 1 for another outcome, 3 when nothing could be learnt.
    """
    found = find_workload(workload, folder, held_out)
    source = line_ends(storable(read_text(file)))
    submission = Submission(
        workload=found,
        text=source,
        inputs=choose_inputs(secrets.token_bytes(16), found),
        timing=TimingPlan(rings=sets, sustain_s=parse_seconds(sustained)) if timing else None,
        attempt=f"hand/{found.id}/0",
        language=read_language(language),
        reveal=True,
    )
    with _opened(device, compiler, reference or "r0") as judging:
        judgement = judging.judge(submission)
    if as_json:
        print_json(judgement.model_dump(mode="json", by_alias=True))
    else:
        print_lines(_lines(judgement, source, shown(file)))
    match judgement.outcome:
        case Correct():
            return Status.YES
        case Unjudged(cause=cause, detail=detail):
            say(f"ekb: nothing was learnt about the kernel ({cause}): {detail}")
            return Status.MISSING
        case _:
            return Status.NO


def _opened(device: str, compiler: str, reference: str) -> JudgePool:
    kind, folder = read_reference(reference)

    def beside(profile: Profile) -> Sequence[Baseline]:
        return reference_baselines(kind, folder, profile, compiler)

    return open_judges(device, compiler, beside, release=release_name(), at_most=1)


def _lines(judgement: Judgement, source: str, name: str) -> list[str]:
    match judgement.outcome:
        case Rejected(diagnostics=diagnostics):
            return [line for d in diagnostics for line in d.render(source, name).split("\n")]
        case Unjudged():
            return []
        case _:
            # These are a person's own kernel and inputs drawn for this once: wrong elements may be shown.
            fresh = f"{len(judgement.inputs)} sets of fresh inputs"
            lines = feedback_of(judgement, source, public=True, inputs=fresh).text.split("\n")
            flags = [f"note: {_sentence(flag)}" for flag in judgement.flags]
            return [*lines, *_tuned_lines(judgement), *flags, *lasting_lines(judgement)]


def _sentence(flag: str) -> str:
    return f"{FLAGS[flag][1]} ({flag})" if flag in FLAGS else flag


def _tuned_lines(judgement: Judgement) -> list[str]:
    """Say how fast a kernel is beside R1, and what that is for its workload; nothing without R1."""
    reference, outcome = judgement.reference, judgement.outcome
    if reference is None or reference.kind != "R1" or not isinstance(outcome, Correct):
        return []
    log = log_speedup(outcome.rings, BASELINE_OF["R1"])
    speed = "not measured" if log is None else f"{math.exp(log):.2f} times as fast"
    why = [f"{name}: {reason}" for name, reason in reference.fallen.items()]
    return [f"beside R1 of release {reference.release}, here {reference.name}: {speed}", *why]
