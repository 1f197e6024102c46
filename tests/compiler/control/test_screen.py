"""What a C text may hold before a compiler reads it, and after its macros are gone."""

import pytest

from edgekernelbench.compiler.control.screen import INCLUDES, MAX_CHARS, screen_expanded, screen_text

BODY = "void kernel(const float *restrict x, float *restrict out) { out[0] = x[0]; }\n"

REFUSED = {
    "#include <unistd.h>\n": "X02",
    '#include "/etc/passwd"\n': "X02",
    "#include HEADER\n": "X02",
    "#include_next <math.h>\n": "X02",
    "#import <math.h>\n": "X02",
    "  #  embed <x>\n": "X02",
    "#\\\ninclude <unistd.h>\n": "X02",
    "/* a */ # /* b */ include <unistd.h>\n": "X02",
    '# 1 "x.h"\n': "X02",
    "#line 3\n": "X02",
    "#if __has_include(</etc/shadow>)\n#endif\n": "X02",
    "#pragma weak f\n": "X03",
    "#pragma GCC optimize(3)\n": "X03",
    'char *s = R"(")";\n': "X03",
    "??=include <unistd.h>\n": "X03",
    "%:include <unistd.h>\n": "X03",
    "int a\0;\n": "X03",
}


@pytest.mark.parametrize("text", REFUSED, ids=repr)
def test_a_text_that_reads_or_hides_is_refused(text: str) -> None:
    assert REFUSED[text] in [d.code for d in screen_text(text + BODY)]


@pytest.mark.parametrize(
    "text",
    [
        "",
        *(f"#include <{name}>\n" for name in INCLUDES),
        '#include "kernel.h"\n',
        "/*\n#include <unistd.h>\n*/\n",
        "// #include <unistd.h>\n",
        "#define N 4\n#ifdef N\n#undef N\n#else\n#endif\n#\n",
        "#pragma omp parallel for\n#pragma GCC unroll 4\n#pragma STDC FP_CONTRACT ON\n",
        'static const char s[] = "#include <unistd.h> /*";\n',
    ],
)
def test_a_text_that_does_neither_may_be_compiled(text: str) -> None:
    assert screen_text(text + BODY) == ()


def test_a_complaint_names_its_line() -> None:
    (found,) = screen_text("int a; /* two\nlines */ int \\\nb;\n#include <unistd.h>\n" + BODY)
    assert found.span.line == 4


def test_a_text_beyond_the_limit_is_refused_unread() -> None:
    assert [d.code for d in screen_text(" " * (MAX_CHARS + 1))] == ["X02"]


@pytest.mark.parametrize(
    ("line", "refused"),
    [
        ('__asm__ volatile("nop");', True),
        ("asm(\"\");", True),
        ('const char *s = "asm";', False),
        ("__attribute__((constructor)) void f(void);", True),
        ("__attribute__((__constructor__)) void f(void);", True),
        ("__attribute__((aligned(64), ifunc(\"g\"))) int a;", True),
        ("__attribute__ ( ( aligned ( 64 ) , noinline ) ) int a;", False),
        ("int kernel_asm_like;", False),
        ("[[gnu::constructor]] void f(void);", True),
        ("#pragma redefine_extname a b", True),
        ("#pragma omp simd", False),
        ("__attribute__ EMPTY;", True),
    ],
)  # fmt: skip
def test_what_macros_leave_behind_is_looked_at(line: str, refused: bool) -> None:
    header = '# 1 "kernel.c"\n# 1 "/usr/include/math.h" 1 3\n__asm__("of the system");\n'
    text = f'{header}# 2 "kernel.c" 2\n{line}\n'
    found = screen_expanded(text, "kernel.c")
    assert bool(found) == refused
    assert all(d.span.line == 2 for d in found)
