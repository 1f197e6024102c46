"""The example of a package of one's own, installed by pip, used by commands, tested by its own tests."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.packages import write_package

EXAMPLE = Path(__file__).parents[2] / "examples" / "extension"
SRC = Path(__file__).parents[2] / "src"
PATIENCE_S = 240
TEXT = """
def ramp(x: f32[197, 384], w: const[f32[384]]):
    with compute:
        out[i, j]: f32[197, 384] = max(x[i, j] * w[j], 0.0)
        return out
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Install the example; no index is asked."""
    folder = tmp_path_factory.mktemp("extension")
    source = shutil.copytree(EXAMPLE, folder / "source")
    words = "install --quiet --no-deps --no-build-isolation --no-index --disable-pip-version-check"
    command = [sys.executable, "-m", "pip", *words.split(), "--target", str(folder / "site"), str(source)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)
    assert done.returncode == 0, done.stderr
    return folder / "site"


def python(site: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(SRC), str(site)])}
    command = [sys.executable, "-m", *words]
    return subprocess.run(
        command, capture_output=True, text=True, timeout=PATIENCE_S, check=False, env=environment, cwd=cwd
    )


def ekb(site: Path, *words: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return python(site, "edgekernelbench", *words, cwd=cwd)


@pytest.mark.slow
def test_its_own_tests_pass(installed: Path) -> None:
    done = python(installed, "pytest", "-q", "-p", "no:cacheprovider", str(EXAMPLE / "tests"), cwd=EXAMPLE)
    assert done.returncode == 0, done.stdout
    assert "18 passed" in done.stdout


def test_commands_know_what_it_brings(installed: Path, tmp_path: Path) -> None:
    shown = ekb(installed, "device", "show", "zero-2w", "--json")
    assert json.loads(shown.stdout)["cpu"] == "cortex-a53"
    rows = json.loads(ekb(installed, "catalogue", "list", "--in", "doors", "--json").stdout)
    assert [row["id"] for row in rows] == ["door/ramp@r197-n384-f32"]
    (tmp_path / "ramp.kir").write_text(TEXT, encoding="utf-8")
    words = ("-w", rows[0]["id"], "--in", "doors", "--compiler", "c-o1", "--no-timing")
    judged = ekb(installed, "judge", "ramp.kir", *words, cwd=tmp_path)
    assert judged.returncode == 0, judged.stderr
    lowered = ekb(installed, "check", "ramp.kir", "--profile", "zero-2w", cwd=tmp_path)
    assert "Raspberry Pi Zero 2 W" in lowered.stdout


def test_a_run_with_its_agent_catalogue_and_compiler_says_so_and_resumes(
    installed: Path, tmp_path: Path
) -> None:
    words = (
        "--agent",
        "asker",
        "--in",
        "doors",
        "--compiler",
        "c-o1",
        "--track",
        "optimise",
        "--timing",
        "none",
    )
    done = ekb(installed, "run", *words, "--out", "run", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["versions"]["ekb-extension-example"] == "1.0"
    assert (manifest["settings"]["catalogue"], manifest["settings"]["suite"]) == ("doors", "full")
    assert manifest["settings"]["agents"][0]["entry"] == "asker"
    table = json.loads(ekb(installed, "resume", "run", "--json", cwd=tmp_path).stdout)
    (row,) = table["runs"][0]["rows"] if "runs" in table else table[0]["rows"]
    assert (row["agent"], row["attempts"]) == ("asker", 1)


def test_a_broken_package_is_named_and_nothing_else_is_lost(installed: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    broken.mkdir()
    write_package(
        broken,
        "broken-kit",
        {"broken_kit.py": "raise RuntimeError('made on a Friday')\n"},
        {"agents": {"friday": "broken_kit:x"}, "devices": {"board-x": "broken_kit:x"}},
    )
    both = Path(os.pathsep.join([str(installed), str(broken)]))
    said = json.loads(ekb(both, "doctor", "--json").stdout)
    found = {row["name"]: row for row in said["findings"]}
    assert found["agent asker"]["found"] == "ekb-extension-example 1.0"
    assert found["agent friday"]["found"] == ""
    cause = "agent 'friday' of broken-kit 1.2 cannot be loaded: RuntimeError: made on a Friday"
    assert found["agent friday"]["remedy"] == f"{cause}; mend, update or uninstall broken-kit"
    run = ekb(both, "run", "--agent", "friday", "--out", "run", cwd=tmp_path)
    assert (run.returncode, cause in run.stderr) == (3, True)
    assert not (tmp_path / "run").exists()
