"""From the word for a device to what it has, and to judges of it."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.evaluator.baselines import Baseline, Bench, DefaultBaseline
from edgekernelbench.evaluator.boards.address import is_board, parse_address
from edgekernelbench.evaluator.boards.parcels import Parcels
from edgekernelbench.evaluator.boards.place import Board, ask_facts, count_boards
from edgekernelbench.evaluator.boards.readying import Readier
from edgekernelbench.evaluator.exam import Exams
from edgekernelbench.evaluator.judge import Judge
from edgekernelbench.evaluator.pool import JudgePool
from edgekernelbench.profiles.peaks import load_peaks
from edgekernelbench.profiles.profile import Profile, load_profile
from edgekernelbench.records.judgement import BoardRecord

MakeBaselines = Callable[[Profile], Sequence[Baseline]]
"""Gives the baselines of a device; each judge has its own."""

SHARED_BYTES = 1 << 30
"""Examinations that are kept for all boards of a kind, those that wait for one among them."""

AGAIN_S = 10.0
"""How long to wait for another board once one was lost."""


@dataclass(frozen=True, slots=True)
class Device:
    """What a device is, before anything is judged on it.

    Attributes:
        name: As it was asked for: a profile, or `rpc:KEY`.
        profile: What it has.
        board: What a board says of itself; None for a device of this machine.
    """

    name: str
    profile: Profile
    board: BoardRecord | None = None


def find_device(name: str) -> Device:
    """Find a device.

    Args:
        name: A profile, `rpc:KEY`, or `rpc:KEY@HOST:PORT`.

    Raises:
        CatalogueError: When the name is no such thing, or there is no such profile.
        PrerequisiteError: When there is no such board.
    """
    if not is_board(name):
        return Device(name, load_profile(name))
    facts = ask_facts(parse_address(name))
    return Device(name, facts.profile, facts.record)


def open_judges(
    device: str,
    compiler: str,
    make_baselines: MakeBaselines | None = None,
    *,
    release: str = "",
    at_most: int = 64,
    timed: bool = True,
) -> JudgePool:
    """Open a judge for each board of a kind; one here, or one a core of this CPU where nothing is timed.

    Args:
        device: A profile, `rpc:KEY`, or `rpc:KEY@HOST:PORT`.
        compiler: Name of the compiler.
        make_baselines: Gives the baselines; None for `default` alone.
        release: Id of the release that records name; empty names none.
        at_most: How many judges there are at most.
        timed: Whether anything will be timed.

    Raises:
        PrerequisiteError: When there is no such board, or boards cannot take what the compiler makes.
    """
    if not is_board(device):
        count = at_most if not timed else 1
        return _judges_here(load_profile(device), compiler, make_baselines, release=release, at_most=count)

    def baselines(profile: Profile) -> Sequence[Baseline] | None:
        return None if make_baselines is None else make_baselines(profile)

    if compiler != "tvm":
        raise PrerequisiteError(
            f"boards take what tvm compiles, not what {compiler} does", "use --compiler tvm"
        )
    address = parse_address(device)

    exams, parcels = Exams(SHARED_BYTES), Parcels()

    def another(patience_s: float) -> Judge:
        board = Board(address, patience_s, parcels)
        beside = baselines(board.profile)
        return Judge(
            board.profile, compiler=compiler, baselines=beside, release=release, place=board, exams=exams
        )

    judges = [another(AGAIN_S)]
    for _ in range(min(at_most, count_boards(address)) - 1):
        try:
            judges.append(another(0.0))
        except PrerequisiteError:
            break  # the others are somebody else's just now
    first = judges[0]
    beside = baselines(first.profile) or (DefaultBaseline(Bench(first.profile, compiler)),)
    readier = Readier(first.profile, exams, parcels, tuple(beside), first.limits)
    return JudgePool(judges, lambda: another(AGAIN_S), readier)


def _judges_here(
    profile: Profile,
    compiler: str,
    make_baselines: MakeBaselines | None,
    *,
    release: str,
    at_most: int,
) -> JudgePool:
    """Open judges of this machine: one a core of a CPU, one of anything else."""
    count = min(at_most, len(os.sched_getaffinity(0))) if profile.target == "llvm" else 1
    exams, peaks = Exams(), load_peaks(profile)
    return JudgePool(
        [
            Judge(
                profile,
                compiler=compiler,
                baselines=None if make_baselines is None else make_baselines(profile),
                release=release,
                peaks=peaks,
                exams=exams,
            )
            for _ in range(count)
        ]
    )
