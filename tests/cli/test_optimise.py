"""`ekb optimise` and `ekb export` of models: what they refuse before anything is begun."""

from pathlib import Path

import pytest

from edgekernelbench.base.errors import CatalogueError
from edgekernelbench.bench.optimising.record import Optimisation, Whole, store_optimisation
from edgekernelbench.cli.main import run
from edgekernelbench.cli.optimise import _again, parse_duration
from edgekernelbench.cli.status import Status


@pytest.mark.parametrize(
    ("text", "seconds"), [("90s", 90.0), ("90", 90.0), ("20min", 1200.0), ("1.5 h", 5400.0)]
)
def test_a_budget_is_a_duration(text: str, seconds: float) -> None:
    assert parse_duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0s", "-3min", "20 submissions", "soon"])
def test_what_is_no_duration_is_refused(text: str) -> None:
    with pytest.raises(CatalogueError, match="expected a duration such as 90s, 20min or 2h"):
        parse_duration(text)


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (["--agent", "leka"], Status.MISSING, "give --model"),
        (["--agent", "policy", "--model", "smollm2"], Status.USAGE, "policy asks no model"),
        (["--agent", "best"], Status.USAGE, "there are policy and leka"),
        (["--device", "opencl"], Status.MISSING, "models are optimised for CPUs"),
        ([], Status.USAGE, "no file nothing.onnx"),
    ],
    ids=["no-model", "a-model-too-many", "agent", "device", "file"],
)
def test_a_wrong_beginning_leaves_nothing_behind(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], status: Status, says: str
) -> None:
    out = tmp_path / "out"
    assert run(["optimise", "nothing.onnx", "--out", str(out), *words]) == status
    assert says in capsys.readouterr().err
    assert not out.exists()


def test_a_folder_of_something_else_is_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    assert run(["optimise", "nothing.onnx", "--out", str(tmp_path)]) == Status.USAGE
    assert "holds something that `ekb optimise` did not begin" in capsys.readouterr().err


@pytest.mark.parametrize("option", [["--default"], ["--measure"], ["--size", "N=3"]], ids=lambda o: o[0])
def test_options_of_kernels_are_refused_for_models(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], option: list[str]
) -> None:
    assert run(["export", str(tmp_path), "--to", str(tmp_path / "out"), *option]) == Status.USAGE
    assert "are for kernel texts" in capsys.readouterr().err


def test_a_folder_that_is_no_model_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run(["export", str(tmp_path), "--to", str(tmp_path / "out")])
    assert "is no folder of `ekb optimise` or `ekb import`" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--format", "objekt"], "did you mean 'object'?"),
        (["--target", "mips"], "no target 'mips' to export for; there are aarch64, native"),
        (["--target", "aarch64", "-p", "llvm"], "give --target aarch64 or --profile llvm, not both"),
    ],
    ids=["format", "target", "both"],
)
def test_wrong_words_of_export_are_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], says: str
) -> None:
    text = tmp_path / "k.kir"
    text.write_text("def k(x: f32[4]):\n    with compute:\n        y[i]: f32[4] = x[i]\n        return y\n")
    assert run(["export", str(text), "--to", str(tmp_path / "out"), *words]) == Status.USAGE
    assert says in capsys.readouterr().err


def test_a_folder_goes_on_as_it_was_begun(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    begun = Optimisation(source="net.onnx", device="llvm", agent="policy", budget_s=60.0)
    store_optimisation(begun, tmp_path)
    assert run(["optimise", "other.onnx", "--out", str(tmp_path)]) == Status.USAGE
    assert "expected net.onnx on llvm by policy, as the folder was begun, found other.onnx" in (
        capsys.readouterr().err
    )


def test_more_time_lets_a_finished_one_go_on() -> None:
    whole = Whole(against="PyTorch", apart=0.0)
    done = Optimisation(source="n", device="llvm", agent="policy", budget_s=60.0, whole=whole)
    assert _again(done, "n", "llvm", "policy", None) == done
    assert _again(done, "n", "llvm", "policy", "60s") == done
    more = _again(done, "n", "llvm", "policy", "2min")
    assert (more.budget_s, more.whole) == (120.0, None)
