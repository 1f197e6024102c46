"""What an object file that was built of a stranger's C may hold: read from the file itself.

Whatever the text looked like, the object says which functions it calls, what it defines, and in which
sections code stands.
"""

import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from edgekernelbench.compiler.control.prototype import FUNCTION

_HEADER = struct.Struct("<40xQ10xHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_SYMTAB = 2
_WRITE, _ALLOC, _EXECUTE = 1, 2, 4
_IFUNC = 10
_LOCAL, _UNDEFINED = 0, 0

PLACES = re.compile(
    r"\.(text|rodata|data|bss|tdata|tbss|data\.rel\.ro|eh_frame|note|lrodata|ldata|lbss|comment)\b"
)
"""Sections that are loaded, by the beginning of their names: none of them is run by itself."""

_REAL = [
    "acos",
    "asin",
    "atan",
    "atan2",
    "cos",
    "sin",
    "tan",
    "cosh",
    "sinh",
    "tanh",
    "acosh",
    "asinh",
    "atanh",
    "exp",
    "exp2",
    "expm1",
    "frexp",
    "ldexp",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "ilogb",
    "modf",
    "scalbn",
    "scalbln",
    "cbrt",
    "fabs",
    "hypot",
    "pow",
    "sqrt",
    "erf",
    "erfc",
    "lgamma",
    "tgamma",
    "ceil",
    "floor",
    "nearbyint",
    "rint",
    "lrint",
    "llrint",
    "round",
    "lround",
    "llround",
    "trunc",
    "fmod",
    "remainder",
    "copysign",
    "nextafter",
    "fdim",
    "fmax",
    "fmin",
    "fma",
    "sincos",
    "exp10",
]
FUNCTIONS = frozenset(
    {
        *(name + end for name in _REAL for end in ("", "f", "l")),
        *("memcpy", "memmove", "memset", "memcmp", "malloc", "calloc", "realloc", "free", "aligned_alloc"),
        *("posix_memalign", "abs", "labs", "llabs", "qsort", "bsearch"),
        *("omp_get_thread_num", "omp_get_num_threads", "omp_get_max_threads", "omp_in_parallel"),
        *("_GLOBAL_OFFSET_TABLE_", "__stack_chk_fail", "signgam"),
    }
)
"""What a text may call: mathematics, memory, and where a thread stands in its team."""

HELPERS = re.compile(
    r"GOMP_\w+|__kmpc_\w+|__(u?div|u?mod|u?divmod|mul|ashl|ashr|lshr|float|floatun|fix|fixuns|trunc|extend|popcount|clz|"
    r"ctz|ffs|parity|bswap|neg|u?cmp|add|sub|eq|ne|lt|le|gt|ge|unord|powi)[a-z0-9]*"
)
"""What compilers call for themselves: OpenMP's team, arithmetic that the processor lacks."""


@dataclass(frozen=True, slots=True)
class _Section:
    name: str
    kind: int
    flags: int
    offset: int
    size: int
    link: int


def object_problems(file: Path) -> tuple[str, ...]:
    """Say what in an object file is not the function that was asked for, or what it calls.

    Args:
        file: A relocatable object, 64-bit and little-endian.

    Returns:
        One sentence a complaint.
    """
    data = file.read_bytes()
    sections = _sections(data)
    return (*_placed(sections), *_bound(data, sections))


def _sections(data: bytes) -> list[_Section]:
    table, size, count, names = _HEADER.unpack_from(data)
    rows = [_SECTION.unpack_from(data, table + n * size) for n in range(count)]
    strings = rows[names][4]
    return [_Section(_name(data, strings + r[0]), r[1], r[2], r[4], r[5], r[6]) for r in rows]


def _name(data: bytes, at: int) -> str:
    return data[at : data.index(b"\0", at)].decode("utf-8", "replace")


def _placed(sections: list[_Section]) -> Iterator[str]:
    for section in sections:
        if not section.flags & _ALLOC:
            continue
        runs = bool(section.flags & _EXECUTE)
        fits = PLACES.match(section.name) and runs == section.name.startswith(".text")
        if not fits or (runs and section.flags & _WRITE):
            yield f"expected code in .text and data beside it, found the section {section.name[:80]}"


def _bound(data: bytes, sections: list[_Section]) -> Iterator[str]:
    defined = False
    for table in (s for s in sections if s.kind == _SYMTAB):
        strings = sections[table.link].offset
        for at in range(table.offset, table.offset + table.size, _SYMBOL.size):
            offset, info, _, section, _, _ = _SYMBOL.unpack_from(data, at)
            name = _name(data, strings + offset)
            if info & 15 == _IFUNC:
                yield f"expected functions, found a resolver: {name}"
            if info >> 4 == _LOCAL or not name:
                continue
            if section == _UNDEFINED and name not in FUNCTIONS and not HELPERS.fullmatch(name):
                yield f"expected calls of mathematics and memory alone, found {name}"
            defined = defined or (section != _UNDEFINED and name == FUNCTION)
    if not defined:
        yield f"expected a definition of {FUNCTION}, found none"
