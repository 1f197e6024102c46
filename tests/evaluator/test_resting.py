"""Processes that rest."""

import os
import subprocess
import sys
import time
from pathlib import Path

from edgekernelbench.evaluator.resting import rest, wake

SPINNER = """
import os, sys
if os.fork() == 0:
    os.setsid()
    print("started", flush=True)
while True:
    pass
"""


def state(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]


def await_state(pids: list[int], wanted: str) -> bool:
    end = time.monotonic() + 5
    while any(state(pid) not in wanted for pid in pids) and time.monotonic() < end:
        time.sleep(0.001)
    return all(state(pid) in wanted for pid in pids)


def test_a_group_rests_with_what_left_its_session_and_goes_on_alone() -> None:
    command = [sys.executable, "-c", SPINNER]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, process_group=0) as spinner:
        assert spinner.stdout is not None
        spinner.stdout.readline()
        children = Path(f"/proc/{spinner.pid}/task/{spinner.pid}/children").read_text(encoding="ascii")
        pids = [spinner.pid, *map(int, children.split())]
        assert len(pids) == 2
        try:
            rest(spinner.pid)
            assert await_state(pids, "T")
            wake(spinner.pid)
            assert await_state(pids[:1], "RS")
            assert state(pids[1]) == "T"
        finally:
            for pid in pids:
                os.kill(pid, 9)


def test_a_process_that_is_gone_is_passed_over() -> None:
    with subprocess.Popen([sys.executable, "-c", ""], process_group=0) as gone:
        gone.wait()

    rest(gone.pid)
    wake(gone.pid)
