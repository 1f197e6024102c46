"""The C function that computes a workload: one pointer a parameter and output, sizes in comments."""

from dataclasses import dataclass

from edgekernelbench.compiler.c.facade import seen_type
from edgekernelbench.compiler.c.names import Names
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType

FUNCTION = "kernel"
"""Name of the function, whatever the workload: names of patterns are those of the library, such as `exp`."""

HEADER = "kernel.h"
"""Included before every text, so that a definition of another type is refused."""


def c_type(dtype: DType) -> str:
    """Give the C type of an element: as callers of exported kernels have it, but that `f16` is a number."""
    return "_Float16" if dtype is DType.F16 else seen_type(dtype)


NOTES = {
    "bool": "0 or 1",
    "i4": "two in a byte, the first one low",
    "u4": "two in a byte, the first one low",
    "bf16": "the upper 16 bits of a float",
}

Form = tuple[DType, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Prototype:
    """The function that is asked for.

    Attributes:
        declaration: The declaration, ending in a semicolon.
        header: The header file.
        pointers: How many arguments it has.
    """

    declaration: str
    header: str
    pointers: int


def write_prototype(params: tuple[Param, ...], outputs: tuple[Form, ...]) -> Prototype:
    """Write the declaration of the function of a workload.

    Args:
        params: The parameters of its canonical kernel.
        outputs: Type and shape of each output.

    Returns:
        The prototype; names of parameters are kept where C allows them.
    """
    names = Names()
    lines = []
    for param in params:
        said = "".join([_form(param.dtype, param.shape), _range(param), ", constant" if param.const else ""])
        lines.append((f"const {c_type(param.dtype)} *restrict {names[_other(param.name, FUNCTION)]}", said))
    for number, (dtype, shape) in enumerate(outputs):
        name = names[_other("out" if len(outputs) == 1 else f"out{number}", *(p.name for p in params))]
        lines.append((f"{c_type(dtype)} *restrict {name}", _form(dtype, shape)))
    last = len(lines) - 1
    args = [f"    {kind}{',' if n < last else ');'} /* {said} */" for n, (kind, said) in enumerate(lines)]
    declaration = "\n".join([f"void {FUNCTION}(", *args])
    header = f"#ifndef KERNEL_H\n#define KERNEL_H\n#include <stdint.h>\n\n{declaration}\n\n#endif\n"
    return Prototype(declaration, header, len(lines))


def entry_source(pointers: int) -> str:
    """Write the C function through which a runner calls any kernel.

    Args:
        pointers: How many arguments the kernel has.
    """
    args = ", ".join(f"buffers[{n}]" for n in range(pointers))
    return (
        f'#include "{HEADER}"\nvoid ekb_entry(void *const *buffers);\n'
        f"void ekb_entry(void *const *buffers) {{ {FUNCTION}({args}); }}\n"
    )


def _other(name: str, *taken: str) -> str:
    while name in taken:
        name += "_"
    return name


def _form(dtype: DType, shape: tuple[int, ...]) -> str:
    sizes = f"[{', '.join(map(str, shape))}]" if shape else ""
    note = NOTES.get(dtype.value)
    return f"{dtype}{sizes}" + (f" ({note})" if note else "")


def _range(param: Param) -> str:
    if param.bounds is None:
        return ""
    low, stop = param.bounds
    return f", from {low} to {stop - 1}"
