"""The Tab key."""

import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Ekb

from edgekernelbench.cli.known_words import profiles, suites, workload_ids, workloads
from edgekernelbench.cli.main import ASKED, COMMANDS
from edgekernelbench.cli.status import Status

BASH = """
ekb() {{ "{python}" -m edgekernelbench "$@"; }}
eval "$(ekb completion bash)"
COMP_WORDS=(ekb re); COMP_CWORD=1; _ekb_completion ./ekb; echo "${{COMPREPLY[*]}}"
"""


def test_bash_completes_a_command(tmp_path: Path) -> None:
    program = tmp_path / "ekb"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m edgekernelbench "$@"\n', encoding="utf-8")
    program.chmod(0o755)
    done = subprocess.run(
        ["bash", "-c", BASH.format(python=sys.executable)],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert done.stderr == ""
    assert {"resume", "report", "reproduce"} <= set(done.stdout.split())
    assert all(word.startswith("re") for word in done.stdout.split())


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("ekb comp", {"compare", "completion"}),
        ("ekb report --c", {"--csv"}),
        ("ekb catalogue li", {"list", "lint"}),
        ("ekb run --suite qu", {"quick"}),
        ("ekb judge -w norm/softmax@r591", {"norm/softmax@r591-n197-f32"}),
    ],
)
def test_words_are_completed(
    line: str, expected: set[str], ekb: Ekb, monkeypatch: pytest.MonkeyPatch
) -> None:
    words = line.split()
    monkeypatch.setenv(ASKED, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", line)
    monkeypatch.setenv("COMP_CWORD", str(len(words) - 1))
    done = ekb()
    assert (done.status, done.err) == (Status.YES, "")
    assert set(done.out.split()) == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish", "powershell"])
def test_every_shell_has_a_script(shell: str, ekb: Ekb) -> None:
    done = ekb("completion", shell)
    assert done.status == Status.YES
    assert ASKED in done.out


def test_another_shell_is_refused(ekb: Ekb) -> None:
    done = ekb("completion", "tcsh")
    assert done.status == Status.USAGE
    assert "bash" in done.err


def test_all_commands_are_offered_without_loading_them(ekb: Ekb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ASKED, "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "ekb ")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert ekb().out.split() == list(COMMANDS)


def test_families_come_first_and_workloads_once_one_is_named() -> None:
    assert all("@" not in name for name in workloads("norm"))
    assert "norm/softmax@r591-n197-f32" in workloads("norm/so")
    assert workload_ids("norm/softmax@r591") == ["norm/softmax@r591-n197-f32"]
    assert "quick" in suites("q")
    assert "llvm" in profiles("l")
