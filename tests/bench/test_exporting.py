"""Kernels as C: they compute what their texts say, and refuse what they cannot take."""

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.interp.texts import verified

from edgekernelbench.base.errors import CompileError, PrerequisiteError, RecordError
from edgekernelbench.bench.exporting import export_kernel, verify_export
from edgekernelbench.lang.parse import parse
from edgekernelbench.profiles.profile import load_profile

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
static float table[140], n[100];
static uint16_t in_[20];
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


def exported(text: str, folder: Path, *, checked: bool = True) -> Path:
    verified(text)
    export_kernel(parse(text), LLVM, folder, checked=checked)
    return folder


def answers(folder: Path, place: Path) -> str:
    (place / "calls.c").write_text(CALLS, encoding="utf-8")
    program = place / "calls"
    sources = [str(place / "calls.c"), str(folder / "lookup.c")]
    strict = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-std=gnu11"]
    subprocess.run(["cc", *strict, f"-I{folder}", *sources, "-o", str(program), "-lm"], check=True)
    return subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout


@pytest.mark.parametrize("text", [LOOKUP, PACKED], ids=["lookup", "nibbles"])
@pytest.mark.parametrize("checked", [True, False], ids=["checked", "unchecked"])
def test_what_is_exported_computes_what_its_text_says(tmp_path: Path, text: str, *, checked: bool) -> None:
    found = verify_export(exported(text, tmp_path / "out", checked=checked))
    assert found.flaws == ()
    assert " us a run" in found.said


def test_entry_points_refuse_null_misaligned_and_out_of_range(tmp_path: Path) -> None:
    assert answers(exported(LOOKUP, tmp_path / "out"), tmp_path) == "0 0 1 2 3"


@pytest.mark.skipif(
    not (shutil.which("aarch64-linux-gnu-gcc") and shutil.which("qemu-aarch64")),
    reason="needs a cross compiler and an emulator: apt-get install gcc-aarch64-linux-gnu qemu-user",
)
def test_it_runs_on_another_processor(tmp_path: Path) -> None:
    found = verify_export(
        exported(LOOKUP, tmp_path / "out"),
        compiler="aarch64-linux-gnu-gcc",
        flags=["-static"],
        runner="qemu-aarch64",
    )
    assert found.flaws == ()


def test_a_changed_file_is_named(tmp_path: Path) -> None:
    folder = exported(PACKED, tmp_path / "out")
    source = folder / "nibbles.c"
    source.write_text(source.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert verify_export(folder).flaws == ("nibbles.c is not what was exported",)


def test_what_cannot_be_done_is_said(tmp_path: Path) -> None:
    folder = exported(PACKED, tmp_path / "out")
    with pytest.raises(RecordError, match="is not empty: export to a new folder"):
        export_kernel(parse(PACKED), LLVM, folder, checked=True)
    with pytest.raises(RecordError, match=r"has no export\.json: it is no exported folder"):
        verify_export(tmp_path)
    with pytest.raises(PrerequisiteError, match="there is no no-such-compiler"):
        verify_export(folder, compiler="no-such-compiler")
    with pytest.raises(CompileError, match="the C compiler refused the export"):
        verify_export(folder, flags=["-no-such-flag"])
    with pytest.raises(PrerequisiteError, match="exported as C for CPUs, opencl is none"):
        export_kernel(parse(PACKED), load_profile("opencl"), tmp_path / "gpu", checked=True)
