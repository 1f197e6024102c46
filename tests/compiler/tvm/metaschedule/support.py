"""Kernels over TVM's blocks, run in this process."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray
from tests.compiler.hand import HOST

from edgekernelbench.compiler.arrays import allocate_buffer, place_array
from edgekernelbench.compiler.interface import Array
from edgekernelbench.compiler.traced import Part, Traced
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.lowering.cuts import cut
from edgekernelbench.lowering.default import default_lowering
from edgekernelbench.verify.facts import Facts


def traced_of(facts: Facts) -> Traced:
    """Cut a compute layer; no part has a trace."""
    cuts = cut(facts, default_lowering(facts, "llvm", HOST).schedule_for("llvm"))
    text = print_kernel(replace(facts.kernel, schedules=(), memories=()))
    return Traced(text, tuple(Part(p) for p in cuts.parts), cuts.prepared)


def run_traced(traced: Traced, inputs: Mapping[str, NDArray[Any]]) -> list[Array]:
    """Compile and run."""
    # Importing it imports TVM, which tests that are not run must not.
    from edgekernelbench.compiler.tvm.metaschedule.replay import compile_traced  # noqa: PLC0415

    artifact = compile_traced(traced, HOST)
    assert artifact.executable is not None
    params = [place_array(b, inputs[b.name]) for b in artifact.nest.params]
    outputs = [allocate_buffer(b) for b in artifact.nest.outputs]
    artifact.executable.prepare(params)
    artifact.executable.run(params, outputs)
    return outputs
