"""A person's own kernel as something that can be judged: its compute layer is the reference."""

import hashlib
from dataclasses import replace
from pathlib import Path

from edgekernelbench.agents.card import CardFacts
from edgekernelbench.bench.cards import start_text
from edgekernelbench.evaluator.signature import describe_param, outputs_of
from edgekernelbench.ir.compute import Param
from edgekernelbench.ir.dtype import DType
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.workloads.draws import Draw, Index, Mask, Normal, Uniform, Weights
from edgekernelbench.workloads.schema import Domain, Level, Pattern, Workload

INTEGER_STD = 42.0
"""Deviation of 8-bit values, as in the catalogue."""


def own_workload(kernel: Kernel) -> Workload:
    """Make a workload of a kernel: its compute layer is what must be computed.

    Args:
        kernel: The kernel; its schedule and memory layers are left out.

    Returns:
        A workload in no catalogue. Floats are drawn normal, weights scaled to keep sums at one, integers
        in their declared range.
    """
    bare = print_kernel(replace(kernel, schedules=(), memories=()))
    dtype = outputs_of(kernel)[0].dtype
    digest = hashlib.sha256(bare.encode()).hexdigest()[:12]
    return Workload(
        id=f"own/{kernel.name}@{digest}-{dtype}",
        pattern=Pattern(f"own/{kernel.name}", "own", kernel.name, bare, Path(f"{kernel.name}.py")),
        sizes={},
        dtype=dtype,
        accumulate=_accumulate(kernel, dtype),
        inputs={param.name: _draw(param) for param in kernel.params},
        domain=Domain.LINEAR_ALGEBRA,
        level=Level.OPERATOR,
        source="given by the user",
        tolerance_lsb=0,
        suites=(),
        small={},
    )


def own_facts(kernel: Kernel, workload: Workload, profile: Profile) -> CardFacts:
    """Write what a card says of a person's own kernel: the track is *optimise*.

    Args:
        kernel: The kernel.
        workload: What `own_workload` made of it.
        profile: The device.
    """
    return CardFacts(
        workload=workload.id,
        title=" ".join(kernel.doc.strip().split("\n\n")[0].split()) or kernel.name,
        name=kernel.name,
        parameters=", ".join(describe_param(param) for param in kernel.params),
        outputs=tuple(
            f"{stage.dtype}[{', '.join(map(str, stage.shape))}]" if stage.shape else str(stage.dtype)
            for stage in outputs_of(kernel)
        ),
        arithmetic=f"sums in {workload.accumulate} or wider",
        pytorch="",
        sizes={},
        canonical=start_text(replace(kernel, schedules=(), memories=()), profile),
    )


def _accumulate(kernel: Kernel, dtype: DType) -> DType:
    if DType.F64 in {param.dtype for param in kernel.params} | {dtype}:
        return DType.F64
    return DType.F32 if dtype.is_float else DType.I32


def _draw(param: Param) -> Draw:
    if param.bounds is not None:
        return Index(draw="index")
    if param.dtype is DType.BOOL:
        return Mask(draw="mask")
    if param.const and len(param.shape) > 1 and (param.dtype.is_float or param.dtype.bits <= 8):
        return Weights(draw="weights")
    if param.dtype.is_float:
        return Normal(draw="normal")
    if param.dtype.bits <= 8:
        low, high = param.dtype.bounds
        middle = 0.0 if low < 0 else (high + 1) / 2
        return Normal(draw="normal", mean=middle, std=min(INTEGER_STD, (high - low) / 6))
    return Uniform(draw="uniform", low=max(-1000.0, float(param.dtype.bounds[0])), high=1000.0)
