"""What the end of a worker means."""

import errno
import signal
from collections.abc import Mapping

import pytest

from edgekernelbench.evaluator.messages import Limits
from edgekernelbench.evaluator.supervisor import Supervisor
from edgekernelbench.evaluator.trial import excuse, out_of_room, post_mortem
from edgekernelbench.records.outcome import Cause, Crashed, Phase, Unjudged

LIMITS = Limits(deadline_s=0.3, memory_bytes=256 << 20, file_bytes=1 << 20, files=64)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        pytest.param(None, None, id="nothing"),
        pytest.param({"cost": {}}, None, id="a proper reply"),
        pytest.param(
            {"refused": "no"}, Crashed(Phase.COMPILE, None, timed_out=False, detail="no"), id="refused"
        ),
        pytest.param({"missing": "tvm"}, Unjudged(Cause.DEVICE, "tvm"), id="missing"),
        pytest.param({"full": "disk"}, Unjudged(Cause.DISK, "disk"), id="full"),
    ],
)
def test_a_worker_may_say_why_it_stopped(
    reply: Mapping[str, object] | None, expected: Crashed | Unjudged | None
) -> None:
    assert excuse(reply) == expected


@pytest.mark.parametrize(
    ("role", "phase", "number", "timed_out"),
    [
        ("segfault", Phase.RUN, signal.SIGSEGV, False),
        ("sleep_for_ever", Phase.TIME, signal.SIGKILL, True),
        ("spin_for_ever", Phase.START, signal.SIGKILL, True),
    ],
)
def test_a_death_is_a_crash_in_its_phase(
    supervisor: Supervisor, role: str, phase: Phase, number: int, timed_out: bool
) -> None:
    with supervisor.start(role, {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        verdict = post_mortem(worker, worker.wait())

    assert isinstance(verdict, Crashed)
    assert (verdict.phase, verdict.signal, verdict.timed_out) == (phase, number, timed_out)


@pytest.mark.parametrize("role", ["no_such_role", "open_everything"])
def test_a_worker_that_fails_before_it_begins_says_nothing_about_the_kernel(
    supervisor: Supervisor, role: str
) -> None:
    with supervisor.start(role, {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        verdict = post_mortem(worker, worker.wait())

    assert isinstance(verdict, Unjudged)
    assert verdict.cause is Cause.WORKER


def test_a_full_disk_is_told_from_other_errors() -> None:
    assert out_of_room(OSError(errno.ENOSPC, ""))
    assert not out_of_room(OSError(errno.EACCES, ""))
