"""The compilers that a worker can be asked to use."""

from contextlib import suppress

from edgekernelbench.base.errors import PrerequisiteError
from edgekernelbench.base.plugins import (
    Group,
    call_plugin,
    find_plugin,
    load_plugin,
    plugin_names,
    refuse_plugin,
)
from edgekernelbench.compiler.interface import Compiler
from edgekernelbench.compiler.opencl.device import load_pyopencl
from edgekernelbench.evaluator.environment import LATE
from edgekernelbench.lang.parse import parse
from edgekernelbench.nest.build import build_nest
from edgekernelbench.profiles.profile import load_profile
from edgekernelbench.verify.compute import verify_compute

COMPILERS = ("tvm", "c", "null")
"""Those that come with the product."""

WARM_UP = """
def warm_up(x: f32[4, 32], w: const[f32[32]]):
    with compute:
        s[i]: f32[4] = sum(x[i, j] * w[j] for j in range(32))
        out[i, j]: f32[4, 32] = max(x[i, j] - s[i], 0.0) if j < 8 else exp(x[i, j])
        return out
"""
"""Lowered once before the first fork, to TIR and no further: what Python and TVM look up then, such as which
class is a sequence, is a tenth of what a worker would spend on compiling a small kernel."""


def load_compiler(name: str) -> Compiler:
    """Find a compiler by name; only the one that is asked for is imported.

    Raises:
        PrerequisiteError: When there is none of that name, or it is not installed.
        ForeignError: When another package brings it, and it cannot be made.
    """
    match name:
        case "tvm":
            from edgekernelbench.compiler.tvm import TvmCompiler  # noqa: PLC0415

            return TvmCompiler()
        case "c":
            from edgekernelbench.compiler.c import CCompiler  # noqa: PLC0415

            return CCompiler()
        case "null":
            from edgekernelbench.compiler.null import NullCompiler  # noqa: PLC0415

            return NullCompiler()
        case _:
            return _brought(name)


def compiler_names() -> tuple[str, ...]:
    """List the compilers that come with the product and with other packages."""
    return (*COMPILERS, *plugin_names(Group.COMPILERS, COMPILERS))


def _brought(name: str) -> Compiler:
    """Make a compiler of another package."""
    plugin = find_plugin(Group.COMPILERS, name)
    if plugin is None:
        known = ", ".join(compiler_names())
        raise PrerequisiteError(f"there is no compiler {name!r}", f"use one of {known}")
    make = load_plugin(plugin)
    if not callable(make):
        raise refuse_plugin(plugin, "a class or function that makes a compiler", make)
    made = call_plugin(plugin, "cannot be made", make)
    if not callable(getattr(made, "compile", None)):
        raise refuse_plugin(plugin, "something with a method compile", made)
    compiler: Compiler = made
    return compiler


def import_compiler(name: str) -> None:
    """Import all that a compiler will need, so that forked workers do not have to; compiles nothing.

    Raises:
        PrerequisiteError: When there is none of that name, or it is not installed.
    """
    if name.endswith(LATE):
        load_compiler(name.removesuffix(LATE))
        return
    load_compiler(name)
    if name == "tvm":
        from edgekernelbench.compiler.tvm.compiler import start_tvm  # noqa: PLC0415

        start_tvm(threads=1)  # the listed environment has the number, which goes first
        import edgekernelbench.compiler.tvm.build  # noqa: PLC0415
        import edgekernelbench.compiler.tvm.executable  # noqa: PLC0415
        import edgekernelbench.compiler.tvm.gpu.build  # noqa: F401, PLC0415
        from edgekernelbench.compiler.tvm.lower import lower_nest  # noqa: PLC0415

        profile = load_profile("llvm")
        lower_nest(build_nest(verify_compute(parse(WARM_UP)), "llvm", profile), profile)
        with suppress(PrerequisiteError):  # only OpenCL devices need it; no driver is started yet
            load_pyopencl()


def import_runtime() -> None:
    """Import what runs parcels, and no compiler.

    Raises:
        PrerequisiteError: When TVM is missing.
    """
    from edgekernelbench.compiler.tvm.start import import_tvm  # noqa: PLC0415

    import_tvm()
    import edgekernelbench.compiler.tvm.executable  # noqa: F401, PLC0415

    with suppress(PrerequisiteError):
        load_pyopencl()
