"""`ekb lower`."""

import shutil
from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.cli.test_check import GOOD, write

from edgekernelbench.cli.status import Status
from edgekernelbench.lang.parse import parse


def test_without_a_form_the_nest_is_shown(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD))
    assert done.status == Status.YES
    assert done.out.startswith("double_rows on llvm\n")


def test_the_default_lowering_prints_a_whole_text(tmp_path: Path, ekb: Ekb) -> None:
    text = ekb("lower", "--default", write(tmp_path, GOOD.partition("\n    with schedule")[0] + "\n")).out
    kernel = parse(text)
    assert kernel.compute == parse(GOOD).compute
    assert kernel.schedule_for("llvm").directives


@pytest.mark.parametrize(
    ("form", "word"),
    [
        ("text", "with compute:"),
        ("c", "double_rows_run"),
        pytest.param("tir", "def ", marks=pytest.mark.needs_tvm),
        pytest.param("llvm", "define ", marks=pytest.mark.needs_tvm),
        pytest.param("asm", ".text", marks=pytest.mark.needs_tvm),
    ],
)
def test_every_form_can_be_shown(form: str, word: str, tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD), "--to", form)
    assert done.status == Status.YES
    assert word in done.out
    assert ekb("lower", write(tmp_path, GOOD), "--to", form, "--json").json["form"] == form


def test_a_form_that_there_is_not_gets_the_nearest(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD), "--to", "lvm")
    assert (done.status, done.err) == (Status.USAGE, "ekb: no form 'lvm'; did you mean 'llvm'?\n")


def test_a_form_that_is_like_none_gets_all(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD), "--to", "rust")
    assert (done.status, done.out) == (Status.USAGE, "")
    assert "no form 'rust'; there are text, nest, tir, llvm, asm, c" in done.err


def test_a_wrong_text_is_refused_with_its_place(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD.replace("out.i", "out.q")))
    assert done.status == Status.NO
    assert "error[S04]" in done.out


def test_a_refusal_names_the_file_and_shows_all_layers_also_as_json(tmp_path: Path, ekb: Ekb) -> None:
    path = write(tmp_path, GOOD.replace("s[i]\n", "s[i + 1]\n").replace("parallel(out.i)", "parallel(out.q)"))
    done = ekb("lower", path)
    assert done.out.startswith(f"{path}:6:")
    found = ekb("lower", path, "--json").json
    assert found["accepted"] is False
    assert [d["code"] for d in found["diagnostics"]] == ["R01", "S04"]


NVCC = pytest.mark.skipif(shutil.which("nvcc") is None, reason="there is no nvcc")


@pytest.mark.needs_tvm
@pytest.mark.parametrize(
    ("target", "form", "word"),
    [
        pytest.param("opencl", "opencl", "__kernel", marks=pytest.mark.needs_opencl),
        pytest.param("opencl", "tir", "def ", marks=pytest.mark.needs_opencl),
        pytest.param("cuda", "cuda", "__global__", marks=NVCC),
    ],
)
def test_code_of_gpus_can_be_shown(target: str, form: str, word: str, tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD), "--target", target, "--to", form)
    assert done.status == Status.YES, done.err
    assert word in done.out


@pytest.mark.needs_tvm
def test_code_for_a_device_that_is_not_here_needs_no_device(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD), "--profile", "opencl-mali", "--to", "opencl")
    assert done.status == Status.YES, done.err
    assert "__kernel" in done.out


@pytest.mark.needs_tvm
def test_a_form_that_a_target_has_not_is_answered_with_those_that_it_has(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("lower", write(tmp_path, GOOD), "--profile", "opencl-mali", "--to", "llvm")
    assert done.status == Status.USAGE
    assert "tvm has no llvm for opencl; it has tir, opencl" in done.err
