"""Interrupting a run, as a person does, and going on with it."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from tests.agents.support import Canned, completion, serving
from tests.cli.conftest import Ekb
from tests.cli.test_run import QUICKLY, TEXT

from edgekernelbench.cli.status import Status
from edgekernelbench.records.attempt import Attempt
from edgekernelbench.records.store import RunFolder, read_lines

CODE = "import sys; from edgekernelbench.cli.main import main; main(sys.argv[1:])"
PATIENCE_S = 60


def stored(run: Path) -> list[str]:
    return [a.id for a in read_lines(run / "attempts.jsonl", Attempt)]


def test_ctrl_c_leaves_a_run_that_can_be_resumed(tmp_path: Path, ekb: Ekb) -> None:
    run = tmp_path / "run"
    answer = completion(f"```python\n{TEXT}```")
    with serving([answer, Canned(answer.body, delay_s=0.3)]) as fake:
        words = ["run", "-m", "openai:m", "-k", "6", *QUICKLY, "-o", str(run)]
        environment = {**os.environ, "EKB_BASE_URL": fake.url}
        with subprocess.Popen(
            [sys.executable, "-c", CODE, *words], stderr=subprocess.PIPE, text=True, env=environment
        ) as child:
            deadline = time.monotonic() + PATIENCE_S
            while not (run / "attempts.jsonl").exists() or not stored(run):
                assert time.monotonic() < deadline
                time.sleep(0.02)
            child.send_signal(signal.SIGINT)
            _, err = child.communicate(timeout=PATIENCE_S)
        assert child.returncode == Status.INTERRUPTED
        assert "writing: what is at work is finished first; Ctrl-C again ends at once" in err
        assert f"`ekb resume {run}` goes on" in err
        assert "Traceback" not in err
        before = stored(run)
        assert 1 <= len(before) < 6
        done = ekb("resume", str(run), "--base-url", fake.url)
    assert done.status == Status.YES
    assert stored(run)[: len(before)] == before
    assert sorted(stored(run)) == sorted(RunFolder(run).manifest().planned)


def test_without_the_variable_the_command_line_says_where(tmp_path: Path, ekb: Ekb) -> None:
    with serving([completion("nothing")]) as fake:
        done = ekb("run", "-m", "openai:m", *QUICKLY, "--base-url", fake.url, "-o", str(tmp_path / "run"))
    assert done.status == Status.YES
