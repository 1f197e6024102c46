"""`ekb device`."""

from pathlib import Path

import pytest
from tests.cli.conftest import Ekb

from edgekernelbench.cli.status import Status
from edgekernelbench.profiles.profile import profile_names


@pytest.mark.slow
@pytest.mark.needs_tvm
def test_all_profiles_are_listed_with_class_and_place(ekb: Ekb) -> None:
    rows = {row["name"]: row for row in ekb("device", "list", "--json").json}

    assert set(rows) == set(profile_names())
    assert rows["llvm"]["runs_here"]
    assert rows["raspberry-pi-5"]["class"] == "edge"
    assert "ekb device serve --profile raspberry-pi-5" in rows["raspberry-pi-5"]["why"]
    assert "check and lower only" in rows["cortex-a7"]["why"]


def test_a_profile_is_shown_with_its_sources(ekb: Ekb) -> None:
    done = ekb("device", "show", "raspberry-pi-5")

    assert done.status == Status.YES
    assert "cortex-a76" in done.out
    assert "runs here: no" in done.out
    assert "source: cores and caches: Raspberry Pi Ltd" in done.out


def test_an_unknown_profile_gets_the_nearest(ekb: Ekb) -> None:
    done = ekb("device", "show", "raspbery-pi-5")

    assert done.status == Status.USAGE
    assert "did you mean 'raspberry-pi-5'" in done.err


def test_without_a_tracker_there_are_no_boards(ekb: Ekb) -> None:
    done = ekb("device", "boards", "--tracker", "127.0.0.1:1")

    assert done.status == Status.MISSING
    assert "ekb device tracker" in done.err


@pytest.mark.parametrize("command", ["tracker", "serve"])
def test_nobody_listens_beyond_this_machine_by_accident(ekb: Ekb, command: str) -> None:
    done = ekb("device", command, "--host", "0.0.0.0")  # noqa: S104

    assert done.status == Status.USAGE
    assert "--open-to-network" in done.err
    assert "ssh -R 9190:127.0.0.1:9190" in done.err


def test_a_device_that_cannot_run_python_is_not_served(ekb: Ekb) -> None:
    done = ekb("device", "serve", "--profile", "cortex-a7")

    assert done.status == Status.USAGE
    assert "check and lower only" in done.err


def test_a_board_that_is_not_there_is_missing(ekb: Ekb, tmp_path: Path) -> None:
    text = tmp_path / "text.kir"
    text.write_text("def f(): pass\n", encoding="utf-8")
    done = ekb("judge", str(text), "-w", "norm/softmax@r591-n197-f32", "--device", "rpc:pi@127.0.0.1:1")

    assert done.status == Status.MISSING
    assert "no tracker answers" in done.err
