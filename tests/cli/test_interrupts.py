"""Ctrl-C at any moment from the start of a process on: no traceback, nothing left behind."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.test_run import QUICKLY, TEXT, WORKLOAD

from edgekernelbench.cli.status import Status

MOMENTS_S = (0.02, 0.1, 0.15, 0.2, 0.3, 0.5)
CODE = """
import re, sys
from edgekernelbench.cli.main import main
print("begun", flush=True)
main(sys.argv[1:])
"""
"""What the installed `ekb` does; of the milliseconds in which Python starts we know nothing."""
PATIENCE_S = 60


@pytest.mark.parametrize("moment", MOMENTS_S)
def test_ctrl_c_in_the_first_moments_is_answered_in_one_line(tmp_path: Path, moment: float) -> None:
    path = tmp_path / "texts" / f"{WORKLOAD.id}.kir"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, encoding="utf-8")
    words = ["run", "--texts", str(tmp_path / "texts"), *QUICKLY, "-k", "50", "-o", str(tmp_path / "run")]
    # A terminal sends the signal to the whole group, workers included.
    with subprocess.Popen(
        [sys.executable, "-c", CODE, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == "begun\n"
        time.sleep(moment)
        os.killpg(child.pid, signal.SIGINT)
        out, err = child.communicate(timeout=PATIENCE_S)
    assert child.returncode == Status.INTERRUPTED, err
    assert "Traceback" not in err
    assert "interrupted" in err.splitlines()[-1]
    assert out == ""
    assert not _group(child.pid)


def _group(pid: int) -> list[str]:
    found = subprocess.run(["pgrep", "-g", str(pid)], capture_output=True, text=True, check=False)
    return found.stdout.split()
