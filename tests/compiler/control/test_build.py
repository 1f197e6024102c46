"""Building a stranger's C: what the object holds, and what is hidden of it."""

from pathlib import Path

import pytest

from edgekernelbench.base.errors import SourceError
from edgekernelbench.compiler.control.build import Built, build_runner
from edgekernelbench.compiler.control.prototype import write_prototype
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType

FORM = (DType.F32, (4,))
PROTOTYPE = write_prototype((Param("x", DType.F32, (4,)),), (FORM,))
HEAD = "void kernel(const float *restrict x, float *restrict out) "


def built(text: str, folder: Path) -> Built:
    return build_runner(text, PROTOTYPE, folder)


def refusal(text: str, folder: Path) -> list[tuple[str, int]]:
    with pytest.raises(SourceError) as caught:
        built(text, folder)
    return [(d.code, d.span.line) for d in caught.value.diagnostics]


def test_a_prototype_says_sizes_ranges_and_what_is_constant() -> None:
    params = (
        Param("x", DType.F32, (2, 3)),
        Param("kernel", DType.I32, (5,), bounds=(0, 7)),
        Param("w", DType.I4, (3, 8), const=True),
        Param("a", DType.F16, ()),
    )
    declaration = write_prototype(params, (FORM, (DType.BF16, (9,)))).declaration
    assert declaration.split("\n") == [
        "void kernel(",
        "    const float *restrict x, /* f32[2, 3] */",
        "    const int32_t *restrict kernel_, /* i32[5], from 0 to 6 */",
        "    const uint8_t *restrict w, /* i4[3, 8] (two in a byte, the first one low), constant */",
        "    const _Float16 *restrict a, /* f16 */",
        "    float *restrict out0, /* f32[4] */",
        "    uint16_t *restrict out1); /* bf16[9] (the upper 16 bits of a float) */",
    ]


def test_a_text_becomes_a_program(tmp_path: Path) -> None:
    made = built(f"#include <math.h>\n{HEAD}{{ for (int i = 0; i < 4; ++i) out[i] = expf(x[i]); }}", tmp_path)
    assert made.program.is_file()
    assert made.code_bytes


def test_functions_of_a_text_replace_none_of_the_library(tmp_path: Path) -> None:
    text = (
        "#include <stddef.h>\nvoid *memcpy(void *a, const void *b, size_t n) { return a; }\n"
        "long read(int f, void *p, size_t n) { return 0; }\nint main(void) { return 0; }\n"
        f"{HEAD}{{ out[0] = x[0]; }}"
    )
    made = built(text, tmp_path)
    names = (tmp_path / "kernel.o").read_bytes()
    assert made.program.is_file()
    assert b"read" in names, "it is hidden, not taken away"


def test_what_the_compiler_says_has_its_line_and_no_path(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        built(f"{HEAD}{{\n  out[0] = y;\n}}\n", tmp_path)
    (found,) = caught.value.diagnostics
    assert (found.code, found.span.line) == ("X01", 2)
    assert str(tmp_path) not in found.message


@pytest.mark.parametrize(
    "text",
    [
        f"{HEAD}{{ nowhere(x); }}",
        f"{HEAD}{{ int *p = x; out[0] = *p; }}",
        "double kernel(const float *x, float *out) { return *x; }",
    ],
)
def test_what_c_forgives_and_nobody_means_is_refused(text: str, tmp_path: Path) -> None:
    assert refusal(text, tmp_path)[0][0] == "X01"


@pytest.mark.parametrize(
    "name", ["system", "open", "mmap", "pthread_create", "dlsym", "rand", "printf", "syscall"]
)
def test_a_call_that_is_not_listed_is_seen_in_the_object(name: str, tmp_path: Path) -> None:
    text = f"int {name}();\n{HEAD}{{ out[0] = (float){name}(); }}"
    assert refusal(text.replace("int printf", "int printf"), tmp_path)[0][0] in ("X03", "X01")
