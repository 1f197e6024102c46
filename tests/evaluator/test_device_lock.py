"""One measurement at a time."""

import select
import subprocess
import sys
from pathlib import Path

from edgekernelbench.evaluator.device_lock import hold_device

PROGRAM = """
import sys
from pathlib import Path
from edgekernelbench.evaluator.device_lock import hold_device
with hold_device(sys.argv[1], Path(sys.argv[2])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def holder(target: str, folder: Path) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", PROGRAM, target, str(folder)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_another_process_waits_its_turn(tmp_path: Path) -> None:
    with holder("llvm", tmp_path) as first, holder("llvm", tmp_path) as second:
        assert first.stdout is not None
        assert second.stdout is not None
        # Whichever came first says so; the other is silent until the first is gone.
        ready, _, _ = select.select([first.stdout, second.stdout], [], [], 30)
        assert len(ready) == 1
        winner, loser = (first, second) if ready[0] is first.stdout else (second, first)
        assert loser.stdout is not None
        assert not select.select([loser.stdout], [], [], 0.3)[0]
        winner.kill()
        assert loser.stdout.readline() == "held\n"
        loser.kill()


def test_devices_do_not_wait_for_each_other(tmp_path: Path) -> None:
    with hold_device("llvm", tmp_path), holder("cuda", tmp_path) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        other.kill()
