"""What the emitted C looks like, and that it stands alone."""

import subprocess
from pathlib import Path

import numpy as np
import pytest
from tests.compiler.hand import HOST, SERIAL, lit, loops, nest, output, param, places, read
from tests.compiler.kernels import convolution
from tests.compiler.running import run
from tests.conftest import Golden
from tests.interp.texts import facts_of

from edgekernelbench.base.errors import CompileError, PrerequisiteError
from edgekernelbench.compiler.arrays import allocate_buffer
from edgekernelbench.compiler.c import CCompiler
from edgekernelbench.compiler.c.build import build_shared, find_compiler, has_openmp
from edgekernelbench.compiler.c.program import write_program
from edgekernelbench.ir.dtype import DType
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.nest.tree import Store
from edgekernelbench.verify.compute import verify_compute


def test_a_convolution_in_c(golden: Golden) -> None:
    golden(write_program(convolution(3, 16, 5, 14), threads=2, stack_limit=65536).text)


def test_a_scan_with_types_of_every_kind_in_c(golden: Golden) -> None:
    golden(write_program(build_nest(facts_of("gemv_i4"), "llvm", SERIAL), threads=1, stack_limit=65536).text)


@pytest.mark.parametrize("name", ["lstm", "conv2d", "nms", "topk"])
def test_it_compiles_without_a_warning_and_without_openmp(name: str, tmp_path: Path) -> None:
    program = write_program(build_nest(facts_of(name), "llvm", HOST), threads=1, stack_limit=65536)
    source = tmp_path / "kernel.c"
    source.write_text(program.text)
    command = [find_compiler(), "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-c", str(source), "-o"]
    subprocess.run([*command, str(tmp_path / "kernel.o")], check=True)


def test_names_of_the_text_may_be_words_of_c() -> None:
    x, out = param("double", 4), output("expf", 4)
    value = (read(x, "int") + lit(1.0)).call("exp")
    one = nest([x], [out], loops([("int", 4)], Store("expf", places("int"), value.expr)))
    executable = CCompiler().compile(one, SERIAL).executable
    assert executable is not None


def test_numbers_are_written_exactly() -> None:
    out = output("out", 3, dtype=DType.F32)
    numbers = (0.1, 1 / 3, float("-inf"))
    stores = [Store("out", places(i), lit(v).expr) for i, v in enumerate(numbers)]
    artifact = CCompiler().compile(nest([], [out], *stores), SERIAL, listings=True)
    assert "0x1." in artifact.listings["c"]
    found = np.zeros(64, np.float32)
    start = -found.ctypes.data % 64 // 4
    view = found[start : start + 3]
    assert artifact.executable is not None
    artifact.executable.prepare([])
    artifact.executable.run([], [view])
    assert view.tolist() == np.array(numbers, np.float32).tolist()


def test_listings_have_c_and_assembly_and_the_code_has_a_size() -> None:
    artifact = CCompiler().compile(convolution(1, 16, 4, 14), HOST, listings=True)
    assert set(artifact.listings) == {"c", "asm"}
    assert artifact.cost.code_bytes is not None
    assert artifact.cost.code_bytes > 100
    assert artifact.cost.workspace_bytes == {"global": 4 * 6 * 16, "local": 896, "prepared": 576}


def test_timing_goes_round_the_sets_of_buffers() -> None:
    one = convolution(1, 16, 4, 14)
    executable = CCompiler().compile(one, SERIAL).executable
    assert executable is not None
    params = [[allocate_buffer(b) for b in one.params] for _ in range(3)]
    outputs = [[allocate_buffer(b) for b in one.outputs] for _ in range(3)]
    for number, given in enumerate(params):
        given[2][...] = np.float32(number + 1)
    executable.prepare(params[0])
    spent = executable.time_batches(params, outputs, repeats=4)
    assert len(spent) == 4
    assert min(spent) > 0
    assert [o[0].max() for o in outputs] == [1, 2, 3]


def test_without_a_compiler_there_is_a_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CC", raising=False)
    with pytest.raises(PrerequisiteError, match="install gcc"):
        CCompiler().compile(convolution(1, 16, 4, 14), SERIAL)


def test_what_the_compiler_says_is_handed_on(tmp_path: Path) -> None:
    with pytest.raises(CompileError, match="nonsense"):
        build_shared("1 nonsense;", tmp_path, openmp=False, assembly=False)


def test_threads_are_those_of_the_profile() -> None:
    assert has_openmp(find_compiler())
    text = write_program(convolution(3, 16, 5, 14), threads=3, stack_limit=65536).text
    assert "num_threads(3) schedule(static) collapse(3)" in text
    assert "omp" not in write_program(convolution(3, 16, 5, 14), threads=1, stack_limit=65536).text


BIG_BOX = """def f(x: f32[3, 20000]):
    with compute:
        y[i, j]: f32[3, 20000] = x[i, j] * 2.0
        out[i]: f32[3] = max(y[i, j] for j in range(20000))
        return out

    with schedule("llvm"):
        parallel(out.i)
        compute_at(y, out.i)
"""


def test_one_thread_has_an_area_of_its_own_for_what_the_stack_cannot_hold() -> None:
    facts = verify_compute(parse(BIG_BOX))
    x = np.arange(60_000, dtype=np.float32).reshape(3, 20000)
    found = run(CCompiler(), build_nest(facts, "llvm", SERIAL), {"x": x}, SERIAL)
    assert found[0].tolist() == [39998.0, 79998.0, 119998.0]
