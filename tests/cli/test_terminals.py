"""Commands on a real terminal of 80 and of 200 columns, with and without colours."""

import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
from pathlib import Path

import pytest
from tests.cli.test_run import TEXT, WORKLOAD
from tests.reports.support import make_run

PROGRAM = """
import sys
from edgekernelbench.cli.main import run
for line in sys.argv[1:]:
    run(line.split())
"""
ESCAPE = "\x1b"


def on_terminal(width: int, *lines: str, **environment: str) -> str:
    """Run command lines in one process on a terminal; give all that it showed."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, width, 0, 0))
    inherited = {n: v for n, v in os.environ.items() if n not in ("COLUMNS", "NO_COLOR", "EKB_PLAIN")}
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *lines],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**inherited, "TERM": "xterm-256color", **environment},
    ) as process:
        os.close(theirs)
        shown = b""
        while chunk := _read(ours):
            shown += chunk
    os.close(ours)
    assert process.returncode == 0, shown
    return shown.decode()


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # the other side is closed
        return b""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "texts" / f"{WORKLOAD.id}.kir"
    path.parent.mkdir(parents=True)
    path.write_text(TEXT, encoding="utf-8")
    return path


@pytest.mark.parametrize("width", [80, 200])
def test_nothing_is_wider_than_the_terminal(tmp_path: Path, text: Path, width: int) -> None:
    run = make_run(tmp_path / "run")
    lines = (
        "--help",
        "run --help",
        "explain",
        "explain C14",
        "model list",
        "catalogue list",
        f"check {text}",
        f"report {run}",
        f"compare {run}",
        "zzz",
    )
    shown = on_terminal(width, *lines)

    assert ESCAPE not in shown
    paths = (str(tmp_path),)
    wide = [
        line for line in shown.splitlines() if len(line) > width and not any(path in line for path in paths)
    ]
    assert wide == []


def test_an_explanation_is_broken_once_for_the_terminal() -> None:
    for width, first in (
        (60, "A reduction is the whole right side of a stage, so that it"),
        (80, "and loops"),
    ):
        assert f"{first}\r\n" in on_terminal(width, "explain C14")


def run_words(text: Path, out: Path) -> str:
    texts = text.parents[len(Path(WORKLOAD.id).parts) - 1]
    return f"run --texts {texts} --workload {WORKLOAD.id} --compiler null --timing none -o {out}"


def test_progress_is_a_bar_unless_plain_is_asked_for(tmp_path: Path, text: Path) -> None:
    bar = on_terminal(80, run_words(text, tmp_path / "a"))
    plain = on_terminal(80, f"--plain {run_words(text, tmp_path / 'b')}")

    assert "━" in bar
    assert ESCAPE in bar
    assert ESCAPE not in plain
    assert "judging: 1/1 (" in plain


def test_without_colours_there_are_none(tmp_path: Path, text: Path) -> None:
    shown = on_terminal(80, run_words(text, tmp_path / "a"), NO_COLOR="1")

    assert "━" in shown
    assert "38;5;" not in shown
    assert "[32m" not in shown
