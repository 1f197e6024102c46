"""The command line as a whole: help, names, statuses."""

import os
import subprocess
import sys

import pytest
from tests.cli.conftest import Ekb
from tests.conftest import Golden

from edgekernelbench.bench import progress
from edgekernelbench.cli.main import COMMANDS, PLAIN
from edgekernelbench.cli.status import Status

READY = sorted(COMMANDS)


def test_the_help_is_golden(ekb: Ekb, golden: Golden) -> None:
    done = ekb("--help")
    assert done.status == Status.YES
    golden(done.out)


@pytest.mark.parametrize("command", READY)
def test_the_help_of_every_command_is_golden(command: str, ekb: Ekb, golden: Golden) -> None:
    done = ekb(command, "--help")
    assert (done.status, done.err) == (Status.YES, "")
    assert all(len(line) <= 80 for line in done.out.splitlines())
    golden(done.out)


def test_nothing_said_is_a_question_for_help(ekb: Ekb) -> None:
    done = ekb()
    assert done.status == Status.USAGE
    assert done.out.startswith("Usage: ekb COMMAND")


def test_the_version_is_one_line(ekb: Ekb) -> None:
    assert ekb("--version").out == "ekb 0.1.0\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("chekc",), "ekb: no command 'chekc'; did you mean 'check'?\n"),
        (("zzz",), "ekb: no command 'zzz'; there are check, lower,"),
        (("explain", "--jsn"), "--json"),
        (("model", "lst"), "list"),
        (("explain", "C1"), "ekb: no code 'C1'; did you mean C1"),
        (("catalogue", "show", "norm/sofmax@r32-n8192-f32"), "did you mean norm/softmax"),
        (("catalogue", "list", "--suite", "quik"), "did you mean quick"),
        (("completion",), "ekb: missing argument 'SHELL'. Choose from: bash, zsh, fish, powershell; `ekb"),
        (("completion", "fsh"), "ekb: invalid value for 'SHELL': 'fsh' is not one of 'bash', 'zsh', "),
        (("report",), "ekb: missing argument 'RUN...'; `ekb report --help` shows the options\n"),
        (("report", "no/such/run"), "ekb: "),
    ],
)
def test_a_wrong_word_is_answered_with_the_nearest_and_status_2(
    words: tuple[str, ...], message: str, ekb: Ekb
) -> None:
    done = ekb(*words)
    assert done.status == Status.USAGE
    assert message in done.err
    assert done.out == ""
    assert "Traceback" not in done.err


def test_what_is_missing_is_named_with_its_remedy_and_status_3(ekb: Ekb) -> None:
    done = ekb("model", "fetch", "smolm2")
    assert (done.status, done.err) == (
        Status.MISSING,
        "ekb: no bundled model 'smolm2'; did you mean 'smollm2'?\n",
    )


def test_a_reader_that_has_had_enough_is_no_error() -> None:
    code = "import sys; from edgekernelbench.cli.main import main; main(['explain'] )"
    command = f"'{sys.executable}' -c \"{code}\" | head -1"
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)  # noqa: S602
    assert done.stdout.startswith("P01")
    assert done.stderr == ""


def test_a_long_result_that_is_not_read_to_its_end_is_no_no() -> None:
    code = "from edgekernelbench.cli.main import main; main(['catalogue', 'list'])"
    words = ["bash", "-c", f"set -o pipefail; '{sys.executable}' -c \"{code}\" | head -1"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (Status.YES, "")


def test_a_full_disk_is_no_bug() -> None:
    code = "from edgekernelbench.cli.main import main; main(['explain'])"
    with open("/dev/full", "w") as full:  # noqa: PTH123 - a device
        done = subprocess.run(
            [sys.executable, "-c", code], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == Status.MISSING
    assert "No space left" in done.stderr


def test_an_interrupted_command_says_so(ekb: Ekb, monkeypatch: pytest.MonkeyPatch) -> None:
    class Keyboard:
        buffer: "Keyboard"

        def read(self, most: int) -> bytes:
            raise KeyboardInterrupt

    keyboard = Keyboard()
    keyboard.buffer = keyboard
    monkeypatch.setattr(sys, "stdin", keyboard)
    done = ekb("check", "-")
    assert (done.status, done.err) == (Status.INTERRUPTED, "interrupted\n")


def test_plain_is_passed_on(ekb: Ekb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(PLAIN, raising=False)
    assert ekb("--plain", "--version").out == "ekb 0.1.0\n"
    assert os.environ[PLAIN]
    assert PLAIN == progress.PLAIN
    monkeypatch.delenv(PLAIN)
