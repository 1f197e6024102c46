"""Kernels as C: they compute what their texts say, and refuse what they cannot take."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.interp.texts import verified

from edgekernelbench.base.errors import CompileError, PrerequisiteError, RecordError
from edgekernelbench.deploy.kernels import Wish, export_kernel
from edgekernelbench.deploy.record import Form
from edgekernelbench.deploy.verifying import verify_export
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import Profile, load_profile

LLVM = load_profile("llvm")
LOOKUP = """
def lookup(ids: i32[5] in range(7), table: const[f32[7, 20]], in_: f16[20]):
    with compute:
        n[i, j]: f32[5, 20] = table[ids[i], j] * f32(in_[j])
        return n

    with memory("llvm"):
        layout(table, "a b -> b/4 a b%4")
"""
PACKED = """
def nibbles(w: const[i4[8, 6]], x: i8[6]):
    with compute:
        y[i]: i32[8] = sum(i32(w[i, k]) * i32(x[k]) for k in range(6))
        return y
"""
CALLS = """
#include "lookup.h"
#include <stdio.h>
static _Alignas(64) unsigned char prepared[EKB_LOOKUP_PREPARED_BYTES];
static _Alignas(64) unsigned char workspace[EKB_LOOKUP_WORKSPACE_BYTES + 64];
static _Alignas(64) int32_t ids[5] = {0, 1, 2, 3, 6};
static _Alignas(64) float table[140], n[100];
static _Alignas(64) uint16_t in_[20];
int main(void) {
    printf("%d ", ekb_lookup_prepare(table, prepared, workspace));
    printf("%d ", ekb_lookup(ids, table, in_, n, prepared, workspace));
    printf("%d ", ekb_lookup(ids, 0, in_, n, prepared, workspace));
    printf("%d ", ekb_lookup(ids, table, in_, n, prepared, workspace + 1));
    ids[4] = 7;
    printf("%d", ekb_lookup(ids, table, in_, n, prepared, workspace));
    return 0;
}
"""
SHARED_OUT = """
def blur(x: f32[64, 256], w: const[f32[3]]):
    with compute:
        twice[i, j]: f32[64, 256] = x[i, j] * 2.0
        y[i, j]: f32[64, 254] = sum(twice[i, j + k] * w[k] for k in range(3))
        total[i]: f32[64] = sum(y[i, j] for j in range(254))
        return y, total

    with schedule("llvm"):
        compute_at(twice, y.i)
        compute_at(y, total.i)
        parallel(total.i)
"""
TABLE = """
def windowed(x: f32[4, 5]):
    with compute:
        window: f32[5] = [0.1, 0.5, 1.0, 0.5, 0.1]
        steps: i8[5] = [1, -2, 3, -4, 5]
        y[i, j]: f32[4, 5] = x[i, j] * window[j] + f32(i32(steps[j]))
        return y
"""
HALVES = """
def halves(x: f16[40], y: bf16[40]):
    with compute:
        z[i]: f16[40] = f16(f32(x[i]) * f32(y[i]))
        return z
"""


def exported(text: str, folder: Path, wish: Wish | None = None, profile: Profile = LLVM) -> Path:
    verified(text)
    export_kernel(parse(text), profile, folder, wish or Wish())
    return folder


def answers(folder: Path, place: Path) -> str:
    (place / "calls.c").write_text(CALLS, encoding="utf-8")
    program = place / "calls"
    sources = [str(place / "calls.c"), *map(str, [*folder.glob("lookup.[co]"), *folder.glob("ekb_*.c")])]
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-std=gnu11", "-pthread"]
    subprocess.run(["cc", *strict, f"-I{folder}", *sources, "-o", str(program), "-lm"], check=True)
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("form", list(Form))
@pytest.mark.parametrize(
    "text", [LOOKUP, PACKED, SHARED_OUT, TABLE, HALVES], ids=lambda t: t.split("(")[0][5:]
)
def test_what_is_exported_computes_what_its_text_says(tmp_path: Path, text: str, form: Form) -> None:
    found = verify_export(exported(text, tmp_path / "out", Wish(form)))
    assert found.flaws == ()
    assert " us a run" in found.said


def test_unchecked_entry_points_compute_the_same(tmp_path: Path) -> None:
    folder = exported(SHARED_OUT, tmp_path / "out", Wish(checked=False))
    assert "_NULL;" not in (folder / "blur.c").read_text(encoding="utf-8")
    assert verify_export(folder).flaws == ()


def test_object_files_need_nothing_of_tvm(tmp_path: Path) -> None:
    folder = exported(SHARED_OUT, tmp_path / "out")
    listed = subprocess.run(["nm", str(folder / "blur.o")], capture_output=True, text=True, check=True).stdout
    assert "ekb_parallel_launch" in listed
    assert "TVM" not in listed
    missing = {line.split()[-1] for line in listed.splitlines() if " U " in line}
    assert missing <= {"memset", "memcpy"}


@pytest.mark.parametrize("form", [Form.OBJECT, Form.C])
def test_entry_points_refuse_null_misaligned_and_out_of_range(tmp_path: Path, form: Form) -> None:
    assert answers(exported(LOOKUP, tmp_path / "out", Wish(form)), tmp_path) == "0 0 1 2 3"


@pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="needs a cross compiler and an emulator: apt-get install gcc-aarch64-linux-gnu qemu-user",
)
@pytest.mark.parametrize("form", [Form.OBJECT, Form.SHARED])
def test_it_runs_on_another_processor(tmp_path: Path, form: Form) -> None:
    folder = exported(SHARED_OUT, tmp_path / "out", Wish(form), load_profile("aarch64"))
    assert verify_export(folder).flaws == ()


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    folder = exported(PACKED, tmp_path / "out", Wish(Form.C))
    source = folder / "nibbles.c"
    source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert verify_export(folder).flaws == ("nibbles.c is not what was exported",)


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    folder = exported(PACKED, tmp_path / "out", Wish(Form.C))
    with pytest.raises(RecordError, match="is not empty: export to a new folder"):
        export_kernel(parse(PACKED), LLVM, folder, Wish())
    with pytest.raises(RecordError, match=r"has no export\.json: it is no exported folder"):
        verify_export(tmp_path)
    with pytest.raises(PrerequisiteError, match="there is no no-such-compiler"):
        verify_export(folder, compiler="no-such-compiler")
    with pytest.raises(CompileError, match="the C compiler refused the export"):
        verify_export(folder, flags=["-no-such-flag"])
    with pytest.raises(PrerequisiteError, match="exported for CPUs, opencl is none"):
        export_kernel(parse(PACKED), load_profile("opencl"), tmp_path / "gpu", Wish())
