"""A kernel of our language as the plain C that is asked of others: the honest battery of the control."""

from edgekernelbench.compiler.arrays import ALIGNMENT
from edgekernelbench.compiler.c.facade import prepared_bytes, prepared_places
from edgekernelbench.compiler.c.program import write_program
from edgekernelbench.compiler.control.prototype import FUNCTION, c_type
from edgekernelbench.nest.tree import Nest


def plain_source(nest: Nest, *, threads: int, stack_limit: int) -> str:
    """Write a nest as one C function without a caller's memory: workspace and prepared weights are static.

    Args:
        nest: The nest, for a CPU.
        threads: Threads of a parallel loop.
        stack_limit: The largest `local` buffer on the stack, in bytes.

    Returns:
        A text for `ekb judge --language c`.
    """
    program = write_program(nest, threads=threads, stack_limit=stack_limit, timer=False)
    names = [f"p{number}" for number in range(len(nest.params))]
    outs = [f"o{number}" for number in range(len(nest.outputs))]
    args = [
        *(f"const {c_type(b.dtype)} *restrict {n}" for b, n in zip(nest.params, names, strict=True)),
        *(f"{c_type(b.dtype)} *restrict {n}" for b, n in zip(nest.outputs, outs, strict=True)),
    ]
    kept = [f"(void *)({place})" for place in prepared_places(nest, "unsigned char")]
    given = [f"(const void *){name}" for name in names]
    prepare = ", ".join([*given, *kept, "ekb_workspace"])
    run = ", ".join([*given, *(f"(void *){name}" for name in outs), *kept, "ekb_workspace"])
    room = f"__attribute__((aligned({max(ALIGNMENT, 4096)})))"
    lines = [
        program.text,
        f"static unsigned char ekb_workspace[{max(1, program.workspace_bytes)}] {room};",
        f"static unsigned char prepared[{max(1, prepared_bytes(nest))}] {room};",
        "static int ekb_ready;",
        "",
        f"void {FUNCTION}(\n    " + ",\n    ".join(args) + ") {",
        "    if (!ekb_ready) {",
        f"        {program.name}_prepare({prepare});",
        "        ekb_ready = 1;",
        "    }",
        f"    {program.name}_run({run});",
        "}",
    ]
    return "\n".join(lines) + "\n"
