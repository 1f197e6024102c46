"""The functions in front of device code: what the language means by its words.

Most are those of the C compiler; OpenCL C and CUDA C++ differ from C in a few names, which are defined away.
"""

import re
from typing import Literal

from edgekernelbench.base.errors import CompileError
from edgekernelbench.compiler.c.helpers import WIDTHS, Helpers
from edgekernelbench.compiler.gpu.units import (
    MATRIX_HEADERS,
    write_dot,
    write_dp4a,
    write_product,
    write_tile_move,
)

Dialect = Literal["opencl", "cuda"]

_NAMES = {
    "opencl": """\
typedef char int8_t;
typedef uchar uint8_t;
typedef short int16_t;
typedef ushort uint16_t;
typedef int int32_t;
typedef uint uint32_t;
typedef long int64_t;
typedef ulong uint64_t;
#define INT64_C(x) (x##L)
#define UINT64_C(x) (x##UL)
#define fabsf fabs
#define floorf floor
#define ceilf ceil
#define truncf trunc
#define rintf rint
#define sqrtf sqrt
""",
    "cuda": """\
#ifndef INT64_C
#define INT64_C(x) (x##LL)
#define UINT64_C(x) (x##ULL)
#endif
#ifndef INFINITY
#define INFINITY __int_as_float(0x7f800000)
#define NAN __int_as_float(0x7fc00000)
#endif
""",
}

_BITS = {
    "opencl": """\
static inline float ekb_as_f32(uint32_t x) { return as_float(x); }
static inline uint32_t ekb_as_u32(float x) { return as_uint(x); }
static inline int32_t ekb_as_i32(float x) { return as_int(x); }
static inline float ekb_bits_f32(int32_t x) { return as_float(x); }
static inline double ekb_bits_f64(int64_t x) { return as_double(x); }
""",
    "cuda": """\
static inline float ekb_as_f32(uint32_t x) { return __uint_as_float(x); }
static inline uint32_t ekb_as_u32(float x) { return __float_as_uint(x); }
static inline int32_t ekb_as_i32(float x) { return __float_as_int(x); }
static inline float ekb_bits_f32(int32_t x) { return __int_as_float(x); }
static inline double ekb_bits_f64(int64_t x) { return __longlong_as_double(x); }
""",
}

_F16 = """\
static inline float ekb_from_f16(uint16_t x) {
    const int exponent = x >> 10 & 31, fraction = x & 1023;
    const uint32_t sign = (uint32_t)(x >> 15) << 31;
    if (exponent == 31) return ekb_as_f32(sign | 0x7f800000u | (uint32_t)fraction << 13);
    if (exponent) return ekb_as_f32(sign | (uint32_t)(exponent + 112) << 23 | (uint32_t)fraction << 13);
    const float small = (float)fraction * 5.9604644775390625e-8f;
    return sign ? -small : small;
}
static inline uint16_t ekb_to_f16(float x) {
    const uint32_t bits = ekb_as_u32(x), size = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
    if (size > 0x7f800000u) return (uint16_t)(sign | 0x7e00u);
    if (size >= 0x477ff000u) return (uint16_t)(sign | 0x7c00u);
    if (size >= 0x38800000u) {
        const uint32_t moved = size - 0x38000000u;
        return (uint16_t)(sign | (moved + 0xfffu + (moved >> 13 & 1u)) >> 13);
    }
    return (uint16_t)(sign | (uint32_t)rintf(ekb_as_f32(size) * 16777216.0f));
}
"""

_F16_HARDWARE = """\
static inline float ekb_from_f16(uint16_t x) { return __half2float(__ushort_as_half(x)); }
static inline uint16_t ekb_to_f16(float x) { return __half_as_ushort(__float2half_rn(x)); }
"""

