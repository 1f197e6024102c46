"""A supervisor survives every worker."""

import os
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from edgekernelbench.evaluator.messages import Ended, Limits
from edgekernelbench.evaluator.supervisor import ServerLost, Supervisor
from edgekernelbench.records.outcome import Phase

LIMITS = Limits(deadline_s=10.0, memory_bytes=512 << 20, file_bytes=16 << 20, files=64)
SHORT = replace(LIMITS, deadline_s=0.5)


def run(
    supervisor: Supervisor, role: str, limits: Limits = LIMITS
) -> tuple[Ended, dict[str, object] | None, Phase]:
    with supervisor.start(role, {}, folder=supervisor.folder(), limits=limits) as worker:
        ended = worker.wait()
        return ended, worker.reply(), worker.phase()


@pytest.fixture(autouse=True)
def _the_next_worker_is_unaffected(supervisor: Supervisor):  # type: ignore[no-untyped-def]
    yield
    ended, reply, _ = run(supervisor, "answer")
    assert ended.exit_code == 0
    assert reply is not None
    assert reply["said"] == "hello"


def test_a_worker_that_answers_is_heard(supervisor: Supervisor) -> None:
    ended, reply, _ = run(supervisor, "answer")

    assert (ended.exit_code, ended.signal, ended.timed_out, ended.strays) == (0, None, False, 0)
    assert reply is not None


def test_an_interrupt_at_the_terminal_is_not_for_the_server(supervisor: Supervisor) -> None:
    run(supervisor, "answer")

    assert supervisor.pid is not None
    assert os.getpgid(supervisor.pid) != os.getpgrp()


def test_a_server_whose_judge_was_interrupted_meanwhile_ends_without_a_word() -> None:
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs:
        done = subprocess.run(
            [sys.executable, "-m", "edgekernelbench.evaluator.worker", "null", str(theirs.fileno())],
            pass_fds=(theirs.fileno(),),
            capture_output=True,
            text=True,
            check=False,
        )

    assert (done.returncode, done.stderr) == (0, "")


def test_a_segfault_is_a_signal_in_its_phase(supervisor: Supervisor) -> None:
    ended, reply, phase = run(supervisor, "segfault")

    assert ended.signal == 11
    assert reply is None
    assert phase is Phase.RUN


@pytest.mark.parametrize("role", ["sleep_for_ever", "spin_for_ever", "stop_itself"])
def test_what_never_ends_costs_its_deadline_and_no_more(supervisor: Supervisor, role: str) -> None:
    start = time.monotonic()

    ended, reply, _ = run(supervisor, role, SHORT)

    assert ended.timed_out
    assert ended.signal == 9
    assert reply is None
    assert 0.5 <= time.monotonic() - start < 1.5


def test_a_printed_verdict_is_no_reply(supervisor: Supervisor) -> None:
    ended, reply, _ = run(supervisor, "print_a_verdict")

    assert ended.exit_code == 0
    assert reply is None


def test_what_it_forked_dies_with_it(supervisor: Supervisor) -> None:
    ended, reply, _ = run(supervisor, "fork_and_return")

    assert ended.exit_code == 0
    assert reply is not None
    assert _descendants(supervisor) == []


