"""A person's own kernel as something that can be judged: its compute layer is the reference."""

import hashlib
from dataclasses import replace
from pathlib import Path

from edgekernelbench.agents.card import CardFacts
from edgekernelbench.bench.cards import start_text
from edgekernelbench.evaluator.signature import describe_param, outputs_of
from edgekernelbench.ir.kernel import Kernel
from edgekernelbench.lang.printing import print_kernel
from edgekernelbench.profiles.profile import Profile
from edgekernelbench.workloads.guesses import guess_accumulation, guess_draw
from edgekernelbench.workloads.schema import Domain, Level, Pattern, Workload


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
        accumulate=guess_accumulation(kernel, dtype),
        inputs={param.name: guess_draw(param) for param in kernel.params},
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
