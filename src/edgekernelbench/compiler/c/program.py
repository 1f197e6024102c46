"""A whole nest as one C file: a function for each root nest, then `…_prepare`, `…_run`, and a timer."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from edgekernelbench.compiler.arena import Arena, plan_arena
from edgekernelbench.compiler.arrays import stored_shape
from edgekernelbench.compiler.c.expressions import float_text
from edgekernelbench.compiler.c.helpers import Helpers, int_text
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.compiler.c.statements import Place, Statements, storage_type
from edgekernelbench.compiler.rewrite import touched
from edgekernelbench.ir.dtype import DType
from edgekernelbench.nest.tree import Allocate, Buffer, Nest, Stmt, Store, Update, walk_stmts

_LINE = 90


@dataclass(frozen=True, slots=True)
class CProgram:
    """C source and what a caller must know to run it.

    Attributes:
        text: The file.
        name: The prefix of its functions.
        arena: The plan of the workspace of `…_run`.
        prepare_arena: The plan of the workspace of `…_prepare`.
        threads: How many threads a parallel loop starts.
    """

    text: str
    name: str
    arena: Arena
    prepare_arena: Arena
    threads: int

    @property
    def workspace_bytes(self) -> int:
        """What either function needs."""
        return max(self.arena.total(self.threads), self.prepare_arena.total(1))


def write_program(nest: Nest, *, threads: int, stack_limit: int, timer: bool = True) -> CProgram:
    """Write a nest as C99.

    Args:
        nest: The nest; marks of GPUs are run serially, which is right for every nest.
        threads: Threads of a parallel loop; 1 writes a file without OpenMP.
        stack_limit: The largest `local` buffer on the stack, in bytes.
        timer: Whether to write the functions that take pointers in an array, one of which reads the clock.

    Returns:
        The file, with the plan of its workspace.
    """
    writer = _File(nest, threads, stack_limit)
    return writer.program(timer=timer)


class _File:
    def __init__(self, nest: Nest, threads: int, stack_limit: int) -> None:
        self._nest = nest
        self._threads = threads
        self._names = Names()
        self._helpers = Helpers()
        self._prefix = self._names[nest.name]
        self._arena = plan_arena(nest.body, stack_limit)
        self._prepare_arena = plan_arena(nest.prepare, stack_limit)

    def program(self, *, timer: bool) -> CProgram:
        nest, prefix = self._nest, self._prefix
        tables = [self._table(b) for b in nest.tables]
        parts = [
            *self._function(f"{prefix}_prepare", nest.prepare, self._prepare_arena, 1, nest.prepared),
            *self._function(f"{prefix}_run", nest.body, self._arena, self._threads, nest.outputs),
            *(self._timing() if timer else ()),
        ]
        includes = ["math.h", "stdbool.h", "stdint.h", "string.h", *(["time.h"] if timer else [])]
        if any("omp_get_thread_num" in part for part in parts):
            includes.append("omp.h")
        head = [
            f"/* {nest.name}: written by EdgeKernelBench.",
            f"   Call {prefix}_prepare once for its weights, then {prefix}_run. */",
            *(["#define _POSIX_C_SOURCE 199309L"] if timer else []),
            *(f"#include <{name}>" for name in includes),
        ]
        text = "\n\n".join(part for part in ("\n".join(head), self._helpers.text(), *tables, *parts) if part)
        return CProgram(text + "\n", prefix, self._arena, self._prepare_arena, self._threads)

    def _table(self, buffer: Buffer) -> str:
        shape = "".join(f"[{size}]" for size in stored_shape(buffer))
        numbers = ", ".join(_number(value, buffer.dtype) for value in buffer.values)
        kind = storage_type(buffer.dtype, self._helpers)
        name = self._names[buffer.name]
        # The braces of inner dimensions may be left out in C.
        return f"static const {kind} {name}{shape} = {{{numbers}}};"

    def _function(
        self, name: str, body: tuple[Stmt, ...], arena: Arena, threads: int, written: tuple[Buffer, ...]
    ) -> list[str]:
        """Write one public function, after one private function for each of its root nests."""
        nest = self._nest
        outside = (*nest.params, *(() if written is nest.prepared else nest.outputs), *nest.prepared)
        work = {b.name: b for s in _outer_allocates(body) for b in s.buffers}
        known = {**{b.name: b for b in (*outside, *nest.tables)}, **work}
        parts, calls = [], []
        for number, unit in enumerate(_units(body)):
            used = [known[n] for n in dict.fromkeys(_mentions(unit)) if n in known]
            used = [b for b in used if b not in nest.tables]
            stage = next(
                (s.stage for s in walk_stmts((unit,)) if isinstance(s, Store | Update) and s.stage), ""
            )
            label = self._names[f"{name}_{number}_{stage}" if stage else f"{name}_{number}"]
            parts.append(self._unit(label, unit, used, arena, threads, known))
            args = [self._names[b.name] for b in used]
            calls.append(f"    {label}({', '.join([*args, 'workspace'])});")
        writer = Statements(self._names, self._helpers, arena, threads)
        declared = [f"    {writer.declare(b)}" for b in work.values()]
        params = [self._param(b, const=b not in written) for b in outside]
        ignored = [f"    (void){self._names[b.name]};" for b in outside]
        head = f"void {name}({_listed(params)}) {{"
        parts.append("\n".join([head, *ignored, "    (void)workspace;", *declared, *calls, "}"]))
        return parts

    def _unit(
        self,
        label: str,
        unit: Stmt,
        used: list[Buffer],
        arena: Arena,
        threads: int,
        known: Mapping[str, Buffer],
    ) -> str:
        written = {
            n
            for s in walk_stmts((unit,))
            if isinstance(s, Store | Update)
            for n in (s.buffer, getattr(s, "best", ""))
        }
        params = [self._param(b, const=b.name not in written) for b in used]
        writer = Statements(self._names, self._helpers, arena, threads)
        writer.block((unit,), Place(known), 1)
        head = f"static __attribute__((noinline)) void {label}({_listed(params)}) {{"
        return "\n".join([head, "    (void)workspace;", *writer.lines, "}"])

    def _param(self, buffer: Buffer, *, const: bool) -> str:
        first, *rest = stored_shape(buffer)
        kind = storage_type(buffer.dtype, self._helpers)
        tail = "".join(f"[{size}]" for size in rest)
        return f"{'const ' if const else ''}{kind} {self._names[buffer.name]}[restrict {first}]{tail}"

    def _timing(self) -> list[str]:
        """Write the functions that take pointers in an array, for callers that are not written in C."""
        nest, prefix = self._nest, self._prefix
        outside = (*nest.params, *nest.outputs, *nest.prepared)
        run = ", ".join([*(f"buffers[{n}]" for n in range(len(outside))), "workspace"])
        kept = len(nest.params) + len(nest.prepared)
        prepare = ", ".join([*(f"buffers[{n}]" for n in range(kept)), "workspace"])
        count = len(outside)
        return [
            f"void {prefix}_prepare_buffers(void *const *buffers, unsigned char *workspace) {{\n"
            f"    (void)buffers;\n    {prefix}_prepare({prepare});\n}}",
            f"void {prefix}_run_buffers(void *const *buffers, unsigned char *workspace) {{\n"
            f"    {prefix}_run({run});\n}}",
            f"void {prefix}_time(\n    void *const *buffers, int64_t sets, int64_t repeats, "
            "int64_t *nanoseconds, unsigned char *workspace) {\n"
            "    for (int64_t repeat = 0; repeat < repeats; ++repeat) {\n"
            "        struct timespec start, stop;\n"
            "        clock_gettime(CLOCK_MONOTONIC, &start);\n"
            "        for (int64_t set = 0; set < sets; ++set) {\n"
            f"            {prefix}_run_buffers(buffers + set * {count}, workspace);\n"
            "        }\n"
            "        clock_gettime(CLOCK_MONOTONIC, &stop);\n"
            "        const int64_t seconds = stop.tv_sec - start.tv_sec;\n"
            "        nanoseconds[repeat] = seconds * INT64_C(1000000000) + stop.tv_nsec - start.tv_nsec;\n"
            "    }\n}",
        ]


def _listed(params: list[str]) -> str:
    """Write a parameter list, a line for each where it is long."""
    every = [*params, "unsigned char *workspace"]
    short = ", ".join(every)
    return short if len(short) <= _LINE else "\n    " + ",\n    ".join(every)


def _units(body: tuple[Stmt, ...]) -> Iterator[Stmt]:
    """Split a program into its root nests; allocations round them are the caller's."""
    for stmt in body:
        if isinstance(stmt, Allocate):
            yield from _units(stmt.body)
        else:
            yield stmt


def _outer_allocates(body: tuple[Stmt, ...]) -> Iterator[Allocate]:
    for stmt in body:
        if isinstance(stmt, Allocate):
            yield stmt
            yield from _outer_allocates(stmt.body)


def _mentions(unit: Stmt) -> Iterator[str]:
    for stmt in walk_stmts((unit,)):
        yield from touched(stmt)


def _number(value: float, dtype: DType) -> str:
    if not dtype.is_float:
        return int_text(int(value))
    if dtype is DType.BF16:
        return str(int(np.array(value).astype(ml_dtypes.bfloat16).view(np.uint16)))
    return float_text(float(value), dtype).text