def test_a_daemon_in_a_session_of_its_own_is_found_and_killed(supervisor: Supervisor) -> None:
    with supervisor.start("daemon", {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        ended = worker.wait()
        daemon = int((worker.folder / "daemon").read_text())

    assert ended.strays >= 1
    with pytest.raises(ProcessLookupError):
        os.kill(daemon, 0)


@pytest.mark.parametrize(
    "role",
    [
        "reply_twice",
        "reply_just_too_much",
        "reply_deeply",
        "reply_for_another",
        "reply_with_a_pipe",
        "reply_with_a_link",
    ],
)
def test_a_reply_that_is_not_one_small_object_for_this_request_is_none(
    supervisor: Supervisor, role: str
) -> None:
    ended, reply, _ = run(supervisor, role)

    assert ended.exit_code == 0
    assert reply is None


@pytest.mark.parametrize("role", ["reply_a_gigabyte", "flood_stderr"])
def test_a_file_beyond_its_limit_ends_the_worker(supervisor: Supervisor, role: str) -> None:
    ended, reply, _ = run(supervisor, role)

    assert not ended.timed_out
    assert ended.exit_code != 0
    assert reply is None


def test_memory_beyond_its_limit_ends_the_worker(supervisor: Supervisor) -> None:
    with supervisor.start("eat_memory", {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        ended = worker.wait()
        tail = worker.stderr_tail()

    assert ended.exit_code == 70
    assert "MemoryError" in tail
    assert ended.peak_bytes < 1 << 30


def test_files_beyond_its_limit_end_the_worker(supervisor: Supervisor) -> None:
    ended, _, _ = run(supervisor, "open_everything")

    assert ended.exit_code == 70


def test_a_worker_that_removed_its_folder_has_no_reply(supervisor: Supervisor) -> None:
    ended, reply, phase = run(supervisor, "remove_its_folder")

    assert ended.exit_code == 0
    assert reply is None
    assert phase is Phase.START


def test_an_unknown_role_is_a_broken_worker(supervisor: Supervisor) -> None:
    ended, reply, _ = run(supervisor, "no_such_role")

    assert ended.exit_code == 70
    assert reply is None


def test_a_server_that_was_killed_is_lost_and_replaced(supervisor: Supervisor) -> None:
    with (
        pytest.raises(ServerLost),
        supervisor.start("kill_the_server", {}, folder=supervisor.folder(), limits=SHORT) as worker,
    ):
        worker.wait()


def test_a_worker_sees_the_listed_environment_and_its_own_folder(supervisor: Supervisor) -> None:
    with supervisor.start("tell_environment", {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        worker.wait()
        reply = worker.reply()

    assert reply is not None
    assert set(reply["environment"]) - {"LC_CTYPE", "PYTHONPATH"} == {"PATH", "LISTED"}
    assert reply["cwd"] == str(worker.folder)


def test_the_token_goes_round(supervisor: Supervisor) -> None:
    with (
        supervisor.start("echo_tokens", {}, folder=supervisor.folder(), limits=LIMITS) as one,
        supervisor.start("echo_tokens", {}, folder=supervisor.folder(), limits=LIMITS) as two,
    ):
        heard = [worker.pass_token({"turn": turn}) for turn in range(3) for worker in (one, two)]

    assert heard == [{"turn": turn} for turn in range(3) for _ in range(2)]


def test_who_has_given_the_token_back_is_stopped_with_all_that_it_started(supervisor: Supervisor) -> None:
    with supervisor.start("spin_beside_tokens", {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        for turn in range(2):
            assert worker.pass_token({"turn": turn}) == {"turn": turn}
            end = time.monotonic() + 5
            while _states(supervisor) != "TT" and time.monotonic() < end:
                time.sleep(0.001)
            assert _states(supervisor) == "TT"


def test_a_worker_that_keeps_the_token_ends_at_its_deadline(supervisor: Supervisor) -> None:
    with supervisor.start("sleep_for_ever", {}, folder=supervisor.folder(), limits=SHORT) as worker:
        assert worker.pass_token({}) is None
        assert worker.wait().timed_out


@pytest.mark.parametrize("role", ["answer_tokens_with_junk", "answer_tokens_for_ever"])
def test_a_token_that_comes_back_unreadable_is_none(supervisor: Supervisor, role: str) -> None:
    with supervisor.start(role, {}, folder=supervisor.folder(), limits=SHORT) as worker:
        assert worker.pass_token({}) is None


def test_a_new_deadline_counts_from_now(supervisor: Supervisor) -> None:
    with supervisor.start("echo_tokens", {}, folder=supervisor.folder(), limits=SHORT) as worker:
        worker.extend(30.0)
        time.sleep(0.7)

        assert worker.pass_token({"still": "here"}) == {"still": "here"}


def test_nothing_is_left_of_a_closed_worker(supervisor: Supervisor) -> None:
    run(supervisor, "answer")
    before = len(list(Path("/proc/self/fd").iterdir()))
    folders = set()
    for role in ("answer", "segfault", "fork_and_return") * 3:
        with supervisor.start(role, {}, folder=supervisor.folder(), limits=LIMITS) as worker:
            folders.add(worker.folder)
            worker.wait()

    assert len(list(Path("/proc/self/fd").iterdir())) == before
    assert not any(folder.exists() for folder in folders)
    assert _descendants(supervisor) == []


def test_a_worker_can_be_closed_twice(supervisor: Supervisor) -> None:
    with supervisor.start("sleep_for_ever", {}, folder=supervisor.folder(), limits=LIMITS) as worker:
        worker.close()
        # Its descriptors may belong to somebody else by now.
        others = [os.open(os.devnull, os.O_RDONLY) for _ in range(2)]

    for handle in others:
        os.close(handle)


def test_a_worker_that_is_closed_early_is_killed(supervisor: Supervisor) -> None:
    with supervisor.start("sleep_for_ever", {}, folder=supervisor.folder(), limits=LIMITS):
        pass

    assert _descendants(supervisor) == []


def _states(supervisor: Supervisor) -> str:
    """Give the states of a worker and of its child: `T` for a stopped one."""
    (worker,) = _descendants(supervisor)
    children = Path(f"/proc/{worker}/task/{worker}/children").read_text(encoding="ascii").split()
    stats = [Path(f"/proc/{pid}/stat").read_text(encoding="ascii") for pid in (worker, *children)]
    return "".join(stat.rpartition(")")[2].split()[0] for stat in stats)


def _descendants(supervisor: Supervisor) -> list[str]:
    pid = supervisor.pid
    return Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii").split()
