"""`ekb import` and `ekb profile`, as their users type them."""

from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.imports.onnx_models import small_net

from edgekernelbench.cli.status import Status

pytestmark = pytest.mark.needs_tvm


def test_a_model_becomes_a_catalogue_that_other_commands_take(tmp_path: Path, ekb: Ekb) -> None:
    out = str(tmp_path / "net")
    done = ekb("import", str(small_net(tmp_path)), "--out", out)
    assert done.status == Status.YES
    assert "4 of 4 functions raised; ONNX Runtime gives the same outputs" in done.out
    listed = ekb("catalogue", "list", "--in", out)
    assert listed.out.count("small_net/") == 4


def test_the_json_is_the_record_of_the_model(tmp_path: Path, ekb: Ekb) -> None:
    record = ekb("import", str(small_net(tmp_path)), "--out", str(tmp_path / "net"), "--json").json
    assert record["schema"] == "ekb/model/1"
    assert [f["runs"] for f in record["functions"]] == [2, 1, 1, 1]


def test_a_missing_file_is_named(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("import", str(tmp_path / "none.onnx"), "--out", str(tmp_path / "net"))
    assert (done.status, done.err) == (Status.USAGE, f"ekb: no file {tmp_path / 'none.onnx'}\n")


def test_a_size_that_is_no_number_is_refused(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("import", "a.onnx", "--out", str(tmp_path / "net"), "--size", "batch=two")
    assert done.status == Status.USAGE
    assert "expected --size NAME=NUMBER with a number of at least 1, found 'batch=two'" in done.err


PROBLEM = """\
import torch

ROWS = 4000


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) * 2


def get_inputs():
    return [torch.randn(ROWS, 6)]
"""


@pytest.mark.needs_torch
@pytest.mark.slow
def test_a_problem_file_is_imported_with_other_sizes_once_it_is_trusted(tmp_path: Path, ekb: Ekb) -> None:
    file = tmp_path / "double_relu.py"
    file.write_text(PROBLEM, encoding="utf-8")
    words = ("import", str(file), "--out", str(tmp_path / "net"), "--size", "ROWS=30")
    assert ekb(*words).status == Status.USAGE
    done = ekb(*words, "--trust", "--json")
    assert done.status == Status.YES
    assert done.json["inputs"] == [{"name": "x", "dtype": "f32", "shape": [30, 6]}]
    assert done.json["framework"] == "PyTorch"


def test_a_folder_that_was_imported_takes_no_options_of_an_import(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("profile", str(tmp_path), "--trust")
    assert done.status == Status.USAGE
    assert "is imported already" in done.err


@pytest.mark.slow
def test_a_profile_says_where_the_time_goes(tmp_path: Path, ekb: Ekb) -> None:
    page = tmp_path / "page.html"
    done = ekb("profile", str(small_net(tmp_path)), "--json", "--html", str(page))
    assert done.status == Status.YES
    record = done.json
    assert record["raised_share"] == pytest.approx(1.0)
    assert record["parts"][0]["name"] == "conv_relu"
    assert "Content-Security-Policy" in page.read_text(encoding="utf-8")
