"""The control on the command line: `ekb judge --language c` and `ekb run --language c`."""

from pathlib import Path

import pytest
from tests.agents.support import completion, serving
from tests.cli.conftest import Ekb

from edgekernelbench.cli.status import Status
from edgekernelbench.compiler.control.canonical import plain_source
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.records.store import RunFolder
from edgekernelbench.verify.compute import verify_compute
from edgekernelbench.workloads.catalogue import load_catalogue

WORKLOAD = load_catalogue().select(["max_pool2d"], suite="quick")[0]
PROFILE = load_profile("llvm")
TEXT = plain_source(
    build_nest(verify_compute(WORKLOAD.kernel()), "llvm", PROFILE), threads=1, stack_limit=PROFILE.stack_bytes
)
QUICKLY = ("--workload", WORKLOAD.id, "--timing", "none", "--language", "c")


def test_a_file_of_c_is_judged(tmp_path: Path, ekb: Ekb) -> None:
    (tmp_path / "it.c").write_text(TEXT, encoding="utf-8")
    words = ("judge", str(tmp_path / "it.c"), "-w", WORKLOAD.id, "--language", "c", "--no-timing")
    done = ekb(*words)
    assert done.status == Status.YES
    assert done.out.startswith("correct")
    control = ekb(*words, "--json").json["control"]
    assert control["language"] == "c"
    assert "-march=native" in control["flags"]


def test_a_file_that_is_refused_shows_its_line(tmp_path: Path, ekb: Ekb) -> None:
    (tmp_path / "it.c").write_text("#include <unistd.h>\n" + TEXT, encoding="utf-8")
    done = ekb("judge", str(tmp_path / "it.c"), "-w", WORKLOAD.id, "--language", "c", "--no-timing")
    assert done.status == Status.NO
    assert "it.c:1:1: error[X02]" in done.out
    assert "#include <unistd.h>" in done.out


def test_c_for_a_gpu_is_refused(tmp_path: Path, ekb: Ekb) -> None:
    (tmp_path / "it.c").write_text(TEXT, encoding="utf-8")
    done = ekb("judge", str(tmp_path / "it.c"), "-w", WORKLOAD.id, "--language", "c", "--device", "opencl")
    assert done.status == Status.MISSING
    assert "plain C runs on the CPU of this machine" in done.err


def test_a_model_writes_c_in_a_run_of_its_own(tmp_path: Path, ekb: Ekb) -> None:
    run = tmp_path / "run"
    with serving([completion(f"Here:\n```c\n{TEXT}```")]) as fake:
        done = ekb("run", "-m", "openai:m", *QUICKLY, "--base-url", fake.url, "-o", str(run))
    assert done.status == Status.YES
    assert "direct-openai:m+c: correct 1" in done.out
    assert "in plain C (a control: in no column with kernel texts)" in done.out
    messages = fake.asked[0]["messages"]
    assert isinstance(messages, list)
    assert "void kernel(" in messages[-1]["content"]
    assert "kernel language" not in str(messages)
    assert RunFolder(run).manifest().settings["language"] == "c"


def test_c_and_kernels_are_never_compared(tmp_path: Path, ekb: Ekb) -> None:
    with serving([completion("nothing")]) as fake:
        ekb("run", "-m", "openai:m", *QUICKLY, "--base-url", fake.url, "-o", str(tmp_path / "c"))
        ekb("run", "-m", "openai:m", *QUICKLY[:-2], "--base-url", fake.url, "-o", str(tmp_path / "k"))
    done = ekb("compare", str(tmp_path / "c"), str(tmp_path / "k"))
    assert done.status == Status.USAGE
    assert "the language is c in" in done.err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--agent", "leka", "-m", "openai:m"), "writes no plain C"),
        (("-m", "openai:m", "--track", "optimise"), "take --track write"),
        (("-m", "openai:m", "--grammar", "on"), "take --grammar off"),
        (("-m", "openai:m", "--device", "opencl"), "take --device llvm"),
    ],
)
def test_what_the_control_is_not_for_is_said_first(
    words: tuple[str, ...], said: str, tmp_path: Path, ekb: Ekb
) -> None:
    nobody = ("--base-url", "http://127.0.0.1:9/v1")
    done = ekb("run", *words, *QUICKLY, *nobody, "-o", str(tmp_path / "run"))
    assert done.status == Status.USAGE
    assert said in done.err
    assert not (tmp_path / "run").exists()
