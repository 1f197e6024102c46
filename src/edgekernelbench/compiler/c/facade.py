"""What a C program gets to see of an exported kernel: a header, checked entry points, an example.

The entry points take one pointer for each parameter and output, in the order of the text, and room for
what was prepared of the weights and for the workspace: nothing is allocated, nothing is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from edgekernelbench.compiler.arrays import ALIGNMENT, elements, stored_bytes, stored_type
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Buffer, Nest

_SEEN = {
    "bool": "uint8_t", "i4": "uint8_t", "u4": "uint8_t", "i8": "int8_t", "u8": "uint8_t", "i16": "int16_t",
    "u16": "uint16_t", "i32": "int32_t", "u32": "uint32_t", "i64": "int64_t", "f16": "uint16_t",
    "bf16": "uint16_t", "f32": "float", "f64": "double",
}  # fmt: skip
"""C types of elements as a caller has them: 16-bit floats are their bits."""


ANSWERS = ("OK", "NULL", "MISALIGNED", "OUT_OF_RANGE")
"""What both functions answer, by number."""


@dataclass(frozen=True, slots=True)
class Core:
    """What the entry points stand in front of.

    Attributes:
        text: C that defines `NAME_prepare(weights or 0 …, prepared …, workspace)` and
            `NAME_run(params …, outputs …, prepared …, workspace)`.
        workspace_bytes: What either needs.
        alignment: What every pointer must be a multiple of, besides the size of its elements.
        build: How a program is built from these files, a line each.
    """

    text: str
    workspace_bytes: int
    alignment: int
    build: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Facade:
    """Three files.

    Attributes:
        header: What a caller includes.
        source: The kernel with its entry points.
        example: A program that runs it: on files, or on numbers of its own.
    """

    header: str
    source: str
    example: str


def prepared_bytes(nest: Nest) -> int:
    """Count the bytes that what is prepared takes, each buffer aligned."""
    return sum(_rounded(stored_bytes(buffer)) for buffer in nest.prepared)


def seen_type(dtype: DType) -> str:
    """Give the C type of an element as a caller has it."""
    return _SEEN[dtype.value]


def prepared_places(nest: Nest, kind: str) -> list[str]:
    """Say in C where each prepared buffer lies in the room of all, which is called `prepared`.

    Args:
        nest: The nest.
        kind: The C type of the pointer that counts bytes.
    """
    places, at = [], 0
    for buffer in nest.prepared:
        places.append(f"({kind} *)prepared + {at}")
        at += _rounded(stored_bytes(buffer))
    return places


def write_facade(nest: Nest, core: Core, params: Sequence[Param], *, checked: bool) -> Facade:
    """Write what belongs round a kernel.

    Args:
        nest: The nest.
        core: The kernel.
        params: The parameters of the text, for what they declare.
        checked: Whether entry points look at pointers, alignment and declared ranges first.
    """
    writer = _Facade(nest, core, {p.name: p for p in params}, checked=checked)
    return Facade(writer.header(), core.text + writer.entries(), writer.example())


def _rounded(size: int) -> int:
    return -(-size // ALIGNMENT) * ALIGNMENT


def range_check(name: str, count: int, bounds: tuple[int, int], upper: str) -> list[str]:
    """Write what refuses integers outside a range.

    Args:
        name: The array, in C.
        count: How many elements it has.
        bounds: The least value, and the first that is too large.
        upper: How the answers' names begin.
    """
    low, high = bounds
    return [
        f"    for (int64_t ekb_i = 0; ekb_i < {count}; ++ekb_i)",
        f"        if ((int64_t){name}[ekb_i] < {low} || (int64_t){name}[ekb_i] >= {high})",
        f"            return {upper}_OUT_OF_RANGE;",
    ]


def answers_enum(upper: str) -> str:
    """Declare what entry points answer."""
    return f"enum {{ {', '.join(f'{upper}_{word} = {number}' for number, word in enumerate(ANSWERS))} }};"


def pointer_checks(pointers: Sequence[tuple[str, int]], upper: str) -> list[str]:
    """Write what refuses null and misaligned pointers.

    Args:
        pointers: Names in C, each with what it must be a multiple of.
        upper: How the answers' names begin.
    """
    return [
        f"    if (!{' || !'.join(name for name, _ in pointers)}) return {upper}_NULL;",
        *(
            f"    if ((uintptr_t){name} % {size}) return {upper}_MISALIGNED;"
            for name, size in pointers
            if size > 1
        ),
    ]


def timing_lines(call: str, name: str) -> list[str]:
    """Write the end of an example: what times a call and says how long it took."""
    return [
        "    double ekb_best = 1e30;",
        "    for (int ekb_turn = 0; ekb_turn < 50; ++ekb_turn) {",
        "        double ekb_start = ekb_now();",
        f"        {call};",
        "        double ekb_spent = ekb_now() - ekb_start;",
        "        if (ekb_spent < ekb_best) ekb_best = ekb_spent;",
        "    }",
        f'    printf("{name}: %.1f us a run, the best of 50\\n", ekb_best * 1e6);',
        "    return 0;",
        "}",
    ]


class _Facade:
    def __init__(self, nest: Nest, core: Core, params: dict[str, Param], *, checked: bool) -> None:
        self._nest, self._core, self._params, self._checked = nest, core, params, checked
        names = Names()
        self._prefix = names[nest.name]
        self._name = f"ekb_{self._prefix}"
        self._upper = self._name.upper()
        self._c = {b.name: names[b.name] for b in (*nest.params, *nest.outputs)}
        self._weights = tuple(b for b in nest.params if params[b.name].const)

    def header(self) -> str:
        """Write the header."""
        upper = self._upper
        room = max(1, self._core.workspace_bytes)
        lines = [
            f"/* {self._nest.name}, a kernel of EdgeKernelBench: NAME.kir has its text. */",
            f"#ifndef {upper}_H",
            f"#define {upper}_H",
            "#include <stdint.h>",
            "#ifdef __cplusplus",
            'extern "C" {',
            "#endif",
            "",
            "/* Room that the caller gives, aligned like everything else. */",
            f"#define {upper}_WORKSPACE_BYTES {room}",
            f"#define {upper}_PREPARED_BYTES {max(1, prepared_bytes(self._nest))}",
            f"#define {upper}_ALIGNMENT {ALIGNMENT}",
            "",
            "/* What both functions answer. */",
            answers_enum(upper),
            "",
            "/* Once for its weights: fills `prepared`. */",
            f"{self._prepare_head()};",
            "",
            "/* One run; threads need a workspace each, and may share `prepared`. */",
            f"{self._run_head()};",
            "",
            "#ifdef __cplusplus",
            "}",
            "#endif",
            "#endif",
        ]
        return "\n".join(lines).replace("NAME.kir", f"{self._nest.name}.kir") + "\n"

    def entries(self) -> str:
        """Write the entry points."""
        nest, prefix, upper = self._nest, self._prefix, self._upper
        kept = prepared_places(nest, "unsigned char")
        weights = {b.name for b in self._weights}
        given = [f"(const void *){self._c[b.name]}" if b.name in weights else "0" for b in nest.params]
        prepare = [*given, *(f"(void *)({place})" for place in kept), "workspace"]
        run = [
            *(f"(const void *){self._c[b.name]}" for b in nest.params),
            *(f"(void *){self._c[b.name]}" for b in nest.outputs),
            *(f"(const void *)({place})" for place in prepared_places(nest, "const unsigned char")),
            "workspace",
        ]
        lines = [
            "",
            f'#include "{nest.name}.h"',
            "",
            f"{self._prepare_head()} {{",
            *self._checks((*self._weights,), ("prepared", "workspace")),
            f"    {prefix}_prepare({', '.join(prepare)});",
            f"    return {upper}_OK;",
            "}",
            "",
            f"{self._run_head()} {{",
            *self._checks((*nest.params, *nest.outputs), ("prepared", "workspace")),
            f"    {prefix}_run({', '.join(run)});",
            f"    return {upper}_OK;",
            "}",
        ]
        return "\n".join(lines) + "\n"

    def _prepare_head(self) -> str:
        args = [*(self._argument(b) for b in self._weights), "void *prepared", "void *workspace"]
        return f"int {self._name}_prepare(\n    " + ",\n    ".join(args) + ")"

    def _run_head(self) -> str:
        args = [
            *(self._argument(b) for b in self._nest.params),
            *(self._argument(b, const=False) for b in self._nest.outputs),
            "const void *prepared",
            "void *workspace",
        ]
        return f"int {self._name}(\n    " + ",\n    ".join(args) + ")"

    def _argument(self, buffer: Buffer, *, const: bool = True) -> str:
        shape = ", ".join(map(str, buffer.shape))
        note = f"/* {buffer.dtype}[{shape}] */"
        return f"{'const ' if const else ''}{_SEEN[buffer.dtype.value]} *{self._c[buffer.name]} {note}"

    def _checks(self, buffers: tuple[Buffer, ...], rooms: tuple[str, ...]) -> list[str]:
        if not self._checked:
            return [f"    (void){room};" for room in rooms]
        least = self._core.alignment
        pointers = [*((self._c[b.name], max(stored_type(b.dtype).itemsize, least)) for b in buffers)]
        pointers += [(room, ALIGNMENT) for room in rooms]
        lines = pointer_checks(pointers, self._upper)
        for buffer in buffers:
            lines += self._range(buffer)
        return lines

    def _range(self, buffer: Buffer) -> list[str]:
        param = self._params.get(buffer.name)
        if param is None or param.bounds is None:
            return []
        return range_check(self._c[buffer.name], elements(buffer), param.bounds, self._upper)

    def example(self) -> str:
        """Write the example."""
        nest, name, upper = self._nest, self._name, self._upper
        every = (*nest.params, *nest.outputs)
        rooms = [
            f"    {_SEEN[b.dtype.value]} *{self._c[b.name]} = ekb_room({stored_bytes(b)});" for b in every
        ]
        reads = [f"        ekb_get(ekb_in, {self._c[b.name]}, {stored_bytes(b)});" for b in nest.params]
        fills = [self._fill(b) for b in nest.params]
        writes = [f"        ekb_put(ekb_out, {self._c[b.name]}, {stored_bytes(b)});" for b in nest.outputs]
        weights = ", ".join([*(self._c[b.name] for b in self._weights), "prepared", "workspace"])
        run = ", ".join([*(self._c[b.name] for b in every), "prepared", "workspace"])
        lines = [
            f"/* {self._core.build[0]}",
            *(f"      {line}" for line in self._core.build[1:]),
            f"   {nest.name}_example            runs on numbers of its own, and says how long a run takes",
            f"   {nest.name}_example IN OUT     reads the parameters from IN, writes the outputs to OUT */",
            f'#define _POSIX_C_SOURCE 200112L\n#include "{nest.name}.h"',
            *(f"#include <{one}.h>" for one in ("stdio", "stdlib", "string", "time")),
            EXAMPLE_HELPERS.replace("ALIGNMENT", f"{upper}_ALIGNMENT"),
            "int main(int ekb_count, char **ekb_words) {",
            *rooms,
            f"    void *prepared = ekb_room({upper}_PREPARED_BYTES);",
            f"    void *workspace = ekb_room({upper}_WORKSPACE_BYTES);",
            "    if (ekb_count == 3) {",
            '        FILE *ekb_in = fopen(ekb_words[1], "rb");',
            *reads,
            "        fclose(ekb_in);",
            "    } else {",
            *fills,
            "    }",
            f"    int ekb_answer = {name}_prepare({weights});",
            f"    if (!ekb_answer) ekb_answer = {name}({run});",
            f'    if (ekb_answer) return fprintf(stderr, "{name} answered %d\\n", ekb_answer), 1;',
            "    if (ekb_count == 3) {",
            '        FILE *ekb_out = fopen(ekb_words[2], "wb");',
            *writes,
            "        return fclose(ekb_out) != 0;",
            "    }",
            *timing_lines(f"{name}({run})", nest.name),
        ]
        return "\n".join(lines) + "\n"

    def _fill(self, buffer: Buffer) -> str:
        name, kind = self._c[buffer.name], _SEEN[buffer.dtype.value]
        count = elements(buffer)
        bounds = self._params[buffer.name].bounds
        if bounds is not None:
            value = f"{bounds[0]} + (int64_t)(ekb_next() % {bounds[1] - bounds[0]})"
        elif buffer.dtype in (DType.F32, DType.F64):
            value = "(double)(ekb_next() % 2001) / 1000 - 1"
        elif buffer.dtype in (DType.F16, DType.BF16):
            value = "0x3c00 + ekb_next() % 256" if buffer.dtype is DType.F16 else "0x3f80 + ekb_next() % 32"
        elif buffer.dtype is DType.BOOL:
            value = "ekb_next() % 2"
        else:
            value = "ekb_next() % 100"
        return f"        for (int64_t ekb_i = 0; ekb_i < {count}; ++ekb_i) {name}[ekb_i] = ({kind})({value});"


EXAMPLE_HELPERS = """
static uint32_t ekb_state = 1;
static uint32_t ekb_next(void) { return (ekb_state = ekb_state * 1664525u + 1013904223u) >> 8; }
static double ekb_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec + 1e-9 * t.tv_nsec;
}
static void *ekb_room(size_t bytes) {
    void *p = NULL;
    if (posix_memalign(&p, ALIGNMENT, bytes)) exit(1);
    return memset(p, 0, bytes);
}
static void ekb_get(FILE *file, void *to, size_t bytes) {
    if (file && fread(to, 1, bytes, file) == bytes) return;
    fprintf(stderr, "the input is too short\\n");
    exit(1);
}
static void ekb_put(FILE *file, const void *from, size_t bytes) {
    if (file && fwrite(from, 1, bytes, file) == bytes) return;
    fprintf(stderr, "the output cannot be written\\n");
    exit(1);
}
"""
