"""C that stands between entry points and the two functions of an object file."""

from importlib.resources import files

import numpy as np

from edgekernelbench.compiler.arrays import ALIGNMENT, elements, stored_shape, stored_type
from edgekernelbench.compiler.c.facade import Core
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.compiler.plain import Area, PlainKernel
from edgekernelbench.nest.tree import Buffer

RUNTIME = ("ekb_runtime.c", "ekb_runtime.h")
"""The files that object files need beside them."""

_UNSIGNED = {1: "uint8_t", 2: "uint16_t", 4: "uint32_t", 8: "uint64_t"}
_THREADS = "#define EKB_THREADS 1"


def runtime_texts(threads: int) -> dict[str, str]:
    """Give the pool of threads that object files need, by file name.

    Args:
        threads: How many it uses unless it is told otherwise.
    """
    folder = files(__package__) / "data"
    texts = {name: (folder / name).read_text(encoding="utf-8") for name in RUNTIME}
    return {name: text.replace(_THREADS, f"#define EKB_THREADS {threads}") for name, text in texts.items()}


def write_glue(plain: PlainKernel) -> Core:
    """Write what calls a kernel of an object file: its tables, and where workspace is divided.

    Args:
        plain: The kernel.
    """
    nest, name = plain.nest, Names()[plain.nest.name]
    names = [f"p{number}" for number in range(len(plain.arguments) - len(nest.tables))]
    first, after = len(nest.params), len(nest.params) + len(nest.outputs)
    tables = [f"ekb_table_{number}" for number in range(len(nest.tables))]
    without = [*names[:first], *["0"] * len(nest.outputs), *names[after:], *tables]
    lines = [
        f"/* {nest.name}: {nest.name}.o has the kernel, made by LLVM from what EdgeKernelBench wrote. */",
        '#include "ekb_runtime.h"',
        "#include <stdint.h>",
        "",
        *(table_text(b, table) for b, table in zip(nest.tables, tables, strict=True)),
        *declarations(plain),
        "",
        *_function(
            f"{name}_prepare", [*names[:first], *names[after:]], plain.prepare, without, plain.prepare_area
        ),
        *_function(f"{name}_run", names, plain.run, [*names, *tables], plain.run_area),
        # A program without ekb_runtime.c is refused by the linker, not ended by a call of nothing.
        f"int (*const ekb_{name}_threads)(void) = ekb_threads;",
    ]
    return Core("\n".join(lines) + "\n", plain.workspace_bytes, ALIGNMENT, _build(nest.name))


def declarations(plain: PlainKernel) -> list[str]:
    """Declare the two functions of a kernel."""
    pointers = ", ".join([*["const void *"] * len(plain.arguments), "void *", "void *"])
    return [f"int {function}({pointers});" for function in (plain.prepare, plain.run)]


def _function(name: str, params: list[str], callee: str, given: list[str], area: Area) -> list[str]:
    declared = ", ".join([*(f"const void *{param}" for param in params), "void *workspace"])
    lanes = f"(unsigned char *)workspace + {area.run_bytes}"
    return [
        f"static void {name}({declared}) {{",
        f"    {callee}({', '.join([*given, 'workspace', lanes])});",
        "}",
        "",
    ]


def table_text(buffer: Buffer, name: str) -> str:
    """Write a table as the bits of its elements, which is exact for every type."""
    held = np.array(buffer.values).reshape(stored_shape(buffer)).astype(stored_type(buffer.dtype))
    size = held.dtype.itemsize
    bits = held.reshape(-1).view(f"u{size}")
    numbers = ", ".join(f"{int(value)}u" if size < 8 else f"{int(value)}ull" for value in bits)
    return (
        f"static const _Alignas({ALIGNMENT}) {_UNSIGNED[size]} "
        f"{name}[{elements(buffer)}] = {{{numbers}}}; /* {buffer.name} */"
    )


def _build(name: str) -> tuple[str, ...]:
    sources = f"{name}_example.c {name}.c {name}.o ekb_runtime.c"
    return (f"cc -std=gnu11 -O2 -pthread {sources} -o {name}_example -lm",)
