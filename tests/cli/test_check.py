"""`ekb check`."""

import io
import sys
from pathlib import Path

import pytest
from tests.cli.conftest import Ekb
from tests.conftest import Golden

from edgekernelbench.cli.status import Status

GOOD = '''def double_rows(x: f32[32, 64]):
    """Twice the sum of each row."""

    with compute:
        s[i]: f32[32] = sum(x[i, j] for j in range(64))
        out[i]: f32[32] = 2.0 * s[i]
        return out

    with schedule("llvm"):
        parallel(out.i)
        compute_at(s, out.i)
'''
BAD = GOOD.replace("2.0 * s[i]", "2.0 * s[i - 1]").replace("parallel(out.i)", "parallel(out.j)")
PATTERN = GOOD.replace("[32", "[R").replace("64", "N")


def write(folder: Path, text: str) -> str:
    path = folder / "kernel.kir"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_an_accepted_text_is_answered_with_what_it_costs(tmp_path: Path, ekb: Ekb, golden: Golden) -> None:
    done = ekb("check", write(tmp_path, GOOD), "--profile", "opencl")
    assert (done.status, done.err) == (Status.YES, "")
    golden(done.out)


def test_the_nest_is_shown_on_demand(tmp_path: Path, ekb: Ekb) -> None:
    done = ekb("check", write(tmp_path, GOOD), "--nest")
    assert done.status == Status.YES
    assert "double_rows: accepted for llvm" in done.out
    assert "for out.i:32 (parallel" in done.out


def test_a_refused_text_is_answered_with_every_reason(
    tmp_path: Path, ekb: Ekb, golden: Golden, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write(tmp_path, BAD)
    done = ekb("check", "kernel.kir")
    assert (done.status, done.err) == (Status.NO, "")
    golden(done.out)


def test_both_answers_are_there_as_json(tmp_path: Path, ekb: Ekb) -> None:
    good = ekb("check", write(tmp_path, GOOD), "--json", "--nest").json
    assert (good["accepted"], good["kernel"], good["target"]) == (True, "double_rows", "llvm")
    assert {stage["stage"] for stage in good["stages"]} == {"s", "out"}
    assert good["nest"].startswith("double_rows on llvm")
    bad = ekb("check", write(tmp_path, BAD), "--json").json
    assert bad["accepted"] is False
    assert {(d["code"], d["layer"]) for d in bad["diagnostics"]} >= {("R01", "compute")}


def test_a_text_may_come_from_standard_input(ekb: Ekb, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(BAD.encode())))
    assert ekb("check", "-").out.startswith("<stdin>:")


def test_a_pattern_asks_for_its_sizes_and_takes_them(tmp_path: Path, ekb: Ekb) -> None:
    path = write(tmp_path, PATTERN)
    done = ekb("check", path)
    assert (done.status, done.out) == (Status.USAGE, "")
    assert "--size R=... --size N=..." in done.err
    assert ekb("check", path, "--size", "R=4", "-s", "N=8").status == Status.YES


@pytest.mark.parametrize("data", [b"\xff\xfe\x00", b"", b"\x00" * 100, "défaut".encode(), b"(" * 100_000])
def test_whatever_a_file_holds_the_answer_is_a_refusal(tmp_path: Path, data: bytes, ekb: Ekb) -> None:
    path = tmp_path / "kernel.kir"
    path.write_bytes(data)
    done = ekb("check", str(path))
    assert (done.status, done.err) == (Status.NO, "")
    assert "error[P0" in done.out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("no/such/file",), "no such file or directory"),
        (("--target", "lvm"), "did you mean 'llvm'"),
        (("--profile", "cuda-sm78"), "did you mean 'cuda-sm87'"),
        (
            ("--target", "opencl", "--profile", "llvm"),
            "'llvm' is of llvm, not of opencl; of opencl are opencl",
        ),
        (("--size", "R"), "'R' is not of the form NAME=VALUE"),
    ],
)
def test_a_wrong_option_is_a_wrong_command_line(
    tmp_path: Path, words: tuple[str, ...], message: str, ekb: Ekb
) -> None:
    file = () if words[0] == "no/such/file" else (write(tmp_path, GOOD),)
    done = ekb("check", *file, *words)
    assert done.status == Status.USAGE
    assert message in done.err


def test_a_folder_is_no_text(tmp_path: Path, ekb: Ekb) -> None:
    assert "is a directory" in ekb("check", str(tmp_path)).err


def test_a_text_without_an_end_is_not_read_to_its_end(ekb: Ekb) -> None:
    assert "more than 65,536 characters" in ekb("check", "/dev/zero").out


def test_line_ends_of_windows_and_old_macs_are_quoted_by_the_line(tmp_path: Path, ekb: Ekb) -> None:
    for end in ("\r\n", "\r"):
        path = tmp_path / "kernel.kir"
        path.write_bytes(BAD.replace("\n", end).encode())
        lines = ekb("check", str(path)).out.split("\n")
        assert lines[1].strip() == "out[i]: f32[32] = 2.0 * s[i - 1]"
        assert "\r" not in "".join(lines)
