"""A whole model as C: entry points that call its kernels in order, a header, an example."""

from collections.abc import Mapping

from edgekernelbench.compiler.arrays import ALIGNMENT, elements, stored_bytes
from edgekernelbench.compiler.c.facade import (
    EXAMPLE_HELPERS,
    Facade,
    answers_enum,
    pointer_checks,
    range_check,
    seen_type,
    timing_lines,
)
from edgekernelbench.compiler.c.glue import declarations, table_text
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.compiler.plain import PlainKernel
from edgekernelbench.compiler.whole import Layout, Whole, WholeCall, preparation, rounded
from edgekernelbench.nest.tree import Buffer

_ROOMS = ("const void *weights", "void *prepared", "void *workspace")


def write_whole(whole: Whole, kernels: Mapping[str, PlainKernel], layout: Layout, *, checked: bool) -> Facade:
    """Write the C of a model whose kernels are in an object file.

    Args:
        whole: The model.
        kernels: Its kernels, by name.
        layout: Where everything lies.
        checked: Whether the entry points look at pointers, alignment and declared ranges.
    """
    writer = _Writer(whole, kernels, layout, checked=checked)
    return Facade(writer.header(), writer.source(), writer.example())


class _Writer:
    def __init__(
        self, whole: Whole, kernels: Mapping[str, PlainKernel], layout: Layout, *, checked: bool
    ) -> None:
        self._whole, self._kernels, self._layout, self._checked = whole, kernels, layout, checked
        names = Names()
        self._name = f"ekb_{names[whole.name]}"
        self._upper = self._name.upper()
        self._inputs = {b.name: names[f"in_{b.name}"] for b in whole.inputs}
        self._outputs = [names[f"out_{number}"] for number in range(len(whole.outputs))]
        self._first: dict[str, str] = {}
        for name, pointer in zip(whole.outputs, self._outputs, strict=True):
            self._first.setdefault(name, pointer)
        self._constants = {b.name: b for b in whole.constants}
        self._tables = {
            (kernel, b.name): f"ekb_table_{number}_{n}"
            for number, (kernel, plain) in enumerate(kernels.items())
            for n, b in enumerate(plain.nest.tables)
        }

    def header(self) -> str:
        """Write the header."""
        upper, layout = self._upper, self._layout
        lines = [
            f"/* {self._whole.name}, a model whose kernels EdgeKernelBench made. */",
            f"#ifndef {upper}_H\n#define {upper}_H\n#include <stdint.h>",
            '#ifdef __cplusplus\nextern "C" {\n#endif',
            "",
            f"/* Sizes of what the caller gives; everything starts at a multiple of {ALIGNMENT} bytes. */",
            f"/* {upper}_WEIGHTS_BYTES are those of the file {self._whole.name}.weights. */",
            f"#define {upper}_WEIGHTS_BYTES {max(1, layout.weights_bytes)}",
            f"#define {upper}_PREPARED_BYTES {max(1, layout.prepared_bytes)}",
            f"#define {upper}_WORKSPACE_BYTES {max(1, layout.workspace_bytes)}",
            f"#define {upper}_ALIGNMENT {ALIGNMENT}",
            "",
            "/* What both functions answer. */",
            answers_enum(upper),
            "",
            "/* Once: fills `prepared`. The weights are still needed afterwards. */",
            f"{self._prepare_head()};",
            "",
            "/* One run; threads need a workspace each, and may share `weights` and `prepared`. */",
            f"{self._run_head()};",
            "",
            "#ifdef __cplusplus\n}\n#endif\n#endif",
        ]
        return "\n".join(lines) + "\n"

    def source(self) -> str:
        """Write the entry points."""
        whole = self._whole
        given = [*self._inputs.values(), *self._outputs]
        rooms = ["weights", "prepared", "workspace"]
        every = [(name, ALIGNMENT) for name in (*given, *rooms)]
        lines = [
            f"/* {whole.name}: {whole.name}.o has its kernels, made by LLVM for EdgeKernelBench. */",
            f'#include "{whole.name}.h"\n#include "ekb_runtime.h"\n#include <string.h>',
            "",
            *(line for kernel in self._kernels.values() for line in declarations(kernel)),
            *(
                table_text(b, self._tables[kernel, b.name])
                for kernel, plain in self._kernels.items()
                for b in plain.nest.tables
            ),
            "",
            "#define AT(base, offset) ((void *)((unsigned char *)(uintptr_t)(base) + (offset)))",
            f"int (*const {self._name}_threads)(void) = ekb_threads;",
            "",
            f"{self._prepare_head()} {{",
            *(pointer_checks([(room, ALIGNMENT) for room in rooms], self._upper) if self._checked else ()),
            *self._prepares(),
            f"    (void)weights; (void)prepared; (void)workspace;\n    return {self._upper}_OK;\n}}",
            "",
            f"{self._run_head()} {{",
            *(pointer_checks(every, self._upper) if self._checked else ()),
            *(line for number, call in enumerate(whole.calls) for line in self._call(number, call)),
            *self._copies(),
            f"    (void)weights; (void)prepared; (void)workspace;\n    return {self._upper}_OK;\n}}",
        ]
        return "\n".join(lines) + "\n"

    def _prepare_head(self) -> str:
        return f"int {self._name}_prepare(\n    " + ",\n    ".join(_ROOMS) + ")"

    def _run_head(self) -> str:
        inputs = [_argument(b, self._inputs[b.name], const=True) for b in self._whole.inputs]
        outputs = [
            _argument(self._value(name), pointer, const=False)
            for name, pointer in zip(self._whole.outputs, self._outputs, strict=True)
        ]
        rooms = ("const void *weights", "const void *prepared", "void *workspace")
        return f"int {self._name}(\n    " + ",\n    ".join([*inputs, *outputs, *rooms]) + ")"

    def _value(self, name: str) -> Buffer:
        inputs = {b.name: b for b in self._whole.inputs}
        return (inputs | self._constants | dict(self._layout.values))[name]

    def _place(self, name: str) -> str:
        """Write where a value lies."""
        if name in self._inputs:
            return self._inputs[name]
        if name in self._constants:
            return f"AT(weights, {self._layout.weights[name]})"
        return self._first.get(name) or f"AT(workspace, {self._layout.places[name]})"

    def _prepares(self) -> list[str]:
        lines, done = [], set()
        for call in self._whole.calls:
            kernel = self._kernels[call.kernel]
            key = preparation(self._whole, call, kernel)
            if key is None or key in done:
                continue
            done.add(key)
            args = [self._place(arg) if arg in self._constants else "0" for arg in call.args]
            area = kernel.prepare_area
            rooms = ["workspace", f"AT(workspace, {area.run_bytes})"]
            every = [*args, *["0"] * len(call.results), *self._kept(call), *self._table_names(call), *rooms]
            lines.append(f"    {kernel.prepare}({', '.join(every)});")
        return lines

    def _call(self, number: int, call: WholeCall) -> list[str]:
        kernel = self._kernels[call.kernel]
        room = self._layout.rooms[number]
        rooms = [f"AT(workspace, {room})", f"AT(workspace, {room + kernel.run_area.run_bytes})"]
        values = [self._place(name) for name in (*call.args, *call.results)]
        every = [*values, *self._kept(call), *self._table_names(call), *rooms]
        return [*self._ranges(call), f"    {kernel.run}({', '.join(every)});"]

    def _ranges(self, call: WholeCall) -> list[str]:
        """Look at values that a kernel takes for granted, unless they are weights."""
        lines: list[str] = []
        for place, name in enumerate(call.args):
            bounds = self._whole.bounds.get((call.kernel, place))
            if self._checked and bounds is not None and name not in self._constants:
                value = self._value(name)
                pointer = f"((const {seen_type(value.dtype)} *){self._place(name)})"
                lines += range_check(pointer, elements(value), bounds, self._upper)
        return lines

    def _kept(self, call: WholeCall) -> list[str]:
        kernel = self._kernels[call.kernel]
        key = preparation(self._whole, call, kernel)
        if key is None:
            return []
        at, places = self._layout.prepared[key], []
        for buffer in kernel.nest.prepared:
            places.append(f"AT(prepared, {at})")
            at += rounded(stored_bytes(buffer))
        return places

    def _table_names(self, call: WholeCall) -> list[str]:
        return [self._tables[call.kernel, b.name] for b in self._kernels[call.kernel].nest.tables]

    def _copies(self) -> list[str]:
        """Fill outputs that no call writes: inputs, weights, and what is given twice."""
        made = set(self._layout.values)
        return [
            f"    memcpy({pointer}, {self._place(name)}, {stored_bytes(self._value(name))});"
            for name, pointer in zip(self._whole.outputs, self._outputs, strict=True)
            if name not in made or self._first[name] != pointer
        ]

    def example(self) -> str:
        """Write the example."""
        name, upper, model = self._name, self._upper, self._whole.name
        given = [(b, self._inputs[b.name]) for b in self._whole.inputs]
        made = [(self._value(v), p) for v, p in zip(self._whole.outputs, self._outputs, strict=True)]
        every = ", ".join([*(p for _, p in (*given, *made)), "weights", "prepared", "workspace"])
        files = f"{model}_example.c {model}.c {model}.o ekb_runtime.c"
        lines = [
            f"/* cc -std=gnu11 -O2 -pthread {files} -o {model}_example -lm",
            f"   {model}_example {model}.weights            runs on zeros, and says how long a run takes",
            f"   {model}_example {model}.weights IN OUT     reads inputs from IN, writes outputs to OUT */",
            f'#define _POSIX_C_SOURCE 200112L\n#include "{model}.h"',
            *(f"#include <{one}.h>" for one in ("stdio", "stdlib", "string", "time")),
            EXAMPLE_HELPERS.replace("ALIGNMENT", f"{upper}_ALIGNMENT"),
            "int main(int ekb_count, char **ekb_words) {",
            *(f"    {seen_type(b.dtype)} *{p} = ekb_room({stored_bytes(b)});" for b, p in (*given, *made)),
            *(
                f"    void *{room} = ekb_room({upper}_{room.upper()}_BYTES);"
                for room in ("weights", "prepared", "workspace")
            ),
            '    FILE *ekb_in = ekb_count > 1 ? fopen(ekb_words[1], "rb") : NULL;',
            f"    ekb_get(ekb_in, weights, {self._layout.weights_bytes});",
            "    if (ekb_count == 4) {",
            '        ekb_in = fopen(ekb_words[2], "rb");',
            *(f"        ekb_get(ekb_in, {p}, {stored_bytes(b)});" for b, p in given),
            "    }",
            f"    int ekb_answer = {name}_prepare(weights, prepared, workspace);",
            f"    if (!ekb_answer) ekb_answer = {name}({every});",
            f'    if (ekb_answer) return fprintf(stderr, "{name} answered %d\\n", ekb_answer), 1;',
            "    if (ekb_count == 4) {",
            '        FILE *ekb_out = fopen(ekb_words[3], "wb");',
            *(f"        ekb_put(ekb_out, {p}, {stored_bytes(b)});" for b, p in made),
            "        return fclose(ekb_out) != 0;",
            "    }",
            "    (void)ekb_next;",
            *timing_lines(f"{name}({every})", model),
        ]
        return "\n".join(lines) + "\n"


def _argument(buffer: Buffer, name: str, *, const: bool) -> str:
    shape = ", ".join(map(str, buffer.shape))
    return f"{'const ' if const else ''}{seen_type(buffer.dtype)} *{name} /* {buffer.dtype}[{shape}] */"