_F16_DOUBLE = """\
static inline uint16_t ekb_to_f16_double(double x) {
    float near = (float)x;
    uint32_t bits = ekb_as_u32(near);
    if ((double)near != x && x == x) bits = (fabs((double)near) > fabs(x) ? bits - 1 : bits) | 1;
    return ekb_to_f16(ekb_as_f32(bits));
}
"""

_SPACES = {"global": "__global ", "shared": "__local ", "local": ""}

_ATOMIC = {
    ("opencl", "sum"): "atomic_add",
    ("opencl", "max"): "atomic_max",
    ("opencl", "min"): "atomic_min",
    ("cuda", "sum"): "atomicAdd",
    ("cuda", "max"): "atomicMax",
    ("cuda", "min"): "atomicMin",
}


_WIDEST_FETCH = 16
"""Bytes of the copies that leave the first cache alone."""


class Preamble:
    """Collects the functions that one kernel's device code calls."""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect: Dialect = dialect
        self._helpers = Helpers()
        self._texts: dict[str, str] = {}

    def text(self) -> str:
        """Give the text that stands before the kernels."""
        plain = self._helpers.text()
        # Their bit casts go through memory, which OpenCL has no function for; `half` is a type there.
        lines = [re.sub(r"\bhalf\b", "halved", line) for line in plain.split("\n") if "memcpy" not in line]
        parts = [_NAMES[self.dialect], _BITS[self.dialect], "\n".join(lines), *self._texts.values()]
        whole = "\n".join(part.rstrip("\n") for part in parts if part.strip()) + "\n"
        if self.dialect == "cuda":
            whole = whole.replace("static inline", "static __device__ __forceinline__")
        return whole

    def use(self, operation: str, kind: str) -> str:
        """Use a helper of the C compiler for a type of the language."""
        if operation == "popcount":
            return self._popcount(kind)
        return self._helpers.use(operation, kind)

    def own(self, function: str) -> str:
        """Use a program of `mathematics`."""
        return self._helpers.own(function)

    def halves(self) -> None:
        """Use the conversions of `f16`."""
        if self.dialect == "cuda":
            self._texts.setdefault("f16", f"#include <cuda_fp16.h>\n{_F16_HARDWARE}{_F16_DOUBLE}")
        else:
            self._texts.setdefault("f16", _F16 + _F16_DOUBLE)

    def atomic(self, kind: str, dtype: str, scope: str) -> str:
        """Use an update that threads can make at one element.

        Args:
            kind: The reduction.
            dtype: The element type.
            scope: `global` or `shared`.

        Returns:
            The name of a function of an address and a value.

        Raises:
            CompileError: When the device has no such update.
        """
        name = f"ekb_atomic_{kind}_{dtype}_{scope}"
        space = _SPACES[scope] if self.dialect == "opencl" else ""
        ctype = WIDTHS.get(dtype, "")
        head = f"static inline int ekb_atomic_{kind}_{dtype}_{scope}(volatile {space}{ctype} *p, {ctype} x)"
        if kind in ("any", "all") and dtype == "bool":
            head = head.replace("bool", "uint8_t").replace("_uint8_t_", "_bool_")
            test, put = ("x", 1) if kind == "any" else ("!x", 0)
            self._texts.setdefault(name, f"{head} {{ if ({test}) *p = {put}; return 0; }}\n")
        elif dtype in ("i32", "u32") and (self.dialect, kind) in _ATOMIC:
            target = f"({ctype} *)p" if self.dialect == "cuda" else "p"
            call = f"{_ATOMIC[self.dialect, kind]}({target}, x)"
            self._texts.setdefault(name, f"{head} {{ {call}; return 0; }}\n")
        elif dtype == "f32" and kind in ("sum", "prod", "max", "min"):
            self._texts.setdefault(name, self._exchange(head, space, kind))
        else:
            raise CompileError(
                f"expected a reduction of i32, u32 or f32 where threads meet, found {kind} of {dtype}; "
                "give each thread its own part with rfactor"
            )
        return name

    def copy(self, bits: int, lanes: int, target: str, source: str) -> str:
        """Use a copy of `lanes` neighbours of `bits` each; both addresses are multiples of their size.

        Args:
            bits: Size of an element.
            lanes: How many.
            target: `global`, `shared` or `local`: where they go.
            source: Where they come from.
        """
        size = bits // 8 * lanes
        name = f"ekb_copy_{bits}_{lanes}_{target}_{source}"
        if self.dialect == "cuda":
            wide = {4: "uint", 8: "uint2", 16: "uint4"}[size]
            head = f"static inline int {name}(void *to, const void *from)"
            # Only memory of a thread may lie anywhere.
            body = f"*({wide} *)to = *(const {wide} *)from;"
            if target == source == "local":
                body = f"memcpy(to, from, {size});"
            elif target == "local":
                body = f"const {wide} held = *(const {wide} *)from; memcpy(to, &held, {size});"
            elif source == "local":
                body = f"{wide} held; memcpy(&held, from, {size}); *({wide} *)to = held;"
            self._texts.setdefault(name, f"{head} {{ {body} return 0; }}\n")
            return name
        kind = {8: "uchar", 16: "ushort", 32: "uint", 64: "ulong"}[bits]
        to, start = f"{_SPACES[target]}{kind}", f"const {_SPACES[source]}{kind}"
        head = f"static inline int {name}({_SPACES[target]}void *to, const {_SPACES[source]}void *from)"
        body = f"vstore{lanes}(vload{lanes}(0, ({start} *)from), 0, ({to} *)to);"
        if lanes == 1:
            body = f"*({to} *)to = *({start} *)from;"
        self._texts.setdefault(name, f"{head} {{ {body} return 0; }}\n")
        return name

    def fetch(self, size: int) -> str:
        """Use the start of an asynchronous copy of 4, 8 or 16 bytes from global to shared memory."""
        name, level = f"ekb_fetch_{size}", "cg" if size == _WIDEST_FETCH else "ca"
        self._texts.setdefault(
            name,
            f"static inline int {name}(void *to, const void *from) {{\n"
            f"    const uint32_t place = (uint32_t)__cvta_generic_to_shared(to);\n"
            f'    asm volatile("cp.async.{level}.shared.global [%0], [%1], {size};" '
            f':: "r"(place), "l"(from) : "memory");\n'
            f"    return 0;\n}}\n",
        )
        return name

    def close_group(self) -> str:
        """Use the end of a group of asynchronous copies."""
        return self._assembly("ekb_fetch_group", "cp.async.commit_group")

    def await_groups(self, later: int) -> str:
        """Use the wait for all groups of asynchronous copies but the last few."""
        return self._assembly(f"ekb_fetch_wait_{later}", f"cp.async.wait_group {later}")

    def _assembly(self, name: str, instruction: str) -> str:
        text = (
            f'static inline int {name}(void) {{ asm volatile("{instruction};" ::: "memory"); return 0; }}\n'
        )
        self._texts.setdefault(name, text)
        return name

    def product(self, kind: str, total: str, left: str, right: str) -> str:
        """Use the product of two 16x16 tiles, added to a third, by a warp.

        Args:
            kind: `f16`, `bf16` or `i8`.
            total: The order in which the sums lie, `row` or `col`; `held` when threads hold them.
            left: The order of the left operand.
            right: Likewise of the right one.

        Raises:
            CompileError: In OpenCL, which has no such operation.
        """
        return self._matrix(
            f"ekb_product_{kind}_{total}_{left}_{right}", write_product(kind, total, left, right)
        )

    def tile(self, way: str, kind: str, layout: str) -> str:
        """Use the move of a tile of sums between memory and the threads of a warp.

        Args:
            way: `load` or `store`.
            kind: The type of the factors.
            layout: How the tile lies in memory, `row` or `col`.

        Raises:
            CompileError: In OpenCL.
        """
        return self._matrix(f"ekb_tile_{way}_{kind}_{layout}", write_tile_move(way, kind, layout))

    def _matrix(self, name: str, text: str) -> str:
        if self.dialect != "cuda":
            raise CompileError("expected no tensorize on opencl, found wmma; leave it out")
        self._texts.setdefault("mma", MATRIX_HEADERS)
        self._texts.setdefault(name, text)
        return name

    def dot(self, left: str, right: str, left_space: str, right_space: str) -> str:
        """Use the sum of four products of neighbouring bytes, added to an `i32`.

        Args:
            left: `i8` or `u8`.
            right: Likewise.
            left_space: `global`, `shared` or `local`: where the left bytes are.
            right_space: Likewise.

        Returns:
            The name of a function of two addresses and a sum.
        """
        name = f"ekb_dot4_{left}_{right}_{left_space}_{right_space}"
        spaces = ("", "") if self.dialect == "cuda" else (_SPACES[left_space], _SPACES[right_space])
        direct = (left_space != "local", right_space != "local")
        write = write_dp4a if self.dialect == "cuda" else write_dot
        self._texts.setdefault(name, write(name, (left, right), spaces, direct))
        return name

    def nibble(self) -> str:
        """Use the store of half a byte, safe beside a thread that stores the other half."""
        space = "__global " if self.dialect == "opencl" else ""
        both, either = ("atomic_and", "atomic_or") if self.dialect == "opencl" else ("atomicAnd", "atomicOr")
        cast = "" if self.dialect == "opencl" else "(uint32_t *)"
        volatile = "volatile " if self.dialect == "opencl" else ""
        self._texts.setdefault(
            "nibble",
            f"static inline int ekb_put_nibble({space}uint8_t *p, int32_t index, int32_t value) {{\n"
            f"    const uint32_t byte = (uint32_t)(index >> 1);\n"
            f"    {volatile}{space}uint32_t *word = ({volatile}{space}uint32_t *)p + (byte >> 2);\n"
            f"    const uint32_t shift = (byte & 3u) * 8u + (uint32_t)(index & 1) * 4u;\n"
            f"    {both}({cast}word, ~(15u << shift));\n"
            f"    {either}({cast}word, ((uint32_t)value & 15u) << shift);\n"
            f"    return 0;\n}}\n",
        )
        return "ekb_put_nibble"

    def _exchange(self, head: str, space: str, kind: str) -> str:
        """Write an atomic update of a float as a loop of exchanges."""
        step = {"sum": "old + x", "prod": "old * x"}.get(kind) or f"{self.use(kind, 'f32')}(old, x)"
        swap = (
            "atomic_cmpxchg(word, held, ekb_as_u32(fresh))"
            if self.dialect == "opencl"
            else "atomicCAS((uint32_t *)word, held, ekb_as_u32(fresh))"
        )
        return (
            f"{head} {{\n"
            f"    volatile {space}uint32_t *word = (volatile {space}uint32_t *)p;\n"
            f"    for (uint32_t held = *word;;) {{\n"
            f"        const float old = ekb_as_f32(held), fresh = {step};\n"
            f"        const uint32_t found = {swap};\n"
            f"        if (found == held) return 0;\n"
            f"        held = found;\n    }}\n}}\n"
        )

    def _popcount(self, kind: str) -> str:
        name = f"ekb_popcount_{kind}"
        kind = {"i4": "i8", "u4": "u8"}.get(kind, kind)
        bits = 64 if kind.endswith("64") else 32
        width = kind.lstrip("iu")
        call = "popcount" if self.dialect == "opencl" else "__popcll" if bits == 64 else "__popc"
        mask = " & 15" if name.endswith("i4") else ""
        self._texts.setdefault(
            name,
            f"static inline int32_t {name}({WIDTHS[kind]} x) "
            f"{{ return (int32_t){call}((uint{bits}_t)(uint{width}_t)x{mask}); }}\n",
        )
        return name
