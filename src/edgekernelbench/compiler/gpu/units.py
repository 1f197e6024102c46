"""Functions of device code round the instructions for products: matrix units, and dot products of bytes."""

MATRIX_HEADERS = "#include <cuda_bf16.h>\n#include <cuda_fp16.h>\n#include <mma.h>\n"

_MATRIX = {
    "f16": ("unsigned short", "half", "float"),
    "bf16": ("unsigned short", "__nv_bfloat16", "float"),
    "i8": ("signed char", "signed char", "int"),
}
"""How the elements of a matrix unit's operands are stored, held and summed."""


def write_product(kind: str, total: str, left: str, right: str) -> str:
    """Write the product of two 16x16 tiles, added to a third, by a warp; see `Preamble.product`."""
    stored, held, sums = _MATRIX[kind]
    in_memory = total != "held"
    place = f"{sums} *c, int ldc" if in_memory else f"{sums} *c"
    begin = f"load_matrix_sync(z, c, ldc, mem_{total}_major);"
    end = f"store_matrix_sync(c, z, ldc, mem_{total}_major);\n    __syncwarp();"
    if not in_memory:
        begin, end = _each("z.x[n] = c[n]"), _each("c[n] = z.x[n]")
    return (
        f"static inline int ekb_product_{kind}_{total}_{left}_{right}({place}, const {stored} *a, int lda, "
        f"const {stored} *b, int ldb) {{\n"
        f"    using namespace nvcuda::wmma;\n"
        f"    fragment<matrix_a, 16, 16, 16, {held}, {left}_major> x;\n"
        f"    fragment<matrix_b, 16, 16, 16, {held}, {right}_major> y;\n"
        f"    fragment<accumulator, 16, 16, 16, {sums}> z;\n"
        f"    __syncwarp();\n"
        f"    load_matrix_sync(x, (const {held} *)a, lda);\n"
        f"    load_matrix_sync(y, (const {held} *)b, ldb);\n"
        f"    {begin}\n"
        f"    mma_sync(z, x, y, z);\n"
        f"    {end}\n"
        f"    return 0;\n}}\n"
    )


def write_tile_move(way: str, kind: str, layout: str) -> str:
    """Write the move of a tile of sums between memory and a warp; see `Preamble.tile`."""
    sums = _MATRIX[kind][2]
    steps = [f"load_matrix_sync(z, c, ldc, mem_{layout}_major);", _each("held[n] = z.x[n]")]
    if way == "store":
        steps = [_each("z.x[n] = held[n]"), f"store_matrix_sync(c, z, ldc, mem_{layout}_major);"]
    return (
        f"static inline int ekb_tile_{way}_{kind}_{layout}({sums} *held, {sums} *c, int ldc) {{\n"
        f"    using namespace nvcuda::wmma;\n"
        f"    fragment<accumulator, 16, 16, 16, {sums}> z;\n"
        f"    __syncwarp();\n    {steps[0]}\n    {steps[1]}\n    __syncwarp();\n    return 0;\n}}\n"
    )


def _each(statement: str) -> str:
    """Write a statement for each element of a tile that a thread holds."""
    return f"for (int n = 0; n < z.num_elements; ++n) {statement};"


def write_dp4a(name: str, kinds: tuple[str, str], spaces: tuple[str, str], direct: tuple[bool, bool]) -> str:
    """Write the sum of four products of bytes in CUDA C++.

    Args:
        name: Of the function.
        kinds: The types of the factors, `i8` or `u8`.
        spaces: Not needed in CUDA C++, where a pointer goes anywhere.
        direct: Whether the address of each factor is a multiple of four.
    """
    del spaces
    loads = [
        f"const uint32_t {x} = *(const uint32_t *){a};" if whole else f"uint32_t {x}; memcpy(&{x}, {a}, 4);"
        for a, x, whole in zip("ab", "xy", direct, strict=True)
    ]
    signs = ".".join("s32" if kind == "i8" else "u32" for kind in kinds)
    return (
        f"static inline int {name}(const void *a, const void *b, int c) {{\n"
        f"    {loads[0]} {loads[1]}\n"
        f'    asm("dp4a.{signs} %0, %1, %2, %0;" : "+r"(c) : "r"(x), "r"(y));\n'
        f"    return c;\n}}\n"
    )


def write_dot(name: str, kinds: tuple[str, str], spaces: tuple[str, str], direct: tuple[bool, bool]) -> str:
    """Write the same in OpenCL C: with the extension for it where the device has it, else in plain C.

    Args:
        name: Of the function.
        kinds: The types of the factors, `i8` or `u8`.
        spaces: The address space of each factor.
        direct: Not needed in OpenCL C, where `vload4` takes any address.
    """
    del direct
    words = ["char" if kind == "i8" else "uchar" for kind in kinds]
    loads = [
        f"const {word}4 {x} = vload4(0, (const {space}{word} *){a});"
        for a, x, word, space in zip("ab", "xy", words, spaces, strict=True)
    ]
    products = " + ".join(f"(int)x.s{n} * (int)y.s{n}" for n in range(4))
    return (
        f"static inline int {name}(const {spaces[0]}void *a, const {spaces[1]}void *b, int c) {{\n"
        f"    {loads[0]} {loads[1]}\n"
        f"#ifdef cl_khr_integer_dot_product\n    return c + (int)dot(x, y);\n"
        f"#else\n    return c + {products};\n#endif\n}}\n"
    )
