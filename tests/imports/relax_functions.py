"""Fused functions made of Relax operators, without any file."""

from collections.abc import Callable, Sequence
from typing import Any

from edgekernelbench.compiler.tvm.start import import_tvm

import_tvm()  # without PyTorch, which TVM would import where it finds it

from tvm import relax  # noqa: E402

from edgekernelbench.compiler.tvm.relax.fusing import FusedModel, fuse  # noqa: E402


def fused(make: Callable[..., Any], *forms: tuple[Sequence[int], str]) -> FusedModel:
    """Fuse what a function of Relax expressions gives for inputs of some shapes and types."""
    builder = relax.BlockBuilder()
    params = [relax.Var(f"x{n}", relax.TensorType(shape, kind)) for n, (shape, kind) in enumerate(forms)]
    with builder.function("main", params):
        with builder.dataflow():
            given = make(*params)
            output = builder.emit_output(builder.emit(given))
        builder.emit_func_output(output)
    return fuse(builder.get())
